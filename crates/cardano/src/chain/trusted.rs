//! Files of what a user knows of a network from a source of trust: nonces of epochs, and a node's
//! checkpoints.
//!
//! Both are pairs in JSON, a number and 32 bytes in hexadecimal. Fields with other names are left aside,
//! so that what explorers and databases export can be read as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_support::ReadError;
use pallas_crypto::hash::Hash;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
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

/// A nonce with its epoch: `epoch_no` of db-sync and Koios, `epoch` of Blockfrost.
#[derive(Deserialize)]
#[serde(expecting = "an object with epoch_no and nonce")]
struct NonceEntry {
    /// A number, or its digits as text.
    #[serde(alias = "epoch")]
    epoch_no: Value,
    #[serde(alias = "epochNonce")]
    nonce: WrittenNonce,
}

/// The answer to `cardano-cli query protocol-state`: the nonce of the epoch of the last slot.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProtocolState {
    epoch_nonce: WrittenNonce,
    last_slot: Option<u64>,
}

/// A nonce as others write it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a nonce of 64 hexadecimal digits, or null")]
enum WrittenNonce {
    /// `null`: there is none before Shelley.
    Absent(()),
    Text(String),
    Tagged(TaggedNonce),
}

/// A nonce as `cardano-cli` wrote it once.
#[derive(Deserialize)]
#[serde(tag = "tag", content = "contents")]
enum TaggedNonce {
    Nonce(String),
    NeutralNonce,
}

impl WrittenNonce {
    /// The digits, if it has any.
    fn digits(self) -> Option<String> {
        match self {
            Self::Text(digits) | Self::Tagged(TaggedNonce::Nonce(digits)) => Some(digits),
            Self::Absent(()) | Self::Tagged(TaggedNonce::NeutralNonce) => None,
        }
    }
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
    /// `[{"epoch_no": 208, "nonce": "1a3b…"}, …]`, the form in which db-sync and Koios name them, with
    /// `epoch` as Blockfrost calls it, as a list, JSON lines or one object. A nonce has 64 hexadecimal
    /// digits, with `\x` or `0x` before them or not; `null` is left aside. The file may repeat what is
    /// known already. If there is an error, nothing is added.
    ///
    /// It may also be the answer to `cardano-cli query protocol-state`, whose `epochNonce` is that of the
    /// epoch of its `lastSlot`. That must be the epoch `asked`, which stands in if there is no slot.
    ///
    /// # Errors
    /// [`TrustedFileError`]: also if an epoch has two nonces in the file, or another one is known.
    pub fn read_known_nonces(
        &mut self,
        path: &Path,
        asked: Option<u64>,
    ) -> Result<(), TrustedFileError> {
        let text = klero_support::read_text(path, TRUSTED_FILE)?;
        let entries = entries(&text).map_err(|error| bad_json(path, error, NONCES))?;
        let pair = |entry: &RawValue| {
            let (epoch, nonce) = match parse(entry) {
                Ok(NonceEntry { epoch_no, nonce }) => {
                    let number = epoch_no.as_u64();
                    let number = number.or_else(|| epoch_no.as_str()?.parse().ok());
                    (number.ok_or("expected the number of an epoch")?, nonce)
                }
                Err(error) => {
                    let state: ProtocolState = parse(entry).map_err(|_| error)?;
                    (self.epoch_of(&state, asked)?, state.epoch_nonce)
                }
            };
            let Some(digits) = nonce.digits() else {
                return Ok(None);
            };
            let nonce = hash(&digits).map(Nonce::Value).ok_or_else(|| {
                format!("the nonce of epoch {epoch}: expected 64 hexadecimal digits")
            })?;
            match self.known_nonce(epoch) {
                Some(known) if known != nonce => Err(format!(
                    "the nonce of epoch {epoch} of {} is known to be {known}, not {nonce}",
                    self.name()
                )),
                _ => Ok(Some((epoch, nonce))),
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

    /// The epoch of the nonce in an answer to `query protocol-state`.
    fn epoch_of(&self, state: &ProtocolState, asked: Option<u64>) -> Result<u64, String> {
        match (state.last_slot.map(|slot| (slot, self.epoch(slot))), asked) {
            (Some((slot, epoch)), Some(asked)) if epoch != asked => Err(format!(
                "its lastSlot {slot} is in epoch {epoch} of {}, so its epochNonce is not that of \
                 epoch {asked}",
                self.name()
            )),
            (Some((_, epoch)), _) | (None, Some(epoch)) => Ok(epoch),
            (None, None) => Err("it names no epoch: expected epoch_no or lastSlot".into()),
        }
    }
}

/// The values of a JSON list, of several, or of JSON lines.
fn entries(text: &str) -> Result<Vec<&RawValue>, serde_json::Error> {
    if text.trim().is_empty() {
        return serde_json::from_str(text);
    }
    let mut entries = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter() {
        let value: &RawValue = value?;
        match value.get().starts_with('[') {
            true => entries.extend(serde_json::from_str::<Vec<&RawValue>>(value.get())?),
            false => entries.push(value),
        }
    }
    Ok(entries)
}

/// The checkpoints in a node's `checkpoints.json`, the file that `CheckpointsFile` in its
/// configuration names: numbers of blocks, with their hashes.
///
/// # Errors
/// [`TrustedFileError`]: also if a block has two hashes.
pub fn read_checkpoints(path: &Path) -> Result<BTreeMap<u64, Hash<32>>, TrustedFileError> {
    let text = klero_support::read_text(path, TRUSTED_FILE)?;
    let Checkpoints { checkpoints } =
        serde_json::from_str(&text).map_err(|error| bad_json(path, error, CHECKPOINTS))?;
    let pair = |entry: &RawValue| {
        let entry: CheckpointEntry = parse(entry)?;
        let number = entry.block_no;
        let hash = hash(&entry.hash)
            .ok_or_else(|| format!("the hash of block {number}: expected 64 hexadecimal digits"))?;
        Ok(Some((number, hash)))
    };
    map(path, &checkpoints, pair, |number| {
        format!("the hash of block {number}")
    })
}

fn bad_json(path: &Path, error: serde_json::Error, expected: &'static str) -> TrustedFileError {
    TrustedFileError::Json {
        path: path.to_owned(),
        error,
        expected,
    }
}

fn parse<T: DeserializeOwned>(entry: &RawValue) -> Result<T, String> {
    serde_json::from_str(entry.get()).map_err(|error| error.to_string())
}

/// The entries as a map. `pair` reads one, which may have no value, and `name` says what is under a
/// key.
fn map<V: Copy + PartialEq + ToString>(
    path: &Path,
    entries: &[&RawValue],
    pair: impl Fn(&RawValue) -> Result<Option<(u64, V)>, String>,
    name: impl Fn(u64) -> String,
) -> Result<BTreeMap<u64, V>, TrustedFileError> {
    let mut map = BTreeMap::new();
    for (before, entry) in entries.iter().enumerate() {
        let added = pair(entry).and_then(|pair| match pair {
            Some((key, value)) => match map.insert(key, value) {
                Some(other) if other != value => Err(format!(
                    "{} is {}, but {} in an entry before",
                    name(key),
                    value.to_string(),
                    other.to_string()
                )),
                _ => Ok(()),
            },
            None => Ok(()),
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
    let digits = ["\\x", "0x", "0X"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark));
    digits.unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests;
