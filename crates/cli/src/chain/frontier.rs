//! Up to where a chain was found to be well.

use klero_cardano::Block;

use super::counts::Counts;

/// The last block up to which all is well.
///
/// What is wrong with a block may only show in its successor, which then does not name
/// it. So a block counts when the next one was well, too, or there was no next one.
#[derive(Default)]
pub struct Frontier {
    sure: Option<Stand>,
    newest: Option<Stand>,
    stopped: bool,
    /// The epoch that [`passed_epoch`](Self::passed_epoch) saw last.
    epoch: Option<u64>,
}

/// A block, and what this run counted up to it.
pub struct Stand {
    /// The block.
    pub block: Box<Block>,
    /// What was counted.
    pub counts: Counts,
}

impl Frontier {
    /// All is well with the next block.
    pub fn advance(&mut self, block: Box<Block>, counts: Counts) {
        if !self.stopped {
            self.sure = self.newest.replace(Stand { block, counts });
        }
    }

    /// Something is wrong: it goes no further.
    pub fn stop(&mut self) {
        if !self.stopped {
            self.stopped = true;
            self.newest = None;
        }
    }

    /// The last block that is sure, if that is of a later epoch than at the last call.
    pub fn passed_epoch(&mut self) -> Option<&Stand> {
        let stand = self.sure.as_ref()?;
        let epoch = stand.block.epoch;
        let before = self.epoch.replace(epoch);
        before.is_some_and(|before| before < epoch).then_some(stand)
    }

    /// Where it stands at the end of a run.
    pub fn stand(&self) -> Option<&Stand> {
        self.newest.as_ref().or(self.sure.as_ref())
    }
}
