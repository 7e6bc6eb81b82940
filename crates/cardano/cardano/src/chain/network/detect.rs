//! Detection of the network to which a database belongs.

use std::path::{Path, PathBuf};

use crate::chain::network::error::NetworkError;
use crate::chain::network::facts::Network;
use crate::chain::network::local;
use crate::chain::network::public::built_ins;
use crate::limits::MAGIC_FILE;

impl Network {
    /// Detects the network to which a database belongs. The file `protocolMagicId` identifies a built-in
    /// network. This file is in `dir`, or beside `dir` if `dir` is the `immutable` directory itself. Any
    /// other network is read from the file `shelley-genesis.json` in or beside `dir`. The facts that no file
    /// of a node contains are read from the file `klero-network.json` beside the genesis file, if it exists.
    ///
    /// # Errors
    /// [`NetworkError`] if one of these files exists but cannot be used, or if no file identifies the
    /// network.
    pub fn detect(dir: &Path) -> Result<Network, NetworkError> {
        let found = read_magic(dir)?;
        let magic = found.as_ref().map(|(_, magic)| *magic);
        let mut known = built_ins().filter(|network| magic.is_some() && network.magic == magic);
        if let Some(network) = known.next() {
            return Ok(network);
        }
        if let Some(network) = local::find(dir)? {
            return Ok(network);
        }
        Err(match found {
            Some((path, magic)) => NetworkError::UnknownMagic { path, magic },
            None => NetworkError::Unknown {
                dir: dir.to_owned(),
            },
        })
    }
}

/// Reads the file `protocolMagicId`, which a node writes beside the directory `immutable` of its database.
/// Returns the file's path and the number in the file, or `None` if there is no such file.
pub(crate) fn read_magic(dir: &Path) -> Result<Option<(PathBuf, u32)>, NetworkError> {
    const FILE: &str = "protocolMagicId";
    let mut path = dir.join(FILE);
    if !path.exists() {
        // `dir` may be `.` inside `immutable`. Its canonical path then ends with `immutable`.
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        if let Some(parent) = dir.parent().filter(|_| dir.ends_with("immutable")) {
            path = parent.join(FILE);
        }
    }
    let unusable = |why| NetworkError::Content(format!("cannot tell the network: {why}"));
    let bytes = match klero_support::read(&path, MAGIC_FILE) {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(unusable(error.to_string())),
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim();
    let magic = text.parse().map_err(|_| {
        let file = path.display();
        unusable(format!("{file}: {text:?} is not a network magic"))
    })?;
    Ok(Some((path, magic)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn detection() {
        let node = tempfile::tempdir().unwrap();
        let immutable = node.path().join("immutable");
        fs::create_dir(&immutable).unwrap();
        let file = node.path().join("protocolMagicId");
        let error = Network::detect(node.path()).unwrap_err();
        assert!(matches!(error, NetworkError::Unknown { .. }), "{error}");
        for (text, name) in [
            ("764824073", "mainnet"),
            ("1", "preprod"),
            ("2\n", "preview"),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(Network::detect(node.path()).unwrap().name(), name);
            assert_eq!(Network::detect(&immutable).unwrap().name(), name);
        }
        fs::write(&file, "3").unwrap();
        let error = Network::detect(&immutable).unwrap_err().to_string();
        assert!(error.contains("network magic 3"), "{error}");
        fs::write(&file, [b'1'; 65]).unwrap();
        let error = Network::detect(&immutable).unwrap_err().to_string();
        let limit = "protocolMagicId: has 65 bytes, expected at most 64";
        assert!(error.ends_with(limit), "{error}");
        fs::write(&file, "three").unwrap();
        let error = Network::detect(&immutable).unwrap_err().to_string();
        assert!(
            error.contains("\"three\" is not a network magic"),
            "{error}"
        );
    }
}
