//! What is known of the nonces along a chain: which of them are in doubt, and by which nonce the
//! proofs of a block are judged.

use klero_cardano::{Block, Claims, Doubt, Network};

use crate::judge::Verdict;
use crate::trial::Trial;

/// The nonces of an audit, as far as it came.
pub(crate) struct Nonces {
    /// What faults and invalid proofs cast doubt on.
    doubt: Doubt,
    /// The trial of the nonce of the epoch, if it was in doubt.
    trial: Option<Trial>,
    /// The epoch that they have entered.
    epoch: u64,
}

/// What the proofs of a block are judged by.
#[derive(Clone, Copy)]
pub(crate) enum Basis {
    /// The nonce that the chain makes; or the known one, if none is computed.
    Made,
    /// The nonce that the epoch is known to have; that of the chain is another, and in doubt.
    Known,
    /// The nonce that the chain makes, which is on trial.
    Tried,
    /// Nothing: the nonces are not those of the epoch of the block, by a fault.
    Nothing,
}

impl Nonces {
    /// The nonces at a point at which so much is in doubt.
    pub(crate) fn new(doubt: Doubt) -> Self {
        Self {
            doubt,
            trial: None,
            epoch: 0,
        }
    }

    /// Enters the next block. Returns what its proofs are judged by.
    pub(crate) fn enter(&mut self, network: &Network, block: &Block) -> Basis {
        self.doubt.enter(&block.steps);
        // By the number: the first block of an epoch may be unreadable.
        if let Some(nonces) = &block.nonces
            && nonces.epoch > self.epoch
        {
            self.epoch = nonces.epoch;
            self.trial = None;
        }
        let Some(since) = self.doubt.epoch_nonce() else {
            return Basis::Made;
        };
        let known = network.known_nonce(block.epoch);
        let of_epoch = block.nonces.as_ref();
        let of_epoch = of_epoch.filter(|nonces| nonces.epoch == block.epoch);
        match (of_epoch, known) {
            (Some(nonces), Some(known)) if known == nonces.eta0 => {
                self.doubt.confirm();
                Basis::Made
            }
            (_, Some(_)) => Basis::Known,
            (Some(_), None) => {
                self.trial.get_or_insert_with(|| Trial::new(since));
                Basis::Tried
            }
            (None, None) => Basis::Nothing,
        }
    }

    /// The slot since which the nonce of the epoch is in doubt.
    pub(crate) fn in_doubt_since(&self) -> Option<u64> {
        self.doubt.epoch_nonce()
    }

    /// The trial hears the proofs of a block. If they show the nonce to be right, returns the number
    /// of proofs before them that are valid for it and did not count yet.
    pub(crate) fn hear(&mut self, block: &Block, proofs: &[Verdict]) -> Option<u64> {
        let Claims::Made(claims) = &block.claims else {
            return None;
        };
        let valid = proofs.iter().filter(|verdict| verdict.is_ok()).count() as u64;
        let before = self.trial.as_mut()?.hear(claims.first()?.key, valid)?;
        self.doubt.confirm();
        Some(before)
    }

    /// The block at `slot` has an invalid proof of an output that feeds the nonces.
    pub(crate) fn suspect(&mut self, slot: u64) {
        self.doubt.suspect(slot);
    }

    /// Leaves a block.
    pub(crate) fn fold(&mut self, block: &Block) {
        self.doubt.fold(&block.steps);
    }

    /// Headers may be lost or altered: what follows may be other blocks than those that showed the
    /// nonce of the epoch to be right.
    pub(crate) fn lose_headers(&mut self) {
        if let Some(trial) = &mut self.trial {
            self.doubt.withdraw(trial.since);
            trial.begin_again();
        }
    }

    /// What is in doubt.
    pub(crate) fn doubt(&self) -> &Doubt {
        &self.doubt
    }
}
