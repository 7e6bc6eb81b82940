//! How many blocks each pool has made, counted from headers as the ledger does.

use std::collections::BTreeMap;
use std::mem;

use pallas_crypto::hash::Hash;

/// The blocks that each pool made in an epoch and in the one before, counted along a chain.
///
/// The ledger counts the blocks of the current epoch (`nesBcur`) and keeps the counts of the epoch
/// before (`nesBprev`). It counts no block of a genesis delegate in an overlay slot; there are none
/// in Praos, and none on the public networks in the epoch before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlocksMade {
    /// The first epoch that is counted whole; `None` before the first block.
    whole_since: Option<u64>,
    /// Whether that is the epoch of the first block.
    begins_whole: bool,
    epoch: u64,
    current: BTreeMap<Hash<28>, u64>,
    before: BTreeMap<Hash<28>, u64>,
}

impl BlocksMade {
    /// Counts that begin with the first block of an epoch, or of the chain.
    #[must_use]
    pub fn since_first_block() -> Self {
        Self {
            whole_since: None,
            begins_whole: true,
            epoch: 0,
            current: BTreeMap::new(),
            before: BTreeMap::new(),
        }
    }

    /// Counts that begin with any block: those of its epoch are not known.
    #[must_use]
    pub fn since_any_block() -> Self {
        Self {
            begins_whole: false,
            ..Self::since_first_block()
        }
    }

    /// Counts a block by its epoch and its [`issuer`](crate::Lottery::issuer). Blocks are counted
    /// in the order of the chain; one of an earlier epoch than the last is left out.
    pub fn count(&mut self, epoch: u64, issuer: Hash<28>) {
        self.whole_since.get_or_insert_with(|| {
            self.epoch = epoch;
            epoch.saturating_add(u64::from(!self.begins_whole))
        });
        if epoch > self.epoch {
            let ended = mem::take(&mut self.current);
            let follows = epoch - self.epoch == 1;
            self.before = if follows { ended } else { BTreeMap::new() };
            self.epoch = epoch;
        }
        if epoch == self.epoch {
            *self.current.entry(issuer).or_default() += 1;
        }
    }

    /// The counts of an epoch: of that of the last block, or the one before. `None` for any other
    /// epoch, and if counting began within it.
    pub fn of(&self, epoch: u64) -> Option<&BTreeMap<Hash<28>, u64>> {
        if epoch < self.whole_since? {
            return None;
        }
        match self.epoch.checked_sub(epoch)? {
            0 => Some(&self.current),
            1 => Some(&self.before),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_in_turn_and_skipped() {
        let [one, two] = [1, 2].map(|n| Hash::new([n; 28]));
        let mut blocks = BlocksMade::since_first_block();
        assert_eq!(blocks.of(0), None);
        for (epoch, issuer) in [(4, one), (4, two), (4, one), (5, two), (4, two)] {
            blocks.count(epoch, issuer);
        }
        assert_eq!(blocks.of(3), None);
        assert_eq!(blocks.of(4), Some(&[(one, 2), (two, 1)].into()));
        assert_eq!(blocks.of(5), Some(&[(two, 1)].into()));
        assert_eq!(blocks.of(6), None);
        blocks.count(7, one);
        assert_eq!(blocks.of(5), None);
        assert_eq!(blocks.of(6), Some(&BTreeMap::new()));
        assert_eq!(blocks.of(7), Some(&[(one, 1)].into()));
    }

    #[test]
    fn an_epoch_that_is_not_whole() {
        let one = Hash::new([1; 28]);
        let mut blocks = BlocksMade::since_any_block();
        for epoch in 2..5 {
            blocks.count(epoch, one);
            assert_eq!(blocks.of(2), None);
            assert_eq!(blocks.of(epoch).is_some(), epoch > 2);
        }
    }
}
