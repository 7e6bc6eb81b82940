//! Temporary files, and the removal of those that a killed process left.
//!
//! A process that is killed by SIGKILL, or by a lack of memory, runs nothing at its end: its
//! temporary files stay. They are removed by the next process that writes into the same directory a day or
//! more later. Locks tell them from files that are in use: each process locks its temporary files, and the
//! operating system ends the locks of a process with the process. The day protects files on network file
//! systems, where a lock may be unknown to other machines.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".klero-";
const SUFFIX: &str = ".partial";

/// The number of letters and digits that `tempfile` puts between prefix and suffix.
const RANDOM: usize = 6;

/// The time since the last modification of a file after which another process may remove it.
const LEAST_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The most attempts to make a file that no other process removes as one left behind. Each process searches a
/// directory once, so a second attempt is rare and a third hardly happens.
const TRIES: usize = 100;

/// Makes a temporary file in `directory`, on Unix with these permissions less the umask, and locks it.
pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    for _ in 0..TRIES {
        let file = builder.tempfile_in(directory)?;
        match file.as_file().try_lock() {
            // Another process has locked it, and is about to remove it.
            Err(TryLockError::WouldBlock) => continue,
            // Where there are no locks, nobody can lock it, and so nobody removes it.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // Another process may have removed it before it was locked, but not from now on.
        if file.path().symlink_metadata().is_ok() {
            return Ok(file);
        }
    }
    Err(io::Error::other(
        "other processes remove each temporary file",
    ))
}

/// Removes the temporary files that killed processes left in `directory`. A file that cannot be removed
/// stays.
pub(crate) fn remove_left(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_temporary(entry.file_name().as_encoded_bytes()) && is_file() {
            let _ = remove_if_left(&entry.path());
        }
    }
}

/// True if a temporary file can have this name.
fn is_temporary(name: &[u8]) -> bool {
    name.strip_prefix(PREFIX.as_bytes())
        .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()))
        .is_some_and(|random| {
            random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)
        })
}

fn remove_if_left(path: &Path) -> io::Result<()> {
    // Open for writing, as some network file systems demand for a lock.
    let file = File::options().read(true).write(true).open(path)?;
    let age = file.metadata()?.modified()?.elapsed();
    if age.is_ok_and(|age| age >= LEAST_AGE) {
        file.try_lock()?;
        // The lock lasts until the file is gone.
        fs::remove_file(path)?;
    }
    Ok(())
}
