//! A point in the chain, saved on disk, so that the next walk reads only new blocks.
//!
//! A state is JSON: the network, the last block, the five nonces after it, and what its caller keeps
//! with them. The caller decides when to save it: a state after a block whose
//! claims have not been verified hides them from the next run.
//!
//! A walk believes its state: most of it cannot be compared with the blocks that follow. So the file
//! has a hash of its content, which shows accidents and edits by hand. It stops nobody who may write
//! the file: they can compute the hash as well.

use std::io::{self, Write};
use std::path::Path;

use klero_support::{Output, ReadError, WriteError};
use pallas_crypto::hash::Hash;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::era::Era;
use crate::chain::hash::blake2b_256;
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::NonceState;
use crate::limits::STATE_FILE;
use crate::walk::event::Block;

/// The form of the file. Another version has another number, and is refused.
const VERSION: u32 = 4;

/// The form that this program writes and reads.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<S> {
    version: u32,
    /// BLAKE2b-256 of the state as JSON without white space, its fields in their order.
    hash: Hash<32>,
    state: S,
}

/// A point in the chain from which a walk can go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedState {
    /// Name of the network.
    pub network: String,
    /// Hash of its Shelley genesis file.
    pub genesis_hash: Hash<32>,
    /// The first epoch of Conway, if it was known. The candidate nonce depends on it.
    pub conway: Option<u64>,
    /// The last block before the point.
    pub last: LastBlock,
    /// The nonces after it.
    pub nonces: NonceState,
}

/// The last block before a saved point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastBlock {
    /// Its era.
    pub era: Era,
    /// Whether it is an epoch boundary block of Byron.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub boundary: bool,
    /// Its slot.
    pub slot: u64,
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: Hash<32>,
}

/// Why a saved state cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It is not JSON of the expected form.
    #[error("not a saved state: {0}")]
    Json(#[from] serde_json::Error),
    /// It was saved in another form.
    #[error(
        "the saved state has version {found}, this program reads version {VERSION}; \
         begin a new state file"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// It is not what was saved.
    #[error(
        "the saved state was changed since it was written: its hash is {found}, and the file says \
         {expected}"
    )]
    Changed {
        /// The hash that the file says.
        expected: Hash<32>,
        /// The hash of what is in it.
        found: Hash<32>,
    },
    /// It has too many issuers to be read again.
    #[error("the state has {bytes} bytes, and the most that is read is {STATE_FILE}")]
    Long {
        /// Its length.
        bytes: usize,
    },
    /// It is of another network.
    #[error(
        "the saved state is of network {state} (genesis {state_genesis}), not {network} (genesis {genesis})"
    )]
    Network {
        /// The state's network.
        state: String,
        /// The state's genesis hash.
        state_genesis: Hash<32>,
        /// The network that was expected.
        network: String,
        /// Its genesis hash.
        genesis: Hash<32>,
    },
    /// It was made with another first epoch of Conway, on which its nonces depend.
    #[error(
        "the saved state was made with {} for the first epoch of Conway, not {}; begin a new state file",
        known(*.state), known(*.network)
    )]
    Conway {
        /// The epoch by the state.
        state: Option<u64>,
        /// The epoch by the network.
        network: Option<u64>,
    },
    /// Its parts contradict each other.
    #[error(
        "the saved state has nonces of epoch {nonces}, but its block at slot {slot} is of epoch {block}"
    )]
    Epoch {
        /// Epoch of the nonces.
        nonces: u64,
        /// Slot of the block.
        slot: u64,
        /// Epoch of the block.
        block: u64,
    },
    /// The chain ends before the state.
    #[error("the saved state stands at slot {slot}, the database ends at {}", end(*.last))]
    Short {
        /// Slot of the state.
        slot: u64,
        /// Slot of the last block in the last chunk, if it has any.
        last: Option<u64>,
    },
    /// The chunk that should have the block of the state could not be read.
    #[error("the saved state stands at slot {slot}, but {reason}")]
    NotRead {
        /// Slot of the state.
        slot: u64,
        /// The chunk, and why it could not be read.
        reason: String,
    },
    /// The chain has another block at the slot of the state.
    #[error(
        "the saved state stands at slot {slot} after block {expected}, the database has block {found} there"
    )]
    OtherBlock {
        /// Slot of the state.
        slot: u64,
        /// Hash of the state's block.
        expected: Hash<32>,
        /// Hash of the block in the database.
        found: Hash<32>,
    },
    /// The chain has the block of the state, with another number or of another era.
    #[error(
        "the saved state stands at slot {slot} after block {expected_number} of {expected_era}, \
         the database has block {number} of {era} there"
    )]
    OtherPlace {
        /// Slot of the state.
        slot: u64,
        /// Number of the block by the state.
        expected_number: u64,
        /// Era of the block by the state.
        expected_era: Era,
        /// Number of the block in the database.
        number: u64,
        /// Era of the block in the database.
        era: Era,
    },
    /// The chain has no readable block at the slot of the state.
    #[error("the saved state stands at slot {slot}, where chunk {chunk:05} has no readable block")]
    NoBlock {
        /// Slot of the state.
        slot: u64,
        /// The chunk that should have it.
        chunk: u64,
    },
}

