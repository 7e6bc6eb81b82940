//! The state file: where a run stands, so that the next one reads only what is new.

use std::path::{Path, PathBuf};

use klero_cardano::{LastBlock, Network, SavedState, StateError};
use klero_files::Output;
use serde::Serialize;

use super::counts::Counts;
use super::frontier::{Frontier, Stand};
use crate::error::Error;

/// A state file, which need not exist yet.
pub struct StateFile {
    loaded: Option<SavedState>,
    saved: Saved,
}

/// What became of a state file.
pub struct Saved {
    /// The file.
    pub path: PathBuf,
    /// The block after which the next run goes on, if there is a state.
    pub after: Option<LastBlock>,
    /// Whether this run moved it.
    pub advanced: bool,
    /// What was checked up to it since the first block of the chain, by this run and those
    /// before.
    pub totals: Totals,
    /// Why it could not be written.
    pub error: Option<String>,
}

/// What runs with one state file checked together; all of it was valid.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Totals {
    /// Blocks.
    pub blocks: u64,
    /// Blocks of Byron among them.
    pub byron_blocks: u64,
    /// Proofs.
    pub proofs: u64,
}

/// Names of the totals in the file.
const BLOCKS: &str = "blocks";
const BYRON_BLOCKS: &str = "byron_blocks";
const PROOFS: &str = "proofs";

impl StateFile {
    /// Reads the file, if there is one, and tries whether it can be written: better now than
    /// after hours.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let loaded = match SavedState::load(path) {
            Ok(state) => Some(state),
            Err(StateError::Read(error)) if error.is_not_found() => None,
            Err(error) => return Err(refused(path, &error)),
        };
        let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        if let Some(dir) = parent.filter(|dir| !dir.is_dir()) {
            let what = format!("state {}", path.display());
            return Err(Error::at(
                what,
                format_args!("no directory {}", dir.display()),
            ));
        }
        let tried = Output::create(path).map_err(|error| refused(path, &error.into()))?;
        tried.discard();
        let saved = Saved {
            path: path.to_owned(),
            after: loaded.as_ref().map(|state| state.last.clone()),
            advanced: false,
            totals: Totals::of(loaded.as_ref()),
            error: None,
        };
        Ok(Self { loaded, saved })
    }

    /// The state that was in the file.
    pub fn loaded(&self) -> Option<&SavedState> {
        self.loaded.as_ref()
    }

    /// That the state in the file cannot be used, and why.
    pub fn refused(&self, why: &StateError) -> Error {
        refused(&self.saved.path, why)
    }

    /// Writes how far a run came.
    pub fn save(&mut self, network: &Network, stand: &Stand) {
        let Stand { block, counts } = stand;
        let Some(mut state) = SavedState::after(network, block) else {
            return;
        };
        let totals = Totals::of(self.loaded.as_ref()).and(counts);
        state.totals.extend([
            (BLOCKS.to_owned(), totals.blocks),
            (BYRON_BLOCKS.to_owned(), totals.byron_blocks),
            (PROOFS.to_owned(), totals.proofs),
        ]);
        let saved = &mut self.saved;
        match state.save(&saved.path) {
            Ok(()) => {
                saved.after = Some(state.last);
                saved.advanced = true;
                saved.totals = totals;
                saved.error = None;
            }
            Err(error) => saved.error = Some(error.to_string()),
        }
    }

    /// Writes where a run ended, if it came any further.
    pub fn close(mut self, network: &Network, frontier: &Frontier) -> Saved {
        if let Some(stand) = frontier.stand() {
            self.save(network, stand);
        }
        self.saved
    }
}

impl Totals {
    fn of(state: Option<&SavedState>) -> Self {
        let get = |name| {
            let total = state.and_then(|state| state.totals.get(name));
            total.copied().unwrap_or_default()
        };
        Self {
            blocks: get(BLOCKS),
            byron_blocks: get(BYRON_BLOCKS),
            proofs: get(PROOFS),
        }
    }

    fn and(self, counts: &Counts) -> Self {
        // The file's numbers may be anything.
        Self {
            blocks: self.blocks.saturating_add(counts.blocks),
            byron_blocks: self.byron_blocks.saturating_add(counts.byron_blocks),
            proofs: self.proofs.saturating_add(counts.proofs),
        }
    }
}

fn refused(path: &Path, why: &StateError) -> Error {
    match why {
        // These name the file.
        StateError::Read(_) | StateError::Write(_) => Error::at("state", why),
        _ => Error::at(format_args!("state {}", path.display()), why),
    }
}
