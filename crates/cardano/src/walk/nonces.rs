//! The nonces along a walk, and what faults do to them.
//!
//! [`NonceState`] folds in what the blocks say, and a [`Doubt`](crate::Doubt) keeps which nonces
//! cannot be relied on. Both take the same steps at the same blocks, the one here, the other
//! where the claims are verified. Where blocks may be lost, it matters which steps they would have
//! caused: if that is not certain, the nonces are in doubt.

use std::mem;

use pallas_crypto::hash::Hash;

use crate::chain::era::{Era, Protocol};
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::{Nonce, NonceState};
use crate::walk::doubt::{Fold, Step, Steps};

/// The nonces of a walk.
pub(crate) enum Nonces {
    /// From the chain.
    Evolved {
        state: Box<NonceState>,
        /// The steps of a doubt since the last block that was returned.
        steps: Vec<Step>,
    },
    /// Not computed: the walk began after the first block of the chain.
    Unknown,
}

/// The nonces that claims of an epoch can be about.
pub(crate) struct EpochNonces {
    /// That of the chain, which may be in doubt.
    pub made: Option<Nonce>,
    /// That which the epoch is known to have.
    pub known: Option<Nonce>,
}

/// Blocks that may be lost or altered before some block.
#[derive(Clone, Copy)]
pub(crate) struct Gap {
    /// Slot of the first, as reported.
    pub since: u64,
    /// The least slot it can have.
    pub least: u64,
}

/// What of a block can be relied on.
#[derive(Clone, Copy)]
pub(crate) struct Trust {
    /// Nothing vouches for its header.
    pub altered: bool,
    /// Its era is that of its epoch, as far as one knows.
    pub right_era: bool,
}

impl Gap {
    /// Both together.
    pub(crate) fn and(self, other: Option<Gap>) -> Gap {
        let Some(other) = other else { return self };
        Gap {
            since: self.since.min(other.since),
            least: self.least.min(other.least),
        }
    }
}

impl Nonces {
    /// Before the first block of a chain.
    pub(crate) fn genesis(genesis: Hash<32>) -> Nonces {
        Nonces::after(NonceState::genesis(genesis))
    }

    /// After some block.
    pub(crate) fn after(state: NonceState) -> Nonces {
        Nonces::Evolved {
            state: Box::new(state),
            steps: Vec::new(),
        }
    }

    /// Enters the epoch of a block. `before` is the era of the block before it, and `lost` what
    /// may be lost between them.
    pub(crate) fn enter(
        &mut self,
        network: &Network,
        place: &Place,
        before: Option<Era>,
        lost: Option<Gap>,
    ) {
        let Nonces::Evolved { state, steps } = self else {
            return;
        };
        if place.era == Era::Byron {
            return;
        }
        let epoch = network.epoch(place.slot);
        // Of what was lost only blocks since Shelley matter.
        let era = before.unwrap_or(Era::Byron).min(place.era);
        let lost = lost.map(|gap| Gap {
            since: gap.since.max(network.shelley_slot()).min(place.slot),
            least: gap.least.max(network.shelley_slot()),
        });
        let lost = lost.filter(|gap| era > Era::Byron || gap.least < place.slot);
        let feeds = |slot| network.feeds_candidate(era, slot);
        if let Some(Gap { since, least }) = lost {
            let from = network.epoch(least.min(place.slot));
            if from < epoch || epoch <= state.epoch {
                // Blocks of an epoch of which none was read are lost, and its tick with them.
                let missed = from > state.epoch || epoch > from + 1;
                let feeds = missed || feeds(least) || feeds(since);
                steps.push(Step::Lose { since, feeds });
            }
        }
        if epoch < state.epoch {
            steps.push(Step::LoseAll { since: place.slot });
        }
        let extra = match place.era.protocol() {
            Protocol::TPraos => network.extra_entropy(epoch),
            _ => Nonce::Neutral,
        };
        if state.tick(epoch, extra) {
            steps.push(Step::Tick);
            if let Some(Gap { since, least }) = lost {
                let feeds = feeds(least.max(network.first_slot(epoch)));
                steps.push(Step::Lose { since, feeds });
            }
        }
    }

    /// The nonces that claims of `epoch` can be about, once it is entered.
    pub(crate) fn of(&self, network: &Network, epoch: u64) -> EpochNonces {
        let made = match self {
            Nonces::Evolved { state, .. } => Some(state.eta0),
            Nonces::Unknown => None,
        };
        EpochNonces {
            made,
            known: network.known_nonce(epoch),
        }
    }

    /// Folds a block in; one that contributes nothing, for want of a usable lottery, only by its
    /// link. Returns the step for its doubt.
    pub(crate) fn fold(
        &mut self,
        network: &Network,
        place: &Place,
        contribution: Option<Hash<32>>,
        trust: Trust,
    ) -> Option<Fold> {
        let Nonces::Evolved { state, .. } = self else {
            return None;
        };
        if place.era == Era::Byron {
            return None;
        }
        let Trust { altered, right_era } = trust;
        let in_window = network.feeds_candidate(place.era, place.slot);
        match contribution {
            Some(contribution) => state.update(contribution, in_window, place.prev_hash),
            None => state.lab = place.prev_hash.into(),
        }
        // If its era is wrong, so may be its window: the longer reach is the safe guess.
        let reach = if right_era { place.era } else { Era::Shelley };
        Some(Fold {
            slot: place.slot,
            suspect: contribution.is_none() || altered || !right_era,
            suspect_link: altered,
            follows: in_window && contribution.is_some(),
            may_follow: in_window || network.feeds_candidate(reach, place.slot),
        })
    }

    /// The steps of a doubt up to a block that the walk returns, which ends with `fold`.
    pub(crate) fn steps(&mut self, fold: Option<Fold>) -> Steps {
        let enter = match self {
            Nonces::Evolved { steps, .. } => mem::take(steps),
            Nonces::Unknown => Vec::new(),
        };
        Steps { enter, fold }
    }

    /// Keeps the last step at a block that the walk does not return for the next one.
    pub(crate) fn keep(&mut self, fold: Option<Fold>) {
        if let Nonces::Evolved { steps, .. } = self {
            steps.extend(fold.map(Step::Fold));
        }
    }

    /// The current nonces.
    pub(crate) fn snapshot(&self) -> Option<NonceState> {
        match self {
            Nonces::Evolved { state, .. } => Some((**state).clone()),
            Nonces::Unknown => None,
        }
    }
}
