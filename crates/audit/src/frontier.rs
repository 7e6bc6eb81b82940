//! The frontier: the last block up to which everything is valid.

use klero_cardano::Block;

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
    stopped: bool,
    /// Epoch of the confirmed block at the last call of
    /// [`passed_epoch`](Self::passed_epoch).
    epoch: Option<u64>,
}

/// A block, and what this audit counted up to it.
pub(crate) struct Checkpoint {
    pub block: Box<Block>,
    pub counts: Counts,
}

impl Frontier {
    /// The next block is valid.
    pub(crate) fn advance(&mut self, next: Checkpoint) {
        if !self.stopped {
            self.confirmed = self.newest.replace(next);
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
    pub(crate) fn passed_epoch(&mut self) -> Option<&Checkpoint> {
        let checkpoint = self.confirmed.as_ref()?;
        let epoch = checkpoint.block.epoch;
        let before = self.epoch.replace(epoch);
        before
            .is_some_and(|before| before < epoch)
            .then_some(checkpoint)
    }

    /// The frontier at the end of an audit.
    pub(crate) fn last(&self) -> Option<&Checkpoint> {
        self.newest.as_ref().or(self.confirmed.as_ref())
    }
}
