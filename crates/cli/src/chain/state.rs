//! The state file: where a run stands, so that the next one reads only what is new.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use klero_cardano::{Block, LastBlock, Network, SavedState, StateError};
use serde::Serialize;

use super::judge::Counts;
use crate::error::Error;

/// The last block up to which all is well.
///
/// What is wrong with a block may only show in its successor, which then does not name
/// it. So a block counts when the next one was well, too, or there was no next one.
#[derive(Default)]
pub struct Frontier {
    sure: Option<Stand>,
    newest: Option<Stand>,
    stopped: bool,
}

/// A block, and what this run counted up to it.
pub struct Stand {
    block: Box<Block>,
    counts: Counts,
}

impl Frontier {
    /// All is well with the next block.
    pub fn advance(&mut self, block: Box<Block>, counts: Counts) {
        if !self.stopped {
            self.sure = self.newest.replace(Stand { block, counts });
        }
    }

    /// Something is wrong: it goes no further.
    pub fn stop(&mut self) {
        if !self.stopped {
            self.stopped = true;
            self.newest = None;
        }
    }

    fn stand(self) -> Option<Stand> {
        self.newest.or(self.sure)
    }
}

/// A state file, which need not exist yet.
pub struct StateFile {
    path: PathBuf,
    loaded: Option<SavedState>,
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
    /// Reads the file, if there is one.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let loaded = match fs::metadata(path) {
            Ok(_) => {
                let state = SavedState::load(path);
                Some(state.map_err(|error| refused(path, words(&error)))?)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Better now than after hours.
                let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
                if let Some(dir) = parent.filter(|dir| !dir.is_dir()) {
                    return Err(refused(
                        path,
                        format_args!("no directory {}", dir.display()),
                    ));
                }
                None
            }
            Err(error) => return Err(refused(path, error)),
        };
        Ok(Self {
            path: path.to_owned(),
            loaded,
        })
    }

    /// The state that was in the file.
    pub fn loaded(&self) -> Option<&SavedState> {
        self.loaded.as_ref()
    }

    /// That the state in the file cannot be used, and why.
    pub fn refused(&self, why: impl std::fmt::Display) -> Error {
        refused(&self.path, why)
    }

    /// Writes how far a run came, if it came any further.
    pub fn save(self, network: &Network, frontier: Frontier) -> Saved {
        let before = Totals::of(self.loaded.as_ref());
        let mut saved = Saved {
            path: self.path,
            after: self.loaded.map(|state| state.last),
            advanced: false,
            totals: before,
            error: None,
        };
        let Some(Stand { block, counts }) = frontier.stand() else {
            return saved;
        };
        let Some(mut state) = SavedState::after(network, &block) else {
            return saved;
        };
        let totals = before.and(&counts);
        state.totals.extend([
            (BLOCKS.to_owned(), totals.blocks),
            (BYRON_BLOCKS.to_owned(), totals.byron_blocks),
            (PROOFS.to_owned(), totals.proofs),
        ]);
        match state.save(&saved.path) {
            Ok(()) => {
                saved.after = Some(state.last);
                saved.advanced = true;
                saved.totals = totals;
            }
            Err(error) => saved.error = Some(words(&error)),
        }
        saved
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

/// The error without the name of the file, which the caller says.
fn words(error: &StateError) -> String {
    match error {
        StateError::Io { error, .. } => error.to_string(),
        other => other.to_string(),
    }
}

fn refused(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::at(format_args!("state {}", path.display()), why)
}
