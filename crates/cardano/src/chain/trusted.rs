//! Files of what a user knows of a network from a source of trust: nonces of epochs, and a node's
//! checkpoints.
//!
//! Both are JSON lists of pairs, a number and 32 bytes in hexadecimal. Fields with other names are
//! left aside, so that what explorers and databases export can be read as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_files::ReadError;
use pallas_crypto::hash::Hash;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::chain::network::Network;
use crate::chain::nonce::Nonce;
use crate::limits::TRUSTED_FILE;

/// Why a file of nonces or checkpoints cannot be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustedFileError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is not a JSON list of the expected form.
    #[error("{}: {error}; expected {expected}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
        /// The expected form.
        expected: &'static str,
    },
    /// One of its entries is not of the expected form, or contradicts what is known.
    #[error("{}: entry {entry}: {reason}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The number of the entry, from 1 on.
        entry: usize,
        /// What is wrong with it.
        reason: String,
    },
}

const NONCES: &str = r#"[{"epoch_no": 208, "nonce": "64 hexadecimal digits"}, …]"#;
const CHECKPOINTS: &str =
    r#"{"checkpoints": [{"blockNo": 2000, "hash": "64 hexadecimal digits"}, …]}"#;

#[derive(Deserialize)]
#[serde(expecting = "an object with epoch_no and nonce")]
struct NonceEntry {
    epoch_no: u64,
    nonce: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Checkpoints<'a> {
    #[serde(borrow)]
    checkpoints: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(
    rename_all = "camelCase",
    expecting = "an object with blockNo and hash"
)]
struct CheckpointEntry {
    block_no: u64,
    hash: String,
}

impl Network {
    /// Adds the nonces in a JSON file to the [known ones](Self::set_known_nonce):
    /// `[{"epoch_no": 208, "nonce": "1a3b…"}, …]`, the form in which db-sync and Koios name them. A
    /// nonce has 64 hexadecimal digits, with `\x` or `0x` before them or not. The file may repeat what
    /// is known already. If there is an error, nothing is added.
    ///
    /// # Errors
    /// [`TrustedFileError`]: also if an epoch has two nonces in the file, or another one is known.
    ///
    /// ```
    /// use klero_cardano::Network;
    /// let path = std::env::temp_dir().join("klero-doc-nonces.json");
    /// let nonce = "07".repeat(32);
    /// std::fs::write(&path, format!(r#"[{{"epoch_no": 5000, "nonce": "{nonce}"}}]"#))?;
    /// let mut preview = Network::preview();
    /// preview.read_known_nonces(&path)?;
    /// assert_eq!(preview.known_nonce(5000).unwrap().to_string(), nonce);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_known_nonces(&mut self, path: &Path) -> Result<(), TrustedFileError> {
        let bytes = klero_files::read(path, TRUSTED_FILE)?;
        let entries: Vec<&RawValue> = parse(path, &bytes, NONCES)?;
        let pair = |entry: NonceEntry| {
            let epoch = entry.epoch_no;
            let nonce = hash(&entry.nonce).map(Nonce::Value).ok_or_else(|| {
                format!("the nonce of epoch {epoch}: expected 64 hexadecimal digits")
            })?;
            match self.known_nonce(epoch) {
                Some(known) if known != nonce => Err(format!(
                    "the nonce of epoch {epoch} of {} is known to be {known}, not {nonce}",
                    self.name()
                )),
                _ => Ok((epoch, nonce)),
            }
        };
        let nonces = map(path, &entries, pair, |epoch| {
            format!("the nonce of epoch {epoch}")
        })?;
        for (epoch, nonce) in nonces {
            self.set_known_nonce(epoch, nonce);
        }
        Ok(())
    }
}

/// The checkpoints in a node's `checkpoints.json`, the file that `CheckpointsFile` in its
/// configuration names: numbers of blocks, with their hashes.
///
/// # Errors
/// [`TrustedFileError`]: also if a block has two hashes.
///
/// ```
/// let path = std::env::temp_dir().join("klero-doc-checkpoints.json");
/// let hash = "a82e2b2253a39897f57912cf8fdd70786eb8a2460c2955bb3521642539b87ead";
/// let json = format!(r#"{{"checkpoints": [{{"blockNo": 2000, "hash": "{hash}"}}]}}"#);
/// std::fs::write(&path, json)?;
/// let checkpoints = klero_cardano::read_checkpoints(&path)?;
/// assert_eq!(checkpoints[&2000].to_string(), hash);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_checkpoints(path: &Path) -> Result<BTreeMap<u64, Hash<32>>, TrustedFileError> {
    let bytes = klero_files::read(path, TRUSTED_FILE)?;
    let Checkpoints { checkpoints } = parse(path, &bytes, CHECKPOINTS)?;
    let pair = |entry: CheckpointEntry| {
        let number = entry.block_no;
        let hash = hash(&entry.hash)
            .ok_or_else(|| format!("the hash of block {number}: expected 64 hexadecimal digits"))?;
        Ok((number, hash))
    };
    map(path, &checkpoints, pair, |number| {
        format!("the hash of block {number}")
    })
}

fn parse<'a, T: Deserialize<'a>>(
    path: &Path,
    bytes: &'a [u8],
    expected: &'static str,
) -> Result<T, TrustedFileError> {
    serde_json::from_slice(bytes).map_err(|error| TrustedFileError::Json {
        path: path.to_owned(),
        error,
        expected,
    })
}

/// The entries as a map. `pair` reads one, and `name` says what is under a key.
fn map<E, V>(
    path: &Path,
    entries: &[&RawValue],
    pair: impl Fn(E) -> Result<(u64, V), String>,
    name: impl Fn(u64) -> String,
) -> Result<BTreeMap<u64, V>, TrustedFileError>
where
    E: for<'a> Deserialize<'a>,
    V: Copy + PartialEq + ToString,
{
    let mut map = BTreeMap::new();
    for (before, entry) in entries.iter().enumerate() {
        let pair = serde_json::from_str(entry.get())
            .map_err(|error| error.to_string())
            .and_then(&pair);
        let added = pair.and_then(|(key, value)| match map.insert(key, value) {
            Some(other) if other != value => Err(format!(
                "{} is {}, but {} in an entry before",
                name(key),
                value.to_string(),
                other.to_string()
            )),
            _ => Ok(()),
        });
        added.map_err(|reason| TrustedFileError::Entry {
            path: path.to_owned(),
            entry: before + 1,
            reason,
        })?;
    }
    Ok(map)
}

/// 64 hexadecimal digits, after what databases put before them.
fn hash(text: &str) -> Option<Hash<32>> {
    let digits = text.strip_prefix("\\x").or(text.strip_prefix("0x"));
    digits.unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests;
