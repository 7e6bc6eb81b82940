//! What this process has opened for writing and not committed, and what becomes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What became of an output that was not committed. Displayed as a clause, such as
/// "table.csv was not written".
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Abandoned {
    name: String,
    fate: Fate,
}

impl Abandoned {
    /// An output of this name that was written to in place, not to the end.
    pub(crate) fn incomplete(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            fate: Fate::Incomplete,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// There is no such file.
    Absent,
    /// There is the older file.
    Kept,
    /// There is a part of the output.
    Incomplete,
}

impl fmt::Display for Abandoned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = match self.fate {
            Fate::Absent => "was not written",
            Fate::Kept => "is as it was",
            Fate::Incomplete => "is incomplete",
        };
        write!(f, "{} {fate}", self.name)
    }
}

/// What this process has not committed.
pub(crate) struct Registry {
    /// For each temporary file, the name and the path of the final one.
    pub(crate) temporaries: BTreeMap<PathBuf, (String, PathBuf)>,
    /// Outputs that were dropped, or are written to in place.
    pub(crate) dropped: BTreeSet<Abandoned>,
    /// Directories in which it has looked for the temporary files of killed processes.
    pub(crate) looked: BTreeSet<PathBuf>,
    /// Whether all writing has ended.
    closed: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    temporaries: BTreeMap::new(),
    dropped: BTreeSet::new(),
    looked: BTreeSet::new(),
    closed: false,
});

/// The registry, locked.
pub(crate) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Fails after [`abandon`].
    pub(crate) fn refuse_if_closed(&self) -> io::Result<()> {
        if self.closed {
            return Err(io::Error::other("the program is ending"));
        }
        Ok(())
    }

    /// Removes the entry of a temporary file, and says what is at the final path.
    pub(crate) fn remove(&mut self, temporary: &Path) -> Option<Abandoned> {
        let (name, path) = self.temporaries.remove(temporary)?;
        let fate = if path.symlink_metadata().is_ok() {
            Fate::Kept
        } else {
            Fate::Absent
        };
        Some(Abandoned { name, fate })
    }
}

/// Ends all writing, for a program that stops early: removes the temporary files of all
/// outputs that were not committed, and refuses new ones. Returns what became of each output
/// that was opened and never committed.
///
/// ```
/// // Before `std::process::exit`, in a handler of signals for example.
/// for output in klero_files::abandon() {
///     eprintln!("interrupted; {output}"); // "interrupted; table.csv was not written"
/// }
/// ```
pub fn abandon() -> Vec<Abandoned> {
    let mut registry = registry();
    registry.closed = true;
    while let Some(path) = registry.temporaries.keys().next().cloned() {
        // If it is gone or cannot be removed, nothing else can be done.
        let _ = fs::remove_file(&path);
        let abandoned = registry.remove(&path);
        registry.dropped.extend(abandoned);
    }
    std::mem::take(&mut registry.dropped).into_iter().collect()
}
