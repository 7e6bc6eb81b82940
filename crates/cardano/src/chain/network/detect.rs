//! Which network a database is of.

use std::path::Path;

use crate::chain::network::error::NetworkError;
use crate::chain::network::facts::Network;
use crate::chain::network::local;
use crate::chain::network::magic::read_magic;
use crate::chain::network::public::built_ins;

impl Network {
    /// The network that a database is of. The file `protocolMagicId` in `dir` (or beside it,
    /// when `dir` is the `immutable` directory itself) tells a built-in one; else the file
    /// `shelley-genesis.json` in or beside `dir` does, with `klero-network.json` beside that
    /// for what no file of a node says.
    ///
    /// # Errors
    /// [`NetworkError`]: a file of these that is there cannot be used, or none tells.
    pub fn detect(dir: &Path) -> Result<Network, NetworkError> {
        let magic = read_magic(dir);
        let built_in = |magic| built_ins().find(|network| network.magic == Some(magic));
        if let Ok((_, magic)) = magic
            && let Some(network) = built_in(magic)
        {
            return Ok(network);
        }
        match magic {
            Err(error) if !error.is_not_found() => Err(error),
            magic => match local::find(dir)? {
                Some(network) => Ok(network),
                None => Err(match magic {
                    Ok((path, magic)) => NetworkError::UnknownMagic { path, magic },
                    Err(_) => NetworkError::Unknown {
                        dir: dir.to_owned(),
                    },
                }),
            },
        }
    }
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