impl From<&Place> for LastBlock {
    fn from(place: &Place) -> LastBlock {
        let Place {
            era,
            boundary,
            slot,
            number,
            hash,
            ..
        } = *place;
        LastBlock {
            era,
            boundary,
            slot,
            number,
            hash,
        }
    }
}

fn known(epoch: Option<u64>) -> String {
    epoch.map_or_else(|| "none".into(), |epoch| epoch.to_string())
}

fn end(last: Option<u64>) -> String {
    last.map_or_else(|| "an earlier chunk".into(), |slot| format!("slot {slot}"))
}

impl SavedState {
    /// The point after `block`. The caller has verified all claims up to it, and nothing there is in doubt:
    /// the walk from here on relies on its nonces. `None` if the walk had no nonces to carry along, as with
    /// [`Start::Anywhere`](crate::Start::Anywhere).
    #[must_use]
    pub fn after(network: &Network, block: &Block) -> Option<SavedState> {
        Some(SavedState {
            network: network.name().to_owned(),
            genesis_hash: network.genesis_hash(),
            conway: network.era_starts().conway,
            last: LastBlock::from(&block.place),
            nonces: block.nonces.clone()?,
        })
    }

    /// Whether the state is of `network` and agrees with itself.
    pub(crate) fn check(&self, network: &Network) -> Result<(), StateError> {
        if self.genesis_hash != network.genesis_hash() {
            return Err(StateError::Network {
                state: self.network.clone(),
                state_genesis: self.genesis_hash,
                network: network.name().to_owned(),
                genesis: network.genesis_hash(),
            });
        }
        let conway = network.era_starts().conway;
        if self.conway != conway {
            return Err(StateError::Conway {
                state: self.conway,
                network: conway,
            });
        }
        let LastBlock { slot, era, .. } = self.last;
        // The nonces start with Shelley; before, they do not change.
        let block = if era == Era::Byron {
            0
        } else {
            network.epoch(slot)
        };
        if self.nonces.epoch != block {
            return Err(StateError::Epoch {
                nonces: self.nonces.epoch,
                slot,
                block,
            });
        }
        Ok(())
    }
}

/// A state as a file keeps it: a [`SavedState`], alone or with what a caller keeps beside it.
pub trait StateFile: Serialize + DeserializeOwned {
    /// Reads a state from JSON.
    ///
    /// # Errors
    /// [`StateError::Json`], [`StateError::Version`], [`StateError::Changed`].
    fn from_json(json: &str) -> Result<Self, StateError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        // First the version alone: another one may have any form.
        let Version { version } = serde_json::from_str(json)?;
        if version != VERSION {
            return Err(StateError::Version { found: version });
        }
        let Sealed { hash, state, .. } = serde_json::from_str::<Sealed<Self>>(json)?;
        let found = content_hash(&state)?;
        if hash != found {
            return Err(StateError::Changed {
                expected: hash,
                found,
            });
        }
        // A field that was passed over is in no hash.
        let whole = serde_json::from_str::<Sealed<Value>>(json)?.state;
        if whole != serde_json::to_value(&state)? {
            return Err(serde_json::Error::custom("it has more than the fields of a state").into());
        }
        Ok(state)
    }

    /// The state as JSON, with a line for each value, and with its hash.
    ///
    /// # Errors
    /// [`StateError::Json`].
    fn to_json(&self) -> Result<String, StateError> {
        let sealed = Sealed {
            version: VERSION,
            hash: content_hash(self)?,
            state: self,
        };
        Ok(serde_json::to_string_pretty(&sealed)? + "\n")
    }

    /// Reads a state from a regular file of at most 16 MiB.
    ///
    /// # Errors
    /// [`StateError::Read`], and those of [`from_json`](Self::from_json).
    fn load(path: &Path) -> Result<Self, StateError> {
        let bytes = klero_support::read(path, STATE_FILE)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let error = io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text");
            ReadError::new(path, error)
        })?;
        Self::from_json(&text)
    }

    /// Writes the state to a file, which appears whole or not at all: a crash leaves the old
    /// one or the new.
    ///
    /// # Errors
    /// [`StateError::Write`], [`StateError::Long`].
    fn save(&self, path: &Path) -> Result<(), StateError> {
        let json = self.to_json()?;
        if json.len() as u64 > STATE_FILE {
            return Err(StateError::Long { bytes: json.len() });
        }
        let mut output = Output::create(path)?;
        output
            .write_all(json.as_bytes())
            .map_err(|error| WriteError::Io(output.name().to_owned(), error))?;
        Ok(output.commit()?)
    }
}

impl StateFile for SavedState {}

fn content_hash(state: &impl Serialize) -> Result<Hash<32>, StateError> {
    Ok(blake2b_256(&[&serde_json::to_vec(state)?]))
}
