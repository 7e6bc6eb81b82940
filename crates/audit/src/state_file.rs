//! The state file of an audit: read when it begins, and written each time that the frontier has passed
//! an epoch, and at the end.

use std::collections::BTreeSet;
use std::path::Path;

use klero_cardano::{Counters, NonceState, SavedState, StateError, StateFile as _};
use klero_support::Output;

use crate::check::{Check, names};
use crate::error::AuditError;
use crate::frontier::{Checkpoint, Passed};
use crate::nonces::Nonces;
use crate::report::{ExpectedBlock, Report};
use crate::state::{Saved, State, Totals};
use crate::tally::{Known, Tally};

/// A state file, which need not exist yet.
#[derive(Debug)]
pub(crate) struct StateFile {
    loaded: Option<State>,
    saved: Saved,
}

impl StateFile {
    /// Reads the file, if it exists, and tests whether it can be written: better now than
    /// after hours.
    pub(crate) fn open(path: &Path) -> Result<Self, AuditError> {
        let loaded = match State::load(path) {
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
            after: loaded.as_ref().map(|state| state.walk.last.clone()),
            advanced: false,
            totals: totals_of(loaded.as_ref()),
            error: None,
        };
        Ok(Self { loaded, saved })
    }

    /// The state that was in the file.
    pub(crate) fn loaded(&self) -> Option<&SavedState> {
        self.loaded.as_ref().map(|state| &state.walk)
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
        let NonceState { epoch, eta0, .. } = state.walk.nonces;
        let mut known = Known {
            counters,
            nonces: Nonces::after(epoch, eta0),
            tied: state.tied,
            wrong: self.saved.totals.wrong,
            found: state.found.iter().map(ExpectedBlock::from).collect(),
        };
        let last = ExpectedBlock::from((&state.walk.last.slot, &state.walk.last.hash));
        if expected.contains(&last) {
            known.found.insert(last);
            known.tied = Some(last.slot);
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

    /// Writes the state at a checkpoint of the audit that has this report. Of the expected blocks
    /// that were `found`, it has those up to there.
    pub(crate) fn save(
        &mut self,
        report: &Report,
        found: &BTreeSet<ExpectedBlock>,
        passed: Passed<'_>,
    ) {
        let Passed {
            checkpoint,
            numbers,
        } = passed;
        let Some(walk) = SavedState::after(&report.network, &checkpoint.block) else {
            return;
        };
        let found = found.iter();
        let found = found.take_while(|block| block.slot <= walk.last.slot);
        let state = State {
            checks: names(&report.checks),
            certificate_numbers: numbers,
            tied: checkpoint.tied,
            found: found.map(|block| (block.slot, block.hash)).collect(),
            totals: totals_of(self.loaded.as_ref()).and(checkpoint),
            walk,
        };
        let saved = &mut self.saved;
        match state.save(&saved.path) {
            Ok(()) => {
                saved.after = Some(state.walk.last);
                saved.advanced = true;
                saved.totals = state.totals;
                saved.error = None;
            }
            Err(error) => saved.error = Some(error.to_string()),
        }
    }

    /// Writes the state at the end of an audit, if it moved.
    pub(crate) fn close(mut self, tally: &Tally) -> Saved {
        if let Some(passed) = tally.frontier.last() {
            self.save(&tally.report, &tally.found, passed);
        }
        self.saved
    }
}

impl Totals {
    fn and(self, checkpoint: &Checkpoint) -> Self {
        let Checkpoint { counts, wrong, .. } = checkpoint;
        // The numbers of the file are not trusted.
        Self {
            blocks: self.blocks.saturating_add(counts.blocks),
            byron_blocks: self.byron_blocks.saturating_add(counts.byron_blocks),
            proofs: self.proofs.saturating_add(counts.valid),
            kes: self.kes.saturating_add(counts.kes.valid),
            leaders: self.leaders.saturating_add(counts.leaders.valid),
            certificates: self.certificates.saturating_add(counts.certificates.valid),
            bodies: self.bodies.saturating_add(counts.bodies.valid),
            wrong: self.wrong.saturating_add(*wrong),
        }
    }
}

fn totals_of(state: Option<&State>) -> Totals {
    state.map(|state| state.totals).unwrap_or_default()
}

fn refused(path: &Path, error: StateError) -> AuditError {
    AuditError::State {
        path: path.to_owned(),
        error: Box::new(error),
    }
}
