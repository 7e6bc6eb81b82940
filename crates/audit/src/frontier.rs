//! The frontier: the last block up to which everything is checked.
//!
//! It passes wrong bodies and makers who may not lead, which are counted. It stands before the first header
//! in doubt, and before anything that could not be checked.

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
    /// The last block, if it is valid.
    newest: Option<Checkpoint>,
    /// The certificate numbers after the confirmed block.
    numbers: BTreeMap<Hash<28>, u64>,
    /// Those of the blocks after it, up to the last but one.
    since: BTreeMap<Hash<28>, u64>,
    /// The issuer whose number the last block moves, and the number.
    last: Option<(Hash<28>, u64)>,
    stopped: bool,
    /// Epoch of the confirmed block at the last call of
    /// [`passed_epoch`](Self::passed_epoch).
    epoch: Option<u64>,
}

/// A block, and what this audit counted and knew after it.
pub(crate) struct Checkpoint {
    pub block: Box<Block>,
    pub counts: Counts,
    /// Things that are wrong up to it.
    pub wrong: u64,
    /// [`Anchor::tied_slot`](crate::anchor::Anchor::tied_slot).
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

    /// The next block: a checkpoint, if it is valid and everything before it is checked. `number`
    /// is the issuer whose certificate number it moves, and the number.
    pub(crate) fn advance(&mut self, next: Option<Checkpoint>, number: Option<(Hash<28>, u64)>) {
        if self.stopped {
            return;
        }
        self.since.extend(self.last.take());
        self.last = number;
        let before = self.newest.take();
        if next.is_some() && before.is_some() {
            self.confirmed = before;
            self.numbers.append(&mut self.since);
        }
        self.newest = next;
    }

    /// Something is not read or in doubt, or the chain is another one: the frontier stays where it is.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
        self.newest = None;
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
        let mut numbers = self.numbers.clone();
        let checkpoint = match &self.newest {
            Some(newest) => {
                numbers.extend(&self.since);
                numbers.extend(self.last);
                newest
            }
            None => self.confirmed.as_ref()?,
        };
        Some(Passed {
            checkpoint,
            numbers,
        })
    }
}
