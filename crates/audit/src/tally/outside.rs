//! What is known from elsewhere, beside the chain: expected blocks, checkpoints, nonces and a ledger
//! state.

use klero_cardano::{Block, Fault};

use super::Tally;
use crate::anchor::OtherNonce;
use crate::nonces::computed;
use crate::report::ExpectedBlock;

impl Tally {
    /// The next block is found, if it is an expected one or that of a checkpoint.
    pub(super) fn meet(&mut self, block: &Block) {
        let (slot, hash) = (block.place.slot, block.place.hash);
        let expected = &self.report.expected_blocks;
        let found = ExpectedBlock { slot, hash };
        if expected
            .binary_search_by_key(&found, |(block, _)| *block)
            .is_ok()
        {
            self.anchor.find(slot);
            self.found.insert(found);
        }
        let number = block.place.number;
        let checkpoint = self.report.checkpoints.get(&number);
        // A boundary block has the number of the block before it, which is the one that is meant.
        match checkpoint.filter(|_| !block.place.boundary) {
            None => {}
            Some(expected) if *expected == hash => {
                self.anchor.find(slot);
                self.report.checkpoints_met += 1;
            }
            Some(&expected) => {
                self.fault(Fault::ExpectedBlock { number, expected }, block);
            }
        }
    }

    /// The next block, which the ledger state is compared with if it is the state's last one.
    pub(super) fn beside(&mut self, block: &Block) {
        let Some(ledger) = self.ledger.as_mut().filter(|ledger| ledger.is_at(block)) else {
            return;
        };
        let sure_of_nonces = !self.nonces.are_in_doubt();
        for difference in ledger.compare(block, sure_of_nonces) {
            self.fault(difference, block);
        }
    }

    /// The nonce of the block's epoch, which is compared with the known one.
    pub(super) fn compare_nonce(&mut self, block: &Block) {
        let is_sure = !self.nonces.are_in_doubt();
        let nonce = computed(block).filter(|_| is_sure);
        let of_epoch = (block.epoch, block.place.slot);
        let compared = self.anchor.pass(&self.report.network, of_epoch, nonce);
        if let Err(OtherNonce { expected, found }) = compared {
            self.fault(Fault::EpochNonce { expected, found }, block);
        }
    }
}
