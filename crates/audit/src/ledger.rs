//! A node's ledger state beside the chain: its stake, and what headers fix as well.
//!
//! What they fix is compared once, after the state's last block. Where the audit does not know
//! it, because it began later or something before is wrong, it is left out, and the report says so.

use std::collections::BTreeSet;

use klero_cardano::{
    Block, BlocksMade, ChainState, Checksum, Counters, Fault, LastBlock, Leadership, LedgerState,
};

use crate::origin::Origin;

/// How a ledger state ([`Audit::ledger`](crate::Audit::ledger)) compares with the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// The last block of the state.
    pub last: LastBlock,
    /// How its bytes compare with the CRC-32 that the node wrote beside it.
    pub checksum: Checksum,
    /// Whether the chain has that block.
    pub place: LedgerPlace,
    /// What was compared after it.
    pub compared: Compared,
    /// Everything on which the two disagree. Each is also a finding.
    pub differences: Vec<Fault>,
}

/// Where a chain stands to the last block of a ledger state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerPlace {
    /// The audit did not read so far.
    NotReached,
    /// The audit began after it.
    Before,
    /// The chain has no block at its slot.
    Absent,
    /// The chain has a block at its slot, and the two were compared.
    Found,
}

/// What of a ledger state was compared with the chain, beside its last block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compared {
    /// The five nonces. Not in an audit that computes none, nor where one is in doubt.
    pub nonces: bool,
    /// The certificate counters. Not without [`Check::Certificates`](crate::Check::Certificates), in
    /// an audit that begins anywhere, nor after something wrong.
    pub counters: bool,
    /// The epochs of which the blocks made by pools were compared, of that of the state and the one
    /// before. Not those that the audit does not know from their first block on.
    pub blocks: BTreeSet<u64>,
}

/// What the tally knows of the chain after a block.
pub(crate) struct Known<'a> {
    /// No nonce is in doubt.
    pub sure_of_nonces: bool,
    /// The counters, if no issuer can be missing or in doubt.
    pub counters: Option<&'a Counters>,
}

/// A ledger state while the chain is read.
pub(crate) struct Beside {
    state: LedgerState,
    blocks: BlocksMade,
    /// The comparison, when it was made.
    found: Option<(Compared, Vec<Fault>)>,
}

impl Beside {
    /// A state beside a chain that is read from its first block on, or from any other.
    pub(crate) fn new(state: LedgerState, from_first_block: bool) -> Self {
        let blocks = match from_first_block {
            true => BlocksMade::since_first_block(),
            false => BlocksMade::since_any_block(),
        };
        Self {
            state,
            blocks,
            found: None,
        }
    }

    /// Blocks before the next one may be lost, or of others than they say.
    pub(crate) fn lose_blocks(&mut self) {
        self.blocks = BlocksMade::since_any_block();
    }

    /// Counts the next block.
    pub(crate) fn count(&mut self, block: &Block) {
        let Some(lottery) = &block.lottery else {
            return;
        };
        match block.leadership {
            // The ledger leaves out the slots of the overlay.
            Leadership::Delegate => {}
            Leadership::NotMade => self.lose_blocks(),
            _ => self.blocks.count(block.epoch, lottery.issuer()),
        }
    }

    /// Whether this is a block at the slot of the state, the first one.
    pub(crate) fn is_at(&self, block: &Block) -> bool {
        self.found.is_none() && block.place.slot == self.state.last.slot
    }

    /// Compares the state with the chain after such a block, which is counted.
    pub(crate) fn compare(&mut self, block: &Block, known: &Known<'_>) -> Vec<Fault> {
        let chain = ChainState {
            last: LastBlock::from(&block.place),
            nonces: block.nonces.as_ref().filter(|_| known.sure_of_nonces),
            counters: known.counters,
            blocks: Some(&self.blocks),
        };
        let differences = self.state.compare(&chain);
        let mut compared = Compared::default();
        // Nothing else is compared if the last block is another one.
        if chain.last == self.state.last {
            let epoch = self.state.nonces.epoch;
            let epochs = epoch.checked_sub(1).into_iter().chain([epoch]);
            compared = Compared {
                nonces: chain.nonces.is_some(),
                counters: chain.counters.is_some(),
                blocks: epochs.filter(|of| self.blocks.of(*of).is_some()).collect(),
            };
        }
        self.found = Some((compared, differences.clone()));
        differences
    }

    /// What came of it, once nothing more comes. `tip` is the slot of the last block up to which all
    /// was read.
    pub(crate) fn finish(self, origin: &Origin, first: Option<u64>, tip: Option<u64>) -> Ledger {
        let slot = self.state.last.slot;
        let is_before = match origin {
            Origin::After(last) => last.slot >= slot,
            Origin::Genesis | Origin::EpochNonces(_) => first.is_some_and(|first| first > slot),
        };
        let place = match &self.found {
            Some(_) => LedgerPlace::Found,
            None if is_before => LedgerPlace::Before,
            None if tip.is_some_and(|tip| tip >= slot) => LedgerPlace::Absent,
            None => LedgerPlace::NotReached,
        };
        let (compared, differences) = self.found.unwrap_or_default();
        Ledger {
            checksum: self.state.checksum,
            last: self.state.last,
            place,
            compared,
            differences,
        }
    }
}
