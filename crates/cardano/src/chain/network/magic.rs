//! The network magic that a node writes beside its database.

use std::path::{Path, PathBuf};

use crate::chain::network::error::NetworkError;
use crate::limits::MAGIC_FILE;

/// The file `protocolMagicId` of a node's database, and the number in it.
pub(crate) fn read_magic(dir: &Path) -> Result<(PathBuf, u32), NetworkError> {
    const FILE: &str = "protocolMagicId";
    let mut path = dir.join(FILE);
    if !path.exists() {
        // Canonical, so that `immutable` alone and `.` have a parent too.
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        if let Some(parent) = dir.parent().filter(|_| dir.ends_with("immutable")) {
            path = parent.join(FILE);
        }
    }
    let bytes = klero_support::read(&path, MAGIC_FILE).map_err(NetworkError::Magic)?;
    let text = String::from_utf8_lossy(&bytes);
    match text.trim().parse() {
        Ok(magic) => Ok((path, magic)),
        Err(_) => Err(NetworkError::NotAMagic {
            path,
            found: text.trim().to_owned(),
        }),
    }
}
