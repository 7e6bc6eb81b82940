//! The trial of an epoch nonce that is in doubt, by the proofs of its epoch.
//!
//! A damaged header casts doubt on the nonces that depend on it, whether it changed them or not.
//! The proofs tell: no proof that was made for one nonce is valid for another. So valid proofs
//! show that the nonce is right, and failing ones that it is not, or that they are invalid
//! themselves.
//!
//! Whoever alters the database can also put in blocks that are made for a wrong nonce. They cannot
//! come before honest ones without a fault, since an honest block names the hash of the one before
//! it. So the first proofs of the epoch decide, by several keys and not by a single block, and a
//! fault begins the trial again. Until it is decided, no proof is called valid or invalid.

use std::collections::BTreeSet;
use std::mem;

/// Different VRF keys that must prove for the nonce, before as many fail. A valid proof shows that
/// its maker has the secret key. So one maker with one key cannot decide, and one damaged block
/// cannot; while every chain of more than a few makers has three in its first few blocks.
const WITNESSES: usize = 3;

/// The trial of the nonce of an epoch.
pub(crate) struct Trial {
    /// The slot since which the nonce is in doubt.
    pub since: u64,
    /// Valid proofs so far that count once the nonce is shown to be right.
    pending: u64,
    /// Keys with a valid proof.
    for_it: BTreeSet<[u8; 32]>,
    /// Keys with none in some block.
    against: BTreeSet<[u8; 32]>,
}

impl Trial {
    /// A trial of a nonce that is in doubt since this slot.
    pub(crate) fn new(since: u64) -> Self {
        Self {
            since,
            pending: 0,
            for_it: BTreeSet::new(),
            against: BTreeSet::new(),
        }
    }

    /// Counts the next block: its VRF key, and its number of valid proofs. If this shows that the
    /// nonce is right, returns the number of valid proofs before this block.
    pub(crate) fn hear(&mut self, key: [u8; 32], valid: u64) -> Option<u64> {
        if self.against.len() < WITNESSES {
            match valid {
                0 => self.against.insert(key),
                _ => self.for_it.insert(key),
            };
        }
        if self.for_it.len() >= WITNESSES {
            return Some(mem::take(&mut self.pending));
        }
        self.pending += valid;
        None
    }

    /// A fault: the keys are counted anew. The valid proofs still count in the end.
    pub(crate) fn begin_again(&mut self) {
        self.for_it.clear();
        self.against.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The block with which the nonce is shown to be right: for each, its key and whether its
    /// proof is valid.
    fn shown(blocks: &[(u8, bool)]) -> Option<usize> {
        let mut trial = Trial::new(7);
        blocks
            .iter()
            .position(|(key, valid)| trial.hear([*key; 32], u64::from(*valid)).is_some())
    }

    #[test]
    fn three_keys_decide() {
        let (yes, no) = (true, false);
        assert_eq!(shown(&[(1, yes), (2, yes), (3, yes)]), Some(2));
        assert_eq!(shown(&[(1, yes), (1, yes), (1, yes), (1, yes)]), None);
        // Some of the first are damaged.
        let damaged = [(1, no), (2, no), (1, yes), (2, yes), (1, no), (3, yes)];
        assert_eq!(shown(&damaged), Some(5));
        // Blocks that were made for a wrong nonce come too late.
        let late = [(1, no), (2, no), (3, no), (7, yes), (8, yes), (9, yes)];
        assert_eq!(shown(&late), None);
    }

    #[test]
    fn a_fault_begins_it_again_and_loses_no_valid_proof() {
        let mut trial = Trial::new(7);
        assert_eq!(trial.hear([1; 32], 2), None);
        assert_eq!(trial.hear([2; 32], 2), None);
        trial.begin_again();
        assert_eq!(trial.hear([3; 32], 1), None);
        assert_eq!(trial.hear([4; 32], 1), None);
        assert_eq!(trial.hear([5; 32], 1), Some(6));
        trial.begin_again();
        for key in 1..=2 {
            assert_eq!(trial.hear([key; 32], 1), None);
        }
        assert_eq!(trial.hear([3; 32], 1), Some(2));
    }
}
