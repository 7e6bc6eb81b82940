//! The state of an audit at the end of an epoch. Up to the end of this epoch, nothing is wrong, everything
//! was read, and every check was made.
//!
//! An audit that continues from a state reports about each later block exactly what an audit of the whole
//! chain would. No fault is ever passed over: each audit finds a fault again until the fault is repaired.
//! After a repair, the state file need not be deleted.
//!
//! A state file is JSON. It has the network, the last block, the five nonces after that block, and what was
//! checked up to that block. An audit trusts the file, because most of it cannot be compared with the blocks
//! that follow. So the file has a hash of its content, which reveals accidents and edits by hand. The hash
//! does not stop anyone who can write the file, because anyone can compute the hash.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use klero_cardano::{Era, Hash, LastBlock, Network, NonceState};
use klero_lanes::engine;
use klero_support::{Output, WriteError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::anchor::Anchor;
use crate::check::Check;
use crate::counts::Counts;
use crate::error::AuditError;
use crate::hash::blake2b;

/// The version of the file format. Files of other versions are refused. A new check needs a new version.
const VERSION: u32 = 5;

/// The most bytes of a state file. A file has about 2 KB, and 70 bytes for each issuer of blocks.
const LONGEST: u64 = 16 << 20;

/// The content of a state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The name of the chain's network.
    pub network: String,
    /// The hash of the network's Shelley genesis file.
    pub genesis_hash: Hash<32>,
    /// The first epoch of Conway, if it was known. The candidate nonce depends on it.
    pub conway: Option<u64>,
    /// The checks that the audits made.
    pub checks: BTreeSet<Check>,
    /// The last block of the last clean epoch.
    pub last: LastBlock,
    /// The nonces after the last block.
    pub nonces: NonceState,
    /// The last certificate number of each issuer, if numbers were checked.
    pub certificate_numbers: BTreeMap<Hash<28>, u64>,
    /// The slot up to which a known block or nonce shows that the chain belongs to the network.
    pub tied: Option<u64>,
    /// For each of the next two epochs: the slot up to which the chain is shown to belong to the network if
    /// the epoch's nonce proves to be the known one.
    pub ties: [Option<u64>; 2],
    /// The blocks that the caller expected and that the chain has.
    pub met: BTreeSet<Anchor>,
    /// The counts of all audits with the state file, from the first block of the chain up to `last`.
    pub totals: Counts,
}

/// The form of a state in its file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<S> {
    version: u32,
    /// BLAKE2b-256 of the state as JSON without white space and with its fields in the order of [`State`].
    hash: Hash<32>,
    state: S,
}

impl State {
    /// Reads a state from JSON.
    ///
    /// # Errors
    /// [`AuditError::State`], if the text is not JSON of this form, has another version, or was changed since
    /// it was written.
    pub fn from_json(json: &str) -> Result<Self, AuditError> {
        let no_state =
            |error: serde_json::Error| AuditError::State(format!("not a saved state: {error}"));
        let whole: Value = serde_json::from_str(json).map_err(no_state)?;
        // The version is read first, because another version may have any form.
        if let Some(version) = whole.get("version").filter(|version| **version != VERSION) {
            return Err(AuditError::State(format!(
                "the saved state has version {version}, this program reads version {VERSION}; begin a \
                 new state file"
            )));
        }
        let Sealed { hash, state, .. } =
            serde_json::from_str::<Sealed<Self>>(json).map_err(no_state)?;
        let found = state.hash();
        if hash != found {
            return Err(AuditError::State(format!(
                "the saved state was changed since it was written: its hash is {found}, and the file \
                 says {hash}"
            )));
        }
        // Deserialization skips unknown fields, so the hash does not cover them.
        if whole.get("state") != serde_json::to_value(&state).ok().as_ref() {
            let more = "not a saved state: it has more than the fields of one";
            return Err(AuditError::State(more.into()));
        }
        Ok(state)
    }

    /// Returns the state as JSON with its hash. Each value is on its own line.
    pub fn to_json(&self) -> String {
        let sealed = Sealed {
            version: VERSION,
            hash: self.hash(),
            state: self,
        };
        let json = serde_json::to_string_pretty(&sealed);
        json.expect("a state is JSON") + "\n"
    }

    /// Reads a state from a regular file of at most 16 MiB. Returns `None` if there is no file.
    ///
    /// # Errors
    /// [`AuditError::State`], with the name of the file, if the file cannot be read or is not a state.
    pub fn load(path: &Path) -> Result<Option<Self>, AuditError> {
        let text = match klero_support::read_text(path, LONGEST) {
            Ok(text) => text,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(AuditError::State(format!("state: {error}"))),
        };
        let state = Self::from_json(&text);
        state.map(Some).map_err(|error| refused(path, error))
    }

