//! The state file: where an audit ended, so that the next one reads only what is new.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use klero_cardano::{Counters, LastBlock, Network, SavedState, StateError};
use klero_files::Output;
use serde::Serialize;

use crate::check::{Check, names};
use crate::error::AuditError;
use crate::frontier::{Checkpoint, Frontier, Passed};
use crate::report::ExpectedBlock;
use crate::tally::Known;

/// A state file, which need not exist yet.
#[derive(Debug)]
pub(crate) struct StateFile {
    loaded: Option<SavedState>,
    saved: Saved,
}

/// What became of a state file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Saved {
    /// The file.
    pub path: PathBuf,
    /// The block after which the next audit starts; `None` if there is no state.
    pub after: Option<LastBlock>,
    /// Whether this audit moved it.
    pub advanced: bool,
    /// What was checked up to it since the first block of the chain, by this audit and earlier
    /// ones.
    pub totals: Totals,
    /// Why the file could not be written.
    pub error: Option<String>,
}

/// What all audits with one state file checked together, and found valid; and what they found
/// wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Blocks.
    pub blocks: u64,
    /// Blocks of Byron among them.
    pub byron_blocks: u64,
    /// Proofs.
    pub proofs: u64,
    /// KES signatures.
    pub kes: u64,
    /// Operational certificates, one for each block.
    pub certificates: u64,
    /// Block bodies.
    pub bodies: u64,
    /// Things that are wrong: faults, and what is invalid.
    pub wrong: u64,
}

/// Names of the totals in the file.
const BLOCKS: &str = "blocks";
const BYRON_BLOCKS: &str = "byron_blocks";
const PROOFS: &str = "proofs";
const KES: &str = "kes";
const CERTIFICATES: &str = "certificates";
const BODIES: &str = "bodies";
const WRONG: &str = "wrong";

impl StateFile {
    /// Reads the file, if it exists, and tests whether it can be written: better now than
    /// after hours.
    pub(crate) fn open(path: &Path) -> Result<Self, AuditError> {
        let loaded = match SavedState::load(path) {
            Ok(state) => Some(state),
            Err(StateError::Read(error)) if error.is_not_found() => None,
            Err(error) => return Err(refused(path, error)),
        };
        let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        if let Some(dir) = parent.filter(|dir| !dir.is_dir()) {
            return Err(AuditError::StateDirectory {
                path: path.to_owned(),
                dir: dir.to_owned(),
            });
        }
        let trial = Output::create(path).map_err(|error| refused(path, error.into()))?;
        trial.discard();
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
    pub(crate) fn loaded(&self) -> Option<&SavedState> {
        self.loaded.as_ref()
    }

    /// The error that the state in the file cannot be used.
    pub(crate) fn refused(&self, error: StateError) -> AuditError {
        refused(&self.saved.path, error)
    }

    /// Refuses to go on with a check that the audits before did not make.
    pub(crate) fn admit(&self, checks: &BTreeSet<Check>) -> Result<(), AuditError> {
        let Some(loaded) = &self.loaded else {
            return Ok(());
        };
        let new = checks
            .iter()
            .filter(|check| !loaded.checks.contains(check.name()));
        let new: Vec<Check> = new.copied().collect();
        if new.is_empty() {
            return Ok(());
        }
        let path = self.saved.path.clone();
        let before = Check::ALL
            .into_iter()
            .filter(|check| loaded.checks.contains(check.name()))
            .collect();
        Err(AuditError::MoreChecks { path, before, new })
    }

    /// What is known at the loaded state, where these blocks are expected.
    pub(crate) fn known(&self, expected: &BTreeSet<ExpectedBlock>) -> Known {
        let counters = self.counters();
        let Some(state) = &self.loaded else {
            return Known::default();
        };
        let mut known = Known {
            counters,
            tied: state.tied,
            doubt: state.doubt.clone(),
            wrong: self.saved.totals.wrong,
            found: state.found.iter().map(ExpectedBlock::from).collect(),
        };
        let last = ExpectedBlock::from((&state.last.slot, &state.last.hash));
        if expected.contains(&last) {
            known.found.insert(last);
            if known.wrong == 0 {
                known.tied = Some(last.slot);
            }
        }
        known
    }

    /// The last certificate numbers up to the loaded state.
    fn counters(&self) -> Counters {
        let mut counters = Counters::since_first_block();
        for (issuer, number) in self
            .loaded
            .iter()
            .flat_map(|state| &state.certificate_numbers)
        {
            counters.set(*issuer, *number);
        }
        counters
    }

    /// Writes the state at a checkpoint, up to which these checks were made. Of the expected blocks
    /// that were found, it has those up to there.
    pub(crate) fn save(
        &mut self,
        network: &Network,
        checks: &BTreeSet<Check>,
        found: &BTreeSet<ExpectedBlock>,
        passed: Passed<'_>,
    ) {
        let Passed {
            checkpoint,
            numbers,
        } = passed;
        let Some(mut state) = SavedState::after(network, &checkpoint.block, &checkpoint.doubt)
        else {
            return;
        };
        let totals = Totals::of(self.loaded.as_ref()).and(checkpoint);
        state.checks = names(checks);
        state.certificate_numbers = numbers;
        state.tied = checkpoint.tied;
        let up_to = found
            .iter()
            .take_while(|block| block.slot <= state.last.slot);
        state.found = up_to.map(|block| (block.slot, block.hash)).collect();
        state.totals.extend([
            (BLOCKS.to_owned(), totals.blocks),
            (BYRON_BLOCKS.to_owned(), totals.byron_blocks),
            (PROOFS.to_owned(), totals.proofs),
            (KES.to_owned(), totals.kes),
            (CERTIFICATES.to_owned(), totals.certificates),
            (BODIES.to_owned(), totals.bodies),
            (WRONG.to_owned(), totals.wrong),
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

    /// Writes the state at the end of an audit, if it moved.
    pub(crate) fn close(
        mut self,
        network: &Network,
        checks: &BTreeSet<Check>,
        found: &BTreeSet<ExpectedBlock>,
        frontier: &Frontier,
    ) -> Saved {
        if let Some(passed) = frontier.last() {
            self.save(network, checks, found, passed);
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
            kes: get(KES),
            certificates: get(CERTIFICATES),
            bodies: get(BODIES),
            wrong: get(WRONG),
        }
    }

    fn and(self, checkpoint: &Checkpoint) -> Self {
        let Checkpoint { counts, wrong, .. } = checkpoint;
        // The numbers of the file are not trusted.
        Self {
            blocks: self.blocks.saturating_add(counts.blocks),
            byron_blocks: self.byron_blocks.saturating_add(counts.byron_blocks),
            proofs: self.proofs.saturating_add(counts.valid),
            kes: self.kes.saturating_add(counts.kes.valid),
            certificates: self.certificates.saturating_add(counts.certificates.valid),
            bodies: self.bodies.saturating_add(counts.bodies.valid),
            wrong: self.wrong.saturating_add(*wrong),
        }
    }
}

fn refused(path: &Path, error: StateError) -> AuditError {
    AuditError::State {
        path: path.to_owned(),
        error: Box::new(error),
    }
}
