//! Which nonces are in doubt, and since when.
//!
//! A damaged, missing or invalid block makes the nonces that depend on it unreliable. Verified
//! against these, thousands of claims would fail for one cause. So each of the five nonces is
//! accompanied by a slot: that of the first block since which it may be wrong. The slots follow
//! the transitions of [`NonceState`](crate::NonceState).
//!
//! The walk keeps a [`Doubt`] for the faults that it finds. The verifier of the claims finds
//! invalid proofs later, and keeps another over the blocks in order.

use serde::{Deserialize, Serialize};

/// For each nonce the slot since which it is in doubt.
///
/// ```
/// use klero_cardano::Doubt;
/// let mut doubt = Doubt::default();
/// doubt.suspect(1000); // the block at slot 1000 has an invalid proof,
/// doubt.update(false); // and the candidate was frozen already.
/// doubt.tick();
/// assert_eq!(doubt.epoch_nonce(), None); // The next epoch does not depend on it,
/// doubt.update(true);
/// doubt.tick();
/// assert_eq!(doubt.epoch_nonce(), Some(1000)); // all later ones do.
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    eta0: Option<u64>,
    eta_v: Option<u64>,
    eta_c: Option<u64>,
    eta_h: Option<u64>,
    lab: Option<u64>,
}

impl Doubt {
    /// A new epoch begins. Call it before the verdicts on the first block of the epoch are used.
    pub fn tick(&mut self) {
        self.eta0 = earlier(self.eta_c, self.eta_h);
        self.eta_h = self.lab;
    }

    /// The slot since which the epoch nonce, and so every claim of this epoch, is in doubt.
    pub fn epoch_nonce(&self) -> Option<u64> {
        self.eta0
    }

    /// What the block at `slot` adds to the evolving nonce is in doubt. Call it
    /// before [`Doubt::update`] for the block.
    pub fn suspect(&mut self, slot: u64) {
        self.eta_v = earlier(self.eta_v, Some(slot));
    }

    /// A block is folded in; `in_window` says whether the candidate follows at its slot.
    pub fn update(&mut self, in_window: bool) {
        if in_window {
            self.eta_c = self.eta_v;
        }
        self.lab = None;
    }

    /// Adds the doubts of another.
    pub fn merge(&mut self, other: &Doubt) {
        self.eta0 = earlier(self.eta0, other.eta0);
        self.eta_v = earlier(self.eta_v, other.eta_v);
        self.eta_c = earlier(self.eta_c, other.eta_c);
        self.eta_h = earlier(self.eta_h, other.eta_h);
        self.lab = earlier(self.lab, other.lab);
    }

    /// Whether nothing is in doubt.
    pub fn is_none(&self) -> bool {
        *self == Doubt::default()
    }

    /// Blocks may be lost since `slot`: what they added, and the hash under the last of them.
    /// `in_window` says whether one of them may have moved the candidate.
    pub(crate) fn lose(&mut self, slot: u64, in_window: bool) {
        self.suspect(slot);
        self.lab = earlier(self.lab, Some(slot));
        if in_window {
            self.eta_c = self.eta_v;
        }
    }

    /// All nonces are in doubt since `slot`.
    pub(crate) fn lose_all(&mut self, slot: u64) {
        self.merge(&Doubt {
            eta0: Some(slot),
            eta_v: Some(slot),
            eta_c: Some(slot),
            eta_h: Some(slot),
            lab: Some(slot),
        });
    }

    /// The `prev_hash` field of the block at `slot` is in doubt. Call it after
    /// [`Doubt::update`].
    pub(crate) fn suspect_link(&mut self, slot: u64) {
        self.lab = Some(slot);
    }
}

fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_link_lasts_two_epochs() {
        let mut doubt = Doubt::default();
        doubt.update(false);
        doubt.suspect_link(9); // last block of epoch 0
        doubt.tick(); // 1: eta0 from the candidate of 0 and the hash of -1
        assert_eq!(doubt.epoch_nonce(), None);
        doubt.update(true);
        doubt.tick(); // 2: the hash of 0
        assert_eq!(doubt.epoch_nonce(), Some(9));
        doubt.update(true);
        doubt.tick();
        assert_eq!(doubt.epoch_nonce(), None);
        assert!(doubt.is_none());
    }

    #[test]
    fn an_early_loss_is_forever() {
        let mut doubt = Doubt::default();
        doubt.lose(5, true);
        doubt.lose(7, true);
        for _ in 0..4 {
            doubt.update(true);
            doubt.tick();
            assert_eq!(doubt.epoch_nonce(), Some(5));
        }
    }

    #[test]
    fn merging_and_stepping_commute() {
        // Two keepers with a fault each say together what one with both says.
        let run = |faults: &[u64]| {
            let mut doubt = Doubt::default();
            for slot in 0..40 {
                if slot % 10 == 0 {
                    doubt.tick();
                }
                if faults.contains(&slot) {
                    doubt.suspect(slot);
                }
                doubt.update(slot % 10 < 7);
            }
            doubt
        };
        for a in 0..40 {
            for b in 0..40 {
                let mut merged = run(&[a]);
                merged.merge(&run(&[b]));
                assert_eq!(merged, run(&[a, b]));
            }
        }
    }
}
