//! Which nonces are in doubt, and since when.
//!
//! A damaged, missing or invalid block makes the nonces that depend on it unreliable. Verified
//! against these, thousands of claims would fail for one cause. So each of the five nonces is
//! accompanied by a slot: that of the first block since which it may be wrong. The slots follow
//! the transitions of [`NonceState`](crate::NonceState).
//!
//! A doubt can end: proofs that are valid for an epoch nonce show that it is the right one. It is
//! a hash of the candidate and of a hash in a header, so these are right too, and with the
//! candidate the evolving nonce as it was when the candidate last followed. Only what came later
//! stays in doubt, and is kept apart for that.
//!
//! The walk says what its faults cast doubt on, as [`Steps`] of each block. Whoever verifies the
//! claims keeps the [`Doubt`], because only the verdicts show the rest.

use serde::{Deserialize, Serialize};

/// For each nonce the slot since which it is in doubt.
///
/// ```no_run
/// use klero::{Suite, Verifier};
/// use klero_cardano::{Claim, Claims, Doubt, Event, Immutable, Network, Start, Walk};
/// let verifier = Verifier::new(Suite::PRAOS);
/// let holds = |claim: &Claim| verifier.verify(&claim.as_claim()).is_ok();
/// let db = Immutable::open("db".as_ref())?;
/// let mut doubt = Doubt::default();
/// for event in Walk::new(&db, Network::preview(), Start::Genesis)? {
///     let Event::Block(block) = event else { continue };
///     let slot = block.place.slot;
///     doubt.enter(&block.steps);
///     if let Claims::Made(claims) = &block.claims {
///         match (doubt.epoch_nonce(), claims.iter().all(holds)) {
///             (None, true) => {}
///             (None, false) => {
///                 println!("slot {slot}: invalid");
///                 doubt.suspect(slot);
///             }
///             (Some(since), _) => println!("slot {slot}: in doubt since {since}"),
///         }
///     }
///     doubt.fold(&block.steps);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    eta0: Option<u64>,
    eta_v: Option<u64>,
    eta_c: Option<u64>,
    eta_h: Option<u64>,
    lab: Option<u64>,
    /// What blocks added since the candidate last followed.
    late: Option<u64>,
    /// The evolving nonce and the candidate, if the nonce of the epoch is right.
    new_v: Option<u64>,
    new_c: Option<u64>,
}

/// The steps that a [`Doubt`] takes at a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Before its claims are judged, with those of blocks before it that have no event.
    pub(crate) enter: Vec<Step>,
    /// After that. `None` in Byron, and where no nonces are computed.
    pub(crate) fold: Option<Fold>,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Blocks may be lost since a slot; `feeds` says whether one of them may have moved the
    /// candidate.
    Lose { since: u64, feeds: bool },
    /// All nonces are in doubt since a slot.
    LoseAll { since: u64 },
    /// A new epoch begins.
    Tick,
    /// A block is folded in.
    Fold(Fold),
}

/// A block that is folded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    pub slot: u64,
    /// What it adds to the evolving nonce is in doubt.
    pub suspect: bool,
    /// Its link is in doubt.
    pub suspect_link: bool,
    /// The candidate, as it is computed, follows.
    pub follows: bool,
    /// The right candidate may follow.
    pub may_follow: bool,
}

impl Doubt {
    /// Takes the steps up to the claims of a block.
    pub fn enter(&mut self, steps: &Steps) {
        for step in &steps.enter {
            match *step {
                Step::Lose { since, feeds } => self.lose(since, feeds),
                Step::LoseAll { since } => self.lose_all(since),
                Step::Tick => self.tick(),
                Step::Fold(fold) => self.take(fold),
            }
        }
    }

    /// The slot since which the epoch nonce, and so every claim of this epoch, is in doubt.
    pub fn epoch_nonce(&self) -> Option<u64> {
        self.eta0
    }

    /// The epoch nonce is shown to be right: by valid proofs, or because it is known from
    /// elsewhere. Call it between [`enter`](Self::enter) and [`fold`](Self::fold) of a block of
    /// the epoch.
    pub fn confirm(&mut self) {
        self.eta0 = None;
        self.eta_v = self.new_v;
        self.eta_c = self.new_c;
    }

    /// The epoch nonce is in doubt again, since `slot`, and what follows from it.
    pub fn withdraw(&mut self, slot: u64) {
        for nonce in [&mut self.eta0, &mut self.eta_v, &mut self.eta_c] {
            *nonce = earlier(*nonce, Some(slot));
        }
    }

