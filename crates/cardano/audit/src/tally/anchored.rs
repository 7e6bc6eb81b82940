//! Comparison of the chain with what is known from elsewhere: anchors, built-in nonces and a ledger state.

use klero_cardano::{Block, Fault, Finding, Hash, Location};

use super::Tally;
use crate::anchor::{Anchor, Key, Met, anchors_at};
use crate::ledger::Ledger;
use crate::nonces::computed;
use crate::state::State;

impl Tally {
    /// Compares the next block with what is known about it.
    pub(super) fn meet(&mut self, block: &Block) {
        self.meet_hash(block.place.slot, block.place.hash);
        // A boundary block has the same number as the block before it. A checkpoint with this number is about
        // the earlier block.
        if !block.place.boundary {
            self.meet_number(block);
        }
        self.meet_ledger(block);
        // If something is wrong or has no verdict, blocks may be out of place, and a missing one may follow.
        // Then blocks are reported as missing only at the end of the chain.
        let in_order = block.linked && self.is_clean();
        if let Some(tip) = self.report.tip.as_ref().filter(|_| in_order) {
            self.pass(tip.slot, block.chunk);
        }
    }

    /// Looks for the block among the expected blocks.
    fn meet_hash(&mut self, slot: u64, hash: Hash<32>) {
        for (anchor, met) in anchors_at(&mut self.report.anchors, Key::Block(slot)) {
            if *anchor == (Anchor::Block { slot, hash }) {
                met.compare(true);
                self.ties.find(slot);
            }
        }
    }

    /// Compares the block with the checkpoint for its number, if there is one.
    fn meet_number(&mut self, block: &Block) {
        let (number, hash) = (block.place.number, block.place.hash);
        let anchors = anchors_at(&mut self.report.anchors, Key::Number(number));
        let Some((Anchor::Number { hash: expected, .. }, met)) = anchors.first_mut() else {
            return;
        };
        let expected = *expected;
        let agrees = expected == hash;
        met.compare(agrees);
        if agrees {
            self.ties.find(block.place.slot);
        } else {
            self.fault(Fault::ExpectedBlock { expected }, block);
        }
    }

    /// Compares the nonce of the block's epoch with the known nonce.
    pub(super) fn compare_nonce(&mut self, block: &Block) {
        let is_sure = !self.nonces.are_in_doubt();
        let nonce = computed(block).filter(|_| is_sure);
        let epoch = block.epoch;
        let network = &self.report.network;
        let compared = self.ties.pass(network, (epoch, block.place.slot), nonce);
        self.judged(block, compared);
        let Some(nonce) = nonce else { return };
        for (anchor, met) in anchors_at(&mut self.report.anchors, Key::Nonce(epoch)) {
            met.compare(*anchor == Anchor::Nonce { epoch, nonce });
        }
    }

    /// Compares the ledger state's last block with the first block of the chain that has the same slot.
    fn meet_ledger(&mut self, block: &Block) {
        let (slot, hash) = (block.place.slot, block.place.hash);
        let is_sure = !self.nonces.are_in_doubt();
        let nonces = block.nonces.as_ref().filter(|_| is_sure);
        let Some(ledger) = self.ledger_at(slot) else {
            return;
        };
        for difference in ledger.meet(hash, nonces) {
            self.fault(difference, block);
        }
    }

    /// Returns the ledger state if its last block has this slot and is not compared yet.
    fn ledger_at(&mut self, slot: u64) -> Option<&mut Ledger> {
        let ledger = self.report.ledger.as_mut();
        ledger.filter(|ledger| ledger.met == Met::NotReached && ledger.last.slot == slot)
    }

    /// Compares the last block of a saved state, and the nonces after it, with what is known about them.
    pub(super) fn meet_state(&mut self, state: &State) {
        for (anchor, met) in &mut self.report.anchors {
            if state.met.contains(anchor) {
                *met = Met::Yes;
            }
        }
        let (slot, hash) = (state.last.slot, state.last.hash);
        self.meet_hash(slot, hash);
        let differences = self
            .ledger_at(slot)
            .map(|ledger| ledger.meet(hash, Some(&state.nonces)));
        for difference in differences.into_iter().flatten() {
            self.fault_at(
                difference,
                self.report.network.chunk(slot),
                (slot, Some(hash)),
            );
        }
    }

    /// Records that the chain has passed a slot. If an expected block, or the ledger state's last block,
    /// should have come by then but was not found, this is a fault in `chunk`.
    fn pass(&mut self, slot: u64, chunk: u64) {
        let Some(first) = self.first.filter(|_| !self.report.unread_files) else {
            return;
        };
        let mut lacking = Vec::new();
        for (anchor, met) in &mut self.report.anchors[self.passed_anchors..] {
            let Anchor::Block { slot: at, hash } = *anchor else {
                break;
            };
            if at > slot {
                break;
            }
            self.passed_anchors += 1;
            if *met == Met::NotReached && at >= first {
                *met = Met::No;
                lacking.push((at, Fault::ExpectedBlock { expected: hash }));
            }
        }
        if let Some(ledger) = &mut self.report.ledger
            && ledger.met == Met::NotReached
            && (first..=slot).contains(&ledger.last.slot)
        {
            lacking.push((ledger.last.slot, ledger.lack(None)));
        }
        for (slot, fault) in lacking {
            self.fault_at(fault, chunk, (slot, None));
        }
    }

    /// Reports blocks that are missing at the end, and compares the last block read with the expected tip.
    pub(super) fn end(&mut self) {
        let tip = self.report.tip.as_ref();
        // After a boundary block, a block with the same slot can follow. So this slot is not passed yet.
        let passed = tip.and_then(|tip| tip.slot.checked_sub(u64::from(tip.boundary)));
        let tip = tip.map(|tip| (tip.slot, tip.hash));
        let slot = tip.map_or(0, |(slot, _)| slot);
        let chunk = self.last.as_ref().map(|last| last.chunk);
        let chunk = chunk.unwrap_or_else(|| self.report.network.chunk(slot));
        if let Some(passed) = passed {
            self.pass(passed, chunk);
        }
        let report = &mut self.report;
        let is_whole = !(report.interrupted || report.incomplete || report.half_written);
        let anchors = anchors_at(&mut report.anchors, Key::Tip);
        let Some((Anchor::Tip { slot: at, hash }, met)) = anchors.first_mut() else {
            return;
        };
        let (at, expected) = (*at, *hash);
        if tip == Some((at, expected)) {
            *met = Met::Yes;
            self.ties.find(at);
        } else if is_whole || passed >= Some(at) {
            *met = Met::No;
            let place = (slot, tip.map(|(_, hash)| hash));
            self.fault_at(Fault::ExpectedBlock { expected }, chunk, place);
        }
    }

    /// Records a fault at a slot, which need not have a block. The fault is noticed in `chunk`.
    fn fault_at(&mut self, fault: Fault, chunk: u64, (slot, hash): (u64, Option<Hash<32>>)) {
        let at = Location {
            chunk,
            slot: Some(slot),
            hash,
            ..Location::default()
        };
        self.take(Finding::new(fault, at));
    }
}
