//! A node's ledger state beside the chain: its stake, and what headers fix as well.
//!
//! That is its last block and the nonces after it, which are compared once. Nonces are left out where the
//! audit does not know them, because it began later or something before is wrong, and the report says so.

use klero_cardano::{Block, Checksum, Fault, LastBlock, LedgerState};

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
    /// True if its nonces were compared. Not after another block, in an audit that computes none, nor where
    /// one is in doubt.
    pub nonces_compared: bool,
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

/// A ledger state while the chain is read.
pub(crate) struct Beside {
    state: LedgerState,
    /// The comparison, when it was made: whether also of the nonces, and what is different.
    found: Option<(bool, Vec<Fault>)>,
}

impl Beside {
    /// A state beside a chain that is not read yet.
    pub(crate) fn new(state: LedgerState) -> Self {
        Self { state, found: None }
    }

    /// Whether this is a block at the slot of the state, the first one.
    pub(crate) fn is_at(&self, block: &Block) -> bool {
        self.found.is_none() && block.place.slot == self.state.last.slot
    }

    /// Compares the state with the chain after such a block; its nonces, if none is in doubt.
    pub(crate) fn compare(&mut self, block: &Block, sure_of_nonces: bool) -> Vec<Fault> {
        let last = LastBlock::from(&block.place);
        let nonces = block.nonces.as_ref().filter(|_| sure_of_nonces);
        let differences = self.state.compare(&last, nonces);
        let nonces_compared = nonces.is_some() && last == self.state.last;
        self.found = Some((nonces_compared, differences.clone()));
        differences
    }

    /// The place of the chain, whose last block so far is at slot `tip`, to its last block.
    pub(crate) fn place(
        &self,
        origin: &Origin,
        first: Option<u64>,
        tip: Option<u64>,
    ) -> LedgerPlace {
        let slot = self.state.last.slot;
        let is_before = match origin {
            Origin::After(last) => last.slot >= slot,
            Origin::Genesis | Origin::EpochNonces(_) => first.is_some_and(|first| first > slot),
        };
        match &self.found {
            Some(_) => LedgerPlace::Found,
            None if is_before => LedgerPlace::Before,
            None if tip.is_some_and(|tip| tip >= slot) => LedgerPlace::Absent,
            None => LedgerPlace::NotReached,
        }
    }

    /// The comparison, once nothing more comes. `tip` is the slot of the last block up to which all was read.
    pub(crate) fn finish(self, origin: &Origin, first: Option<u64>, tip: Option<u64>) -> Ledger {
        let place = self.place(origin, first, tip);
        let (nonces_compared, differences) = self.found.unwrap_or_default();
        Ledger {
            checksum: self.state.checksum,
            last: self.state.last,
            place,
            nonces_compared,
            differences,
        }
    }
}
