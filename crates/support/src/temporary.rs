//! The files that this process writes under temporary names. Each is put in place (renamed) or removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

use crate::left;

/// The outputs that this process has opened for writing and has not completed.
pub(crate) struct Registry {
    /// The open files, by the paths of their temporary files.
    open: BTreeMap<PathBuf, Open>,
    /// Clauses such as "table.csv was not written", which [`abandon`] will return. They are about outputs
    /// that were dropped, that failed or that are written in place.
    pub(crate) told: BTreeSet<String>,
    /// The directories that were searched for the temporary files of killed processes.
    searched: BTreeSet<PathBuf>,
    /// True once [`abandon`] has ended all writing.
    closed: bool,
}

/// A temporary file and the file that it will become. Dropping this value removes the temporary file.
struct Open {
    temporary: TempPath,
    name: String,
    path: PathBuf,
    replace: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    open: BTreeMap::new(),
    told: BTreeSet::new(),
    searched: BTreeSet::new(),
    closed: false,
});

/// Locks the registry. Files are put in place only under this lock, so that a clause about a file stays true.
pub(crate) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Records a clause about a file that was not put in place.
    fn tell(&mut self, name: &str, path: &Path) {
        self.told.insert(match path.symlink_metadata() {
            Ok(_) => format!("{name} is as it was"),
            Err(_) => format!("{name} was not written"),
        });
    }
}

/// Ends all writing of files, for a program that stops early. Removes the temporary files of all outputs that
/// were not committed, and refuses new files. Returns a clause about each file that was neither committed nor
/// discarded, and about each incomplete output that is written in place.
///
/// ```
/// // Before `std::process::exit`, in a handler of signals for example.
/// for output in klero_support::abandon() {
///     eprintln!("interrupted; {output}"); // "interrupted; table.csv was not written"
/// }
/// ```
pub fn abandon() -> Vec<String> {
    let mut registry = registry();
    registry.closed = true;
    while let Some((_, open)) = registry.open.pop_first() {
        registry.tell(&open.name, &open.path);
    }
    std::mem::take(&mut registry.told).into_iter().collect()
}

/// A file that is not in place yet.
pub(crate) struct Temporary {
    pub(crate) file: File,
    /// The path of the temporary file, which is its key in the registry.
    registered: PathBuf,
}

impl Temporary {
    /// Makes a temporary file for this path. Returns `None` if another open output is for the same file.
    pub(crate) fn open(
        path: PathBuf,
        name: &str,
        mode: u32,
        replace: bool,
    ) -> io::Result<Option<Self>> {
        let directory = directory_of(&path);
        let mut registry = registry();
        if registry.closed {
            return Err(ending());
        }
        if registry.open.values().any(|open| open.path == path) {
            return Ok(None);
        }
        if registry.searched.insert(directory.to_owned()) {
            left::remove_left(directory);
        }
        let (file, temporary) = left::create(directory, mode)?.into_parts();
        let registered = temporary.to_path_buf();
        let open = Open {
            temporary,
            name: name.to_owned(),
            path,
            replace,
        };
        registry.open.insert(registered.clone(), open);
        Ok(Some(Self { file, registered }))
    }

    /// Puts the file in place. Returns the directory of the file.
    pub(crate) fn persist(self) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        let mut registry = registry();
        let open = registry.open.remove(&self.registered).ok_or_else(ending)?;
        let put = match open.replace {
            true => open.temporary.persist(&open.path),
            false => open.temporary.persist_noclobber(&open.path),
        };
        if let Err(refused) = put {
            registry.tell(&open.name, &open.path);
            return Err(refused.error);
        }
        Ok(directory_of(&open.path).to_owned())
    }

    /// Removes the temporary file, and records no clause about it.
    pub(crate) fn discard(self) {
        registry().open.remove(&self.registered);
    }
}

impl Drop for Temporary {
    /// Removes the temporary file if it was not put in place.
    fn drop(&mut self) {
        let mut registry = registry();
        if let Some(open) = registry.open.remove(&self.registered) {
            registry.tell(&open.name, &open.path);
        }
    }
}

/// The error of writing after [`abandon`] was called.
fn ending() -> io::Error {
    io::Error::other("the program is ending")
}

/// Returns the directory that contains a file.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
