//! A maker of blocks: a pool or a genesis delegate, with its keys.

use ed25519_dalek::SigningKey;
use klero::{SecretKey, Suite};
use klero_cardano::{Cert, ClaimKind, Era, Nonce};
use klero_leader::PoolId;

use crate::plan::Epoch;
use crate::seed::Seed;

/// A maker of blocks.
pub(crate) struct Maker {
    pub seed: Seed,
    pub cold: SigningKey,
    /// The verification key of `cold`.
    pub cold_key: [u8; 32],
    pub vrf: SecretKey,
    /// The stake of a pool; it has no meaning for a delegate.
    pub stake: u32,
    /// True for every second maker. It announces the protocol version of the next era early and, in TPraos,
    /// skips a number whenever it renews its certificate.
    pub early: bool,
}

impl Maker {
    pub(crate) fn new(seed: &Seed, role: &str, number: u64, stake: u32) -> Self {
        let seed = Seed(seed.bytes(role, number));
        let vrf = SecretKey::from_seed(Suite::PRAOS, &seed.bytes("vrf key", 0));
        let cold = SigningKey::from_bytes(&seed.bytes("cold key", 0));
        Self {
            seed,
            cold_key: cold.verifying_key().to_bytes(),
            cold,
            vrf,
            stake,
            early: number % 2 == 1,
        }
    }

    /// The same maker with a VRF key that it did not register.
    pub(crate) fn with_other_vrf_key(&self) -> Self {
        Self {
            seed: self.seed,
            cold: self.cold.clone(),
            cold_key: self.cold_key,
            vrf: SecretKey::from_seed(Suite::PRAOS, &self.seed.bytes("other vrf key", 0)),
            ..*self
        }
    }

    /// The hash of the cold key, which identifies a pool.
    pub(crate) fn id(&self) -> PoolId {
        PoolId::of_key(&self.cold_key)
    }

    pub(crate) fn prove(&self, kind: ClaimKind, slot: u64, eta0: Nonce) -> Cert {
        let (made, output) = self.vrf.prove(&kind.alpha(slot, eta0));
        let mut proof = [0; 80];
        proof.copy_from_slice(made.as_bytes());
        Cert {
            output: output.0,
            proof,
        }
    }

    /// The protocol version that the maker announces in an epoch: the first version of the epoch's era. In
    /// the last epoch of an era, an [`early`](Self::early) maker announces the first version of the next era.
    pub(crate) fn version(&self, epoch: &Epoch) -> u64 {
        match epoch.upgrade.filter(|_| self.early).unwrap_or(epoch.era) {
            Era::Byron => 1,
            Era::Shelley => 2,
            Era::Allegra => 3,
            Era::Mary => 4,
            Era::Alonzo => 5,
            Era::Babbage => 7,
            Era::Conway => 9,
            _ => 12,
        }
    }
}
