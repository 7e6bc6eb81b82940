//! The files of this process that are not in place yet, and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

use crate::left;

/// The outputs that this process has opened for writing and not completed.
pub(crate) struct Registry {
    /// The open files, by the paths of their temporary files.
    open: BTreeMap<PathBuf, Open>,
    /// The clauses that [`abandon`] returns about outputs that were dropped or failed, or are written in
    /// place.
    pub(crate) told: BTreeSet<String>,
    /// Directories that were searched for the temporary files of killed processes.
    searched: BTreeSet<PathBuf>,
    /// True once [`abandon`] has ended all writing.
    closed: bool,
}

/// A temporary file, which is removed when this is dropped, and the file that it becomes.
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

/// Locks the registry, so that a clause of [`abandon`] about a file stays true.
pub(crate) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Notes the state of a file that was not put in place.
    fn tell(&mut self, name: &str, path: &Path) {
        self.told.insert(match path.symlink_metadata() {
            Ok(_) => format!("{name} is as it was"),
            Err(_) => format!("{name} was not written"),
        });
    }
}

/// Ends all writing of files for a program that stops early: removes the temporary files of all outputs that
/// were not committed, and refuses new files. Returns a clause about each file that was neither committed nor
/// discarded, and about each incomplete output in place.
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
    /// The temporary file's path.
    registered: PathBuf,
}

impl Temporary {
    /// Makes a temporary file for this path; `None` if another open output is for the same file.
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

    /// Puts the file in place. Returns its directory.
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

    /// Removes the file, without a clause about it.
    pub(crate) fn discard(self) {
        registry().open.remove(&self.registered);
    }
}

impl Drop for Temporary {
    /// Removes the file, unless it was put in place.
    fn drop(&mut self) {
        let mut registry = registry();
        if let Some(open) = registry.open.remove(&self.registered) {
            registry.tell(&open.name, &open.path);
        }
    }
}

/// The error after [`abandon`].
fn ending() -> io::Error {
    io::Error::other("the program is ending")
}

/// The directory of a file.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
