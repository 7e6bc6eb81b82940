//! A network described by files beside its database.
//!
//! The Shelley genesis file is part of a node's configuration. The first epochs of the eras, and the results
//! of votes on extra entropy and overlay, are only on the chain. The file `klero-network.json` lists them:
//!
//! ```json
//! {"era_starts": {"shelley": 4, "babbage": 12}, "extra_entropy": {"6": "5a5a…"},
//!  "decentralization": {"4": "1", "5": "0.4"}}
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::chain::network::error::NetworkError;
use crate::chain::network::facts::{EraStarts, Network};
use crate::chain::network::public::built_ins;
use crate::chain::nonce::Nonce;
use crate::chain::overlay::Decentralization;
use crate::limits::DESCRIPTION_FILE;

const GENESIS: &str = "shelley-genesis.json";
const DESCRIPTION: &str = "klero-network.json";

/// The facts about a network that no file of a node contains.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Description {
    era_starts: EraStarts,
    extra_entropy: BTreeMap<u64, Nonce>,
    /// For each epoch before Babbage, the share of its slots that are in the overlay.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    decentralization: BTreeMap<u64, Decentralization>,
}

/// The network whose genesis file is in `dir` or beside it, if there is such a file.
pub(super) fn find(dir: &Path) -> Result<Option<Network>, NetworkError> {
    // The parent is taken from the canonical path, because the path `.` does not contain its parent.
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let places = [Some(dir), full.parent()];
    let mut places = places.into_iter().flatten();
    let Some(place) = places.find(|place| place.join(GENESIS).exists()) else {
        return Ok(None);
    };
    let description = read(&place.join(DESCRIPTION))?;
    let starts = description.era_starts;
    let mut network = Network::read_shelley_genesis("custom", &place.join(GENESIS), starts)?;
    network.extra_entropy = description.extra_entropy;
    network
        .decentralization
        .extend(description.decentralization);
    let same = |built_in: &Network| built_in.genesis == network.genesis;
    Ok(Some(built_ins().find(same).unwrap_or(network)))
}

impl Network {
    /// Returns the name and the content of the file `klero-network.json` for this network. If the file is
    /// beside the genesis file, [`Network::detect`] reads the starts of the eras, the extra entropy and the
    /// overlay from it.
    pub fn describe(&self) -> (&'static str, String) {
        let description = Description {
            era_starts: self.starts.clone(),
            extra_entropy: self.extra_entropy.clone(),
            decentralization: self.decentralization.clone(),
        };
        // Serialization cannot fail, because this type has only numbers and text.
        let json = serde_json::to_string_pretty(&description).unwrap_or_default();
        (DESCRIPTION, json + "\n")
    }
}

fn read(path: &Path) -> Result<Description, NetworkError> {
    let bytes = match klero_support::read(path, DESCRIPTION_FILE) {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(Description::default()),
        Err(error) => return Err(error.into()),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        NetworkError::Content(format!(
            "{}: not the eras' first epochs and the extra entropy: {error}",
            path.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::chain::network::tests::SMALL;

    #[test]
    fn in_a_directory_or_beside_it() {
        let node = tempfile::tempdir().unwrap();
        let dir = node.path().join("immutable");
        fs::create_dir(&dir).unwrap();
        assert!(Network::detect(&dir).is_err());
        fs::write(node.path().join(GENESIS), SMALL).unwrap();
        for dir in [node.path(), &dir] {
            let network = Network::detect(dir).unwrap();
            assert_eq!(network.era_starts(), &EraStarts::default());
        }

        let starts = EraStarts {
            shelley: 2,
            conway: Some(5),
            ..EraStarts::default()
        };
        let mut network =
            Network::from_shelley_genesis("custom", SMALL.as_bytes(), starts).unwrap();
        network.set_extra_entropy(3, Nonce::Value([9; 32].into()));
        let (name, text) = network.describe();
        fs::write(node.path().join(name), text).unwrap();
        for dir in [node.path(), &dir] {
            assert_eq!(Network::detect(dir).unwrap(), network);
        }
        fs::write(node.path().join(name), r#"{"eras": {}}"#).unwrap();
        let error = Network::detect(&dir).unwrap_err().to_string();
        assert!(
            error.contains("klero-network.json: not the eras'"),
            "{error}"
        );
    }

    #[test]
    fn a_public_network_by_its_genesis_file() {
        let node = tempfile::tempdir().unwrap();
        let preview = include_bytes!("../../../networks/preview-shelley-genesis.json");
        fs::write(node.path().join(GENESIS), preview).unwrap();
        assert_eq!(Network::detect(node.path()).unwrap(), Network::preview());
        // The magic that the node wrote takes precedence over the genesis file.
        fs::write(node.path().join("protocolMagicId"), "1").unwrap();
        assert_eq!(Network::detect(node.path()).unwrap(), Network::preprod());
    }
}