    /// What the block at `slot` adds to the evolving nonce is in doubt. Call it before
    /// [`fold`](Self::fold) of the block.
    pub fn suspect(&mut self, slot: u64) {
        for nonce in [&mut self.eta_v, &mut self.late, &mut self.new_v] {
            *nonce = earlier(*nonce, Some(slot));
        }
    }

    /// Takes the steps after the claims of a block.
    pub fn fold(&mut self, steps: &Steps) {
        if let Some(fold) = steps.fold {
            self.take(fold);
        }
    }

    /// Whether nothing is in doubt.
    pub fn is_none(&self) -> bool {
        *self == Doubt::default()
    }

    /// A new epoch begins.
    fn tick(&mut self) {
        self.eta0 = earlier(self.eta_c, self.eta_h);
        self.eta_h = self.lab;
        // If the new nonce is right, so is the candidate that it was made of.
        self.new_c = None;
        self.new_v = self.late;
    }

    fn take(&mut self, fold: Fold) {
        if fold.suspect {
            self.suspect(fold.slot);
        }
        if fold.may_follow {
            self.follow();
        }
        if fold.follows {
            self.late = None;
        }
        self.lab = fold.suspect_link.then_some(fold.slot);
    }

    /// The candidate may be the evolving nonce.
    fn follow(&mut self) {
        self.eta_c = self.eta_v;
        self.new_c = self.new_v;
    }

    /// Blocks may be lost since `slot`: what they added, and the hash under the last of them.
    /// `feeds` says whether one of them may have moved the candidate.
    fn lose(&mut self, slot: u64, feeds: bool) {
        self.suspect(slot);
        self.lab = earlier(self.lab, Some(slot));
        if feeds {
            self.follow();
        }
    }

    /// All nonces are in doubt since `slot`.
    fn lose_all(&mut self, slot: u64) {
        self.lose(slot, true);
        self.eta0 = earlier(self.eta0, Some(slot));
        self.eta_h = earlier(self.eta_h, Some(slot));
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

    /// An intact block, in the window or after it.
    fn block(in_window: bool) -> Fold {
        Fold {
            slot: 0,
            suspect: false,
            suspect_link: false,
            follows: in_window,
            may_follow: in_window,
        }
    }

    #[test]
    fn a_wrong_link_lasts_two_epochs() {
        let mut doubt = Doubt::default();
        doubt.take(Fold {
            slot: 9, // last block of epoch 0
            suspect_link: true,
            ..block(false)
        });
        doubt.tick(); // 1: eta0 from the candidate of 0 and the hash of -1
        assert_eq!(doubt.epoch_nonce(), None);
        doubt.take(block(true));
        doubt.tick(); // 2: the hash of 0
        assert_eq!(doubt.epoch_nonce(), Some(9));
        doubt.take(block(true));
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
            doubt.take(block(true));
            doubt.tick();
            assert_eq!(doubt.epoch_nonce(), Some(5));
        }
    }

    #[test]
    fn a_right_nonce_ends_the_doubt_about_what_it_was_made_of() {
        let mut doubt = Doubt::default();
        doubt.suspect(5);
        doubt.take(block(true));
        doubt.take(block(false));
        doubt.tick();
        assert_eq!(doubt.epoch_nonce(), Some(5));
        doubt.confirm();
        assert!(doubt.is_none());
    }

    #[test]
    fn a_right_nonce_says_nothing_of_what_came_after_its_candidate() {
        for (late, new) in [(true, false), (false, true), (true, true)] {
            let mut doubt = Doubt::default();
            doubt.suspect(5);
            doubt.take(block(true));
            if late {
                doubt.suspect(8);
            }
            doubt.take(block(false));
            doubt.tick();
            if new {
                doubt.suspect(12);
            }
            doubt.take(block(true));
            doubt.confirm();
            assert_eq!(doubt.epoch_nonce(), None);
            doubt.take(block(true));
            doubt.tick();
            // Since the first thing wrong that the nonce before does not cover.
            assert_eq!(doubt.epoch_nonce(), Some(if late { 8 } else { 12 }));
            doubt.confirm();
            assert!(doubt.is_none());
        }
    }

    #[test]
    fn lost_blocks_may_have_come_after_the_candidate() {
        let mut doubt = Doubt::default();
        doubt.take(block(true));
        // From within the window to after it.
        doubt.lose(5, true);
        doubt.take(block(false));
        doubt.tick();
        assert_eq!(doubt.epoch_nonce(), Some(5));
        doubt.confirm();
        doubt.take(block(true));
        doubt.tick();
        assert_eq!(doubt.epoch_nonce(), Some(5));
    }
}
