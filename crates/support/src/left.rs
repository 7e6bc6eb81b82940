//! Makes temporary files, and removes the temporary files that a killed process left behind.
//!
//! A process that is killed by SIGKILL or by a lack of memory cannot clean up, so its temporary files stay.
//! They are removed by the next process that writes into the same directory a day or more later. Each process
//! locks its temporary files, so a file without a lock is not in use. The operating system removes the locks
//! of a process when the process ends. The day of waiting protects files on network file systems, where a
//! process may not see the locks of other machines.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".klero-";
const SUFFIX: &str = ".partial";

/// The number of letters and digits that `tempfile` puts between the prefix and the suffix.
const RANDOM: usize = 6;

/// The minimum age of a file that another process may remove, counted from its last modification.
const LEAST_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum number of attempts to make a file. An attempt fails if another process locks or removes the
/// new file because it believes that a killed process left the file behind. Each process searches a directory
/// only once, so a second attempt is rare, and a third is very rare.
const TRIES: usize = 100;

/// Makes a temporary file in `directory` and locks it. On Unix, it has the permissions `mode` less the umask.
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
            // Another process has locked the file, and is about to remove it.
            Err(TryLockError::WouldBlock) => continue,
            // If the file cannot be locked, no other process can lock it either, and so none removes it.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // Another process may have removed the file before this one locked it. From now on, none can.
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
    // The file is opened for writing, because some network file systems require this for a lock.
    let file = File::options().read(true).write(true).open(path)?;
    let age = file.metadata()?.modified()?.elapsed();
    if age.is_ok_and(|age| age >= LEAST_AGE) {
        file.try_lock()?;
        // The lock lasts until the file is removed.
        fs::remove_file(path)?;
    }
    Ok(())
}
