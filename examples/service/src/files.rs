//! Files that appear whole or not at all.
//!
//! A process can be killed while it writes a file. So the file is written beside, under another name,
//! and then renamed.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;

/// Makes a file that only its owner can read. If there is one by now, such as that of a process which
/// made it at the same time, it stays as it is.
///
/// # Errors
/// Those of `write` and of the file system.
pub fn make<E: From<io::Error>>(
    file: &Path,
    write: impl FnOnce(&mut NamedTempFile) -> Result<(), E>,
) -> Result<(), E> {
    let directory = match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut beside = NamedTempFile::new_in(directory)?;
    write(&mut beside)?;
    beside.as_file().sync_all()?;
    match beside.persist_noclobber(file) {
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
        renamed => drop(renamed.map_err(|error| error.error)?),
    }
    // The name is on the disk, too, before anything relies on the file.
    Ok(File::open(directory)?.sync_all()?)
}
