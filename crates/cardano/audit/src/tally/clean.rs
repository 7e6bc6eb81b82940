//! Saved states. A state is made at the end of an epoch if everything is clean up to there.

use klero_cardano::{Block, LastBlock, Severity};

use super::Tally;
use crate::anchor::Met;
use crate::nonces::Nonces;
use crate::state::State;
use crate::ties::Ties;

impl Tally {
    /// Continues from the state in the file.
    pub(crate) fn go_on_from(&mut self, state: State) {
        for (issuer, number) in &state.certificate_numbers {
            self.counters.set(*issuer, *number);
        }
        self.nonces = Nonces::after(state.nonces.epoch, state.nonces.eta0);
        let slot = state.last.slot;
        let epoch = self.report.network.epoch(slot);
        self.ties = Ties::after(epoch, slot, state.tied, state.ties);
        self.meet_state(&state);
        self.met_before = state.met;
    }

    /// Returns the state after the last block, if the next block begins an epoch and everything is clean so
    /// far. Damage to a block may be noticed only at the block after it. So the caller saves the state only
    /// if the next block is clean as well.
    pub(super) fn ended_epoch(&self, next: &Block) -> Option<State> {
        let mut totals = self.counted_before?;
        let last = self.last.as_ref()?;
        if last.epoch >= next.epoch || !self.is_clean() {
            return None;
        }
        totals += self.report.totals;
        let network = &self.report.network;
        let anchors = self.report.anchors.iter();
        let met = anchors.filter(|(anchor, met)| *met == Met::Yes && anchor.must_be_met());
        Some(State {
            network: network.name().to_owned(),
            genesis_hash: network.genesis_hash(),
            conway: network.era_starts().conway,
            checks: self.report.checks.clone(),
            last: LastBlock::from(&last.place),
            nonces: last.nonces.clone()?,
            certificate_numbers: self.counters.iter().collect(),
            tied: self.ties.tied_slot,
            ties: self.ties.ties(),
            met: met
                .map(|(anchor, _)| anchor)
                .chain(&self.met_before)
                .copied()
                .collect(),
            totals,
        })
    }

    /// True if only warnings were found, the counts are clean, and no nonce is in doubt.
    pub(super) fn is_clean(&self) -> bool {
        let mut found = self.report.found.keys();
        found.all(|name| Severity::of(name) == Severity::Warning)
            && self.report.totals.are_clean()
            && !self.nonces.are_in_doubt()
    }
}
