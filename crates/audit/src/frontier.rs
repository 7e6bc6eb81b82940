//! The frontier: the last block up to which everything is valid.

use std::collections::BTreeMap;

use klero_cardano::{Block, Hash};

use crate::counts::Counts;

/// The frontier of an audit.
///
/// The damage of a block may show only in its successor, whose hash link then fails. So a block is
/// confirmed when its successor is valid too, or when there is none.
#[derive(Default)]
pub(crate) struct Frontier {
    confirmed: Option<Checkpoint>,
    /// The valid block after the confirmed one.
    newest: Option<Checkpoint>,
    /// The certificate numbers after the confirmed block.
    numbers: BTreeMap<Hash<28>, u64>,
    stopped: bool,
    /// Epoch of the confirmed block at the last call of
    /// [`passed_epoch`](Self::passed_epoch).
    epoch: Option<u64>,
}

/// A block, and what this audit counted and knew after it.
pub(crate) struct Checkpoint {
    pub block: Box<Block>,
    pub counts: Counts,
    /// The issuer whose certificate number it moved, and the number.
    pub number: Option<(Hash<28>, u64)>,
    /// [`Anchor::tied`](crate::anchor::Anchor::tied).
    pub tied: Option<u64>,
}

/// A checkpoint that the frontier has passed.
pub(crate) struct Passed<'a> {
    pub checkpoint: &'a Checkpoint,
    /// The last certificate numbers of all issuers after its block.
    pub numbers: BTreeMap<Hash<28>, u64>,
}

impl Frontier {
    /// The frontier of an audit that begins with these certificate numbers.
    pub(crate) fn after(numbers: BTreeMap<Hash<28>, u64>) -> Self {
        Self {
            numbers,
            ..Self::default()
        }
    }

    /// The next block is valid.
    pub(crate) fn advance(&mut self, next: Checkpoint) {
        if !self.stopped {
            self.confirmed = self.newest.replace(next);
            let number = self.confirmed.as_ref().and_then(|block| block.number);
            self.numbers.extend(number);
        }
    }

    /// Something is wrong: the frontier stays at the confirmed block for good.
    pub(crate) fn stop(&mut self) {
        if !self.stopped {
            self.stopped = true;
            self.newest = None;
        }
    }

    /// The last confirmed block, if it is of a later epoch than at the last call.
    pub(crate) fn passed_epoch(&mut self) -> Option<Passed<'_>> {
        let checkpoint = self.confirmed.as_ref()?;
        let epoch = checkpoint.block.epoch;
        let before = self.epoch.replace(epoch);
        before.is_some_and(|before| before < epoch).then(|| Passed {
            checkpoint,
            numbers: self.numbers.clone(),
        })
    }

    /// The frontier at the end of an audit.
    pub(crate) fn last(&self) -> Option<Passed<'_>> {
        let checkpoint = self.newest.as_ref().or(self.confirmed.as_ref())?;
        let mut numbers = self.numbers.clone();
        numbers.extend(checkpoint.number);
        Some(Passed {
            checkpoint,
            numbers,
        })
    }
}
