//! The nonces along a walk, and what faults do to them.
//!
//! [`NonceState`] folds in what the blocks say, and [`Doubt`] keeps which nonces cannot be
//! relied on. Both take the same steps at the same blocks. Where blocks may be lost, it matters
//! which steps they would have caused: if that is not certain, the nonces are in doubt.

use std::collections::BTreeMap;

use pallas_crypto::hash::Hash;

use crate::chain::era::{Era, Protocol};
use crate::chain::header::Place;
use crate::chain::network::Network;
use crate::chain::nonce::{Nonce, NonceState};
use crate::walk::doubt::Doubt;

/// The nonces of a walk.
pub(crate) enum Nonces {
    /// From the chain.
    Evolved {
        state: Box<NonceState>,
        doubt: Doubt,
    },
    /// From the caller, by epoch; beyond doubt.
    Given(BTreeMap<u64, Nonce>),
}

/// What is known of the nonce of an epoch.
pub(crate) enum EpochNonce {
    Known(Nonce),
    NotGiven,
    Doubtful { since: u64 },
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
        let state = Box::new(NonceState::genesis(genesis));
        Nonces::Evolved {
            state,
            doubt: Doubt::default(),
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
        let Nonces::Evolved { state, doubt } = self else {
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
                doubt.lose(since, missed || feeds(least) || feeds(since));
            }
        }
        if epoch < state.epoch {
            doubt.lose_all(place.slot);
        }
        let extra = match place.era.protocol() {
            Protocol::TPraos => network.extra_entropy(epoch),
            _ => Nonce::Neutral,
        };
        if state.tick(epoch, extra) {
            doubt.tick();
            if let Some(Gap { since, least }) = lost {
                doubt.lose(since, feeds(least.max(network.first_slot(epoch))));
            }
        }
    }

    /// The nonce that claims of `epoch` are about, once it is entered.
    pub(crate) fn of(&self, epoch: u64) -> EpochNonce {
        match self {
            Nonces::Evolved { state, doubt } => match doubt.epoch_nonce() {
                Some(since) => EpochNonce::Doubtful { since },
                None => EpochNonce::Known(state.eta0),
            },
            Nonces::Given(nonces) => match nonces.get(&epoch) {
                Some(nonce) => EpochNonce::Known(*nonce),
                None => EpochNonce::NotGiven,
            },
        }
    }

    /// Folds a block in; one that contributes nothing, for want of a usable lottery, only by its
    /// link.
    pub(crate) fn fold(
        &mut self,
        network: &Network,
        place: &Place,
        contribution: Option<Hash<32>>,
        trust: Trust,
    ) {
        let Nonces::Evolved { state, doubt } = self else {
            return;
        };
        if place.era == Era::Byron {
            return;
        }
        let Trust { altered, right_era } = trust;
        let in_window = network.feeds_candidate(place.era, place.slot);
        match contribution {
            Some(contribution) => state.update(contribution, in_window, place.prev_hash),
            None => state.lab = place.prev_hash.into(),
        }
        if contribution.is_none() || altered || !right_era {
            doubt.suspect(place.slot);
        }
        // If its era is wrong, so may be its window: the longer reach is the safe guess.
        let reach = if right_era { place.era } else { Era::Shelley };
        doubt.update(in_window || network.feeds_candidate(reach, place.slot));
        if altered {
            doubt.suspect_link(place.slot);
        }
    }

    /// The current nonces, and the doubts about them.
    pub(crate) fn snapshot(&self) -> (Option<NonceState>, Doubt) {
        match self {
            Nonces::Evolved { state, doubt } => (Some((**state).clone()), doubt.clone()),
            Nonces::Given(_) => (None, Doubt::default()),
        }
    }
}