    /// Writes the state to a file as a whole. After a crash, there is either the old file or the new one.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn save(&self, path: &Path) -> Result<(), WriteError> {
        let json = self.to_json();
        if json.len() as u64 > LONGEST {
            let long = format!(
                "the state has {} bytes, expected at most {LONGEST}",
                json.len()
            );
            let path = path.display().to_string();
            return Err(WriteError::Io(path, io::Error::other(long)));
        }
        let mut output = Output::create(path)?;
        output
            .write_all(json.as_bytes())
            .map_err(|error| WriteError::Io(output.name().to_owned(), error))?;
        output.commit()
    }

    fn hash(&self) -> Hash<32> {
        let json = serde_json::to_vec(self).expect("a state is JSON");
        let hashes = blake2b(engine(), [&json[..]].into_iter());
        Hash::new(hashes[0])
    }

    /// Checks that the state is of this network with this start of Conway, that it covers these checks, and
    /// that it does not contradict itself.
    pub(crate) fn check(&self, network: &Network, checks: &BTreeSet<Check>) -> Result<(), String> {
        let genesis = network.genesis_hash();
        if self.genesis_hash != genesis {
            return Err(format!(
                "the saved state is of network {} (genesis {}), not {} (genesis {genesis})",
                self.network,
                self.genesis_hash,
                network.name(),
            ));
        }
        let conway = network.era_starts().conway;
        if self.conway != conway {
            let name = |epoch: Option<u64>| epoch.map_or("none".into(), |epoch| epoch.to_string());
            return Err(format!(
                "the saved state was made with {} for the first epoch of Conway, not {}; begin a new \
                 state file",
                name(self.conway),
                name(conway),
            ));
        }
        // Blocks of Byron do not change the nonces, so the epoch of the nonces is still 0.
        let epoch = match self.last.era {
            Era::Byron => 0,
            _ => network.epoch(self.last.slot),
        };
        if self.nonces.epoch != epoch {
            return Err(format!(
                "the saved state has nonces of epoch {}, but its block at slot {} is of epoch {epoch}",
                self.nonces.epoch, self.last.slot,
            ));
        }
        let new: BTreeSet<Check> = checks - &self.checks;
        if !new.is_empty() {
            return Err(format!(
                "it covers only {}, and this audit is to check {} as well; leave these out, or begin a \
                 new state file",
                list(&self.checks),
                list(&new),
            ));
        }
        Ok(())
    }
}

/// A state file after an audit. The file need not exist before the audit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Saved {
    /// The path of the file.
    pub path: PathBuf,
    /// The block after which the next audit starts; `None` if there is no state.
    pub after: Option<LastBlock>,
    /// The counts of this audit and earlier ones, from the first block of the chain up to `after`.
    pub totals: Counts,
    /// The reason why the file could not be written, if there is one.
    pub error: Option<String>,
}

impl Saved {
    /// Reads the state in the file, if the file exists. Also tests whether the file can be written, because
    /// an audit should fail now rather than after hours.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<State>), AuditError> {
        let state = State::load(path)?;
        let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        if let Some(dir) = parent.filter(|dir| !dir.is_dir()) {
            return Err(refused(path, format!("no directory {}", dir.display())));
        }
        let trial = Output::create(path);
        let trial = trial.map_err(|error| AuditError::State(format!("state: {error}")))?;
        trial.discard();
        let saved = Self {
            path: path.to_owned(),
            after: state.as_ref().map(|state| state.last.clone()),
            totals: state.as_ref().map(|state| state.totals).unwrap_or_default(),
            error: None,
        };
        Ok((saved, state))
    }

    /// Writes the state. Returns the state if this failed.
    pub(crate) fn save(&mut self, state: State) -> Option<State> {
        if let Err(error) = state.save(&self.path) {
            self.error = Some(error.to_string());
            return Some(state);
        }
        self.after = Some(state.last);
        self.totals = state.totals;
        self.error = None;
        None
    }
}

/// The error for a state file that cannot be used.
pub(crate) fn refused(path: &Path, why: impl Display) -> AuditError {
    AuditError::State(format!("state {}: {why}", path.display()))
}

fn list(checks: &BTreeSet<Check>) -> String {
    match checks.is_empty() {
        true => "nothing".into(),
        false => {
            let names: Vec<_> = checks.iter().map(|check| check.name()).collect();
            names.join(", ")
        }
    }
}
