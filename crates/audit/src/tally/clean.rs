//! The end of an epoch up to which all is clean: where a state stands.

use klero_cardano::{Block, LastBlock, Severity};

use super::Tally;
use crate::anchor::Anchor;
use crate::counts::Counts;
use crate::ledger::{Beside, LedgerPlace};
use crate::nonces::Nonces;
use crate::report::ExpectedBlock;
use crate::state::State;

impl Tally {
    /// Keeps states, and goes on from the one in the file, if there is one.
    pub(crate) fn go_on_from(&mut self, state: Option<&State>) {
        self.counted_before = Some(Counts::default());
        let Some(state) = state else { return };
        self.counted_before = Some(state.totals);
        for (issuer, number) in &state.certificate_numbers {
            self.counters.set(*issuer, *number);
        }
        self.nonces = Nonces::after(state.nonces.epoch, state.nonces.eta0);
        let slot = state.last.slot;
        let epoch = self.report.network.epoch(slot);
        self.anchor = Anchor::after(epoch, slot, state.tied, state.ties);
        self.found = state.found.iter().map(ExpectedBlock::from).collect();
        let last = ExpectedBlock::from((&state.last.slot, &state.last.hash));
        let is_expected = |(block, _): &(ExpectedBlock, _)| *block == last;
        if self.report.expected_blocks.iter().any(is_expected) {
            self.found.insert(last);
            self.anchor.tied_slot = Some(last.slot);
        }
    }

    /// The state after the last block, if the next one begins an epoch, and all is clean so far. The damage of
    /// a block may show in its successor, so the next one must be clean as well.
    pub(super) fn ended_epoch(&self, next: &Block) -> Option<State> {
        let mut totals = self.counted_before?;
        let last = self.last.as_ref()?;
        if last.epoch >= next.epoch || !self.is_clean() {
            return None;
        }
        totals += self.report.totals;
        let network = &self.report.network;
        let found = self.found.iter();
        Some(State {
            network: network.name().to_owned(),
            genesis_hash: network.genesis_hash(),
            conway: network.era_starts().conway,
            checks: self.report.checks.clone(),
            last: LastBlock::from(&last.place),
            nonces: last.nonces.clone()?,
            certificate_numbers: self.counters.iter().collect(),
            tied: self.anchor.tied_slot,
            ties: self.anchor.ties(),
            found: found.map(|block| (block.slot, block.hash)).collect(),
            totals,
        })
    }

    /// True if nothing but warnings was found, every verdict was given, and what was expected is there.
    pub(super) fn is_clean(&self) -> bool {
        let report = &self.report;
        let mut found = report.found.keys();
        let tip = report.tip.as_ref().map(|tip| tip.slot);
        let passed = self.first..=tip;
        let mut expected = report.expected_blocks.iter().map(|(block, _)| block);
        let place = |ledger: &Beside| ledger.place(&report.origin, self.first, tip);
        found.all(|name| Severity::of(name) == Severity::Warning)
            && report.totals.are_clean()
            && !self.nonces.are_in_doubt()
            && expected
                .all(|block| !passed.contains(&Some(block.slot)) || self.found.contains(block))
            && self.ledger.as_ref().map(place) != Some(LedgerPlace::Absent)
    }
}
