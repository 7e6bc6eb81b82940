//! Nonces, the randomness of epochs, and how blocks feed them.
//!
//! There are five nonces. Every block folds a hash of its VRF output into the *evolving* nonce. The
//! *candidate* is equal to the evolving nonce until the candidate is frozen, one stability window before the
//! end of the epoch. At the first block of epoch e, the *epoch nonce* becomes the candidate combined with the
//! `prev_hash` of the last block of epoch e - 2. First `lab` and then `eta_h` stores this hash until then.
//!
//! The nonces depend on the outputs that headers claim, not on the proofs, so they can be computed before any
//! proof is verified.

use core::fmt;
use core::str::FromStr;

use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::chain::hash::{blake2b_256, blake2b_256_each};
use crate::chain::header::Vrf;
use crate::chain::text::BadText;

/// A nonce: neutral, or 32 bytes.
///
/// As text (and in JSON) it is `neutral` or 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Nonce {
    /// The identity: combining a nonce with it changes nothing.
    Neutral,
    /// A random value.
    Value(Hash<32>),
}

impl Nonce {
    /// The operation ⭒: BLAKE2b-256 of the two nonces, with [`Nonce::Neutral`] as the identity on either
    /// side.
    #[must_use]
    pub fn combine(self, other: Nonce) -> Nonce {
        match (self, other) {
            (Nonce::Neutral, n) | (n, Nonce::Neutral) => n,
            (Nonce::Value(a), Nonce::Value(b)) => Nonce::Value(blake2b_256(&[&*a, &*b])),
        }
    }

    /// The bytes that enter a hash: none for the neutral nonce.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Nonce::Neutral => &[],
            Nonce::Value(hash) => hash.as_ref(),
        }
    }
}

impl From<Hash<32>> for Nonce {
    fn from(hash: Hash<32>) -> Nonce {
        Nonce::Value(hash)
    }
}

impl From<Option<Hash<32>>> for Nonce {
    fn from(hash: Option<Hash<32>>) -> Nonce {
        hash.map_or(Nonce::Neutral, Nonce::Value)
    }
}

impl FromStr for Nonce {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Nonce, BadText> {
        if text == "neutral" {
            return Ok(Nonce::Neutral);
        }
        let hash: Hash<32> = text
            .parse()
            .map_err(|_| BadText::new("nonce", text, "64 hexadecimal digits or \"neutral\""))?;
        Ok(Nonce::Value(hash))
    }
}

impl TryFrom<String> for Nonce {
    type Error = BadText;

    fn try_from(text: String) -> Result<Nonce, BadText> {
        text.parse()
    }
}

impl From<Nonce> for String {
    fn from(nonce: Nonce) -> String {
        nonce.to_string()
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nonce::Neutral => f.pad("neutral"),
            Nonce::Value(hash) => f.pad(&hex::encode(hash)),
        }
    }
}

impl Vrf {
    /// The contribution of a block with these certificates to the evolving nonce. Before Babbage it is the
    /// hash of the eta output. Since Babbage, a block has only one output. The letter N followed by this
    /// output is hashed twice. The letter makes the contribution different from the leader value.
    #[must_use]
    pub fn contribution(&self) -> Hash<32> {
        match self {
            Self::TPraos { eta, .. } => blake2b_256(&[&eta.output]),
            Self::Praos(cert) => blake2b_256(&[&*blake2b_256(&[b"N", &cert.output])]),
        }
    }
}

/// The [contributions](Vrf::contribution) of many blocks, computed together.
pub(crate) fn contributions(vrfs: &[&Vrf]) -> Vec<Hash<32>> {
    let messages: Vec<[&[u8]; 2]> = vrfs
        .iter()
        .map(|vrf| match vrf {
            Vrf::TPraos { eta, .. } => [&[][..], &eta.output[..]],
            Vrf::Praos(cert) => [&b"N"[..], &cert.output[..]],
        })
        .collect();
    let mut hashes: Vec<Hash<32>> = blake2b_256_each(&messages).collect();
    let praos = vrfs.iter().enumerate();
    let praos = praos.filter(|(_, vrf)| matches!(vrf, Vrf::Praos(_)));
    let praos: Vec<usize> = praos.map(|(n, _)| n).collect();
    let once: Vec<[&[u8]; 1]> = praos.iter().map(|n| [&hashes[*n][..]]).collect();
    let twice: Vec<Hash<32>> = blake2b_256_each(&once).collect();
    for (n, hash) in praos.into_iter().zip(twice) {
        hashes[n] = hash;
    }
    hashes
}

/// The five nonces after a block, and the epoch of that block.
///
/// ```
/// use klero_cardano::{Hash, Nonce, NonceState};
/// let mut state = NonceState::genesis(Hash::new([7; 32]));
/// state.update(Hash::new([1; 32]), true, None); // epoch 0, candidate still open
/// state.tick(1, Nonce::Neutral);
/// assert_eq!(state.eta0, state.eta_c);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NonceState {
    /// The epoch of the last block; 0 before the first block.
    pub epoch: u64,
    /// The epoch nonce, from which the messages of this epoch's claims are made.
    pub eta0: Nonce,
    /// The evolving nonce, which contains every output so far. It is never reset.
    pub eta_v: Nonce,
    /// The candidate, which equals the evolving nonce until it is frozen near the end of the epoch.
    pub eta_c: Nonce,
    /// The `prev_hash` field of the last block of the previous epoch.
    pub eta_h: Nonce,
    /// The `prev_hash` field of the last block.
    pub lab: Nonce,
}

impl NonceState {
    /// The state before the first Shelley block. `genesis` is the hash of the Shelley genesis file.
    #[must_use]
    pub fn genesis(genesis: Hash<32>) -> NonceState {
        let seed = Nonce::Value(genesis);
        NonceState {
            epoch: 0,
            eta0: seed,
            eta_v: seed,
            eta_c: seed,
            eta_h: Nonce::Neutral,
            lab: Nonce::Neutral,
        }
    }

    /// If `epoch` is later than the current epoch, enters it and returns true. Otherwise returns false. Call
    /// this for every block, before the claims of the block are made, but not for epochs without blocks.
    ///
    /// `extra` is the extra entropy of the new epoch. In Praos, which has none, it must be neutral.
    pub fn tick(&mut self, epoch: u64, extra: Nonce) -> bool {
        if epoch <= self.epoch {
            return false;
        }
        self.epoch = epoch;
        self.eta0 = self.eta_c.combine(self.eta_h).combine(extra);
        self.eta_h = self.lab;
        true
    }

    /// Folds in a block. `in_window` is true if the candidate is not yet frozen at the block's slot (see
    /// [`Network::feeds_candidate`](crate::Network::feeds_candidate)). `prev_hash` is the field of the
    /// block's header, not the hash of that header.
    pub fn update(&mut self, contribution: Hash<32>, in_window: bool, prev_hash: Option<Hash<32>>) {
        self.eta_v = self.eta_v.combine(contribution.into());
        if in_window {
            self.eta_c = self.eta_v;
        }
        self.lab = prev_hash.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::header::Cert;

    fn nonce(text: &str) -> Nonce {
        text.parse().unwrap()
    }

    #[test]
    fn epoch_nonces_known_from_mainnet() {
        // Each case has the candidate, `eta_h` before the tick, the extra entropy and the epoch nonce. Only
        // epoch 259 of mainnet has extra entropy.
        for (eta_c, eta_h, extra, eta0) in [
            (
                "e86e133bd48ff5e79bec43af1ac3e348b539172f33e502d2c96735e8c51bd04d",
                "d7a1ff2a365abed59c9ae346cba842b6d3df06d055dba79a113e0704b44cc3e9",
                "neutral",
                "e536a0081ddd6d19786e9d708a85819a5c3492c0da7349f59c8ad3e17e4acd98",
            ),
            (
                "d1340a9c1491f0face38d41fd5c82953d0eb48320d65e952414a0c5ebaf87587",
                "ee91d679b0a6ce3015b894c575c799e971efac35c7a8cbdc2b3f579005e69abd",
                "d982e06fd33e7440b43cefad529b7ecafbaa255e38178ad4189a37e4ce9bf1fa",
                "0022cfa563a5328c4fb5c8017121329e964c26ade5d167b1bd9b2ec967772b60",
            ),
        ] {
            let mut state = NonceState::genesis(Hash::new([0; 32]));
            (state.eta_c, state.eta_h) = (nonce(eta_c), nonce(eta_h));
            assert!(state.tick(259, nonce(extra)));
            assert_eq!(state.eta0, nonce(eta0));
        }
    }

    #[test]
    fn the_first_contribution_of_mainnet() {
        let genesis = "1a3be38bcbb7911969283716ad7aa550250226b76a61fc51cc9a9a35d9276d81";
        let output = "36ec5378d1f5041a59eb8d96e61de96f0950fb41b49ff511f7bc7fd109d4383e\
                      1d24be7034e6749c6612700dd5ceb0c66577b88a19ae286b1321d15bce1ab736";
        let mut state = NonceState::genesis(genesis.parse().unwrap());
        let eta = Cert {
            output: hex::decode(output).unwrap().try_into().unwrap(),
            proof: [0; 80],
        };
        let leader = eta.clone();
        let contribution = Vrf::TPraos { eta, leader }.contribution();
        state.update(contribution, true, None);
        let expected = "2af15f57076a8ff225746624882a77c8d2736fe41d3db70154a22b50af851246";
        assert_eq!(
            (state.eta_v, state.eta_c),
            (nonce(expected), nonce(expected))
        );
        assert_eq!(state.eta0, nonce(genesis));
    }

    #[test]
    fn contributions_of_many_are_those_of_each() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut cert = || Cert {
            output: core::array::from_fn(|_| random.u8(..)),
            proof: [0; 80],
        };
        let vrfs: Vec<Vrf> = (0..40)
            .map(|n| match n % 7 {
                0 | 3 | 4 => Vrf::Praos(cert()),
                _ => Vrf::TPraos {
                    eta: cert(),
                    leader: cert(),
                },
            })
            .collect();
        let each: Vec<Hash<32>> = vrfs.iter().map(Vrf::contribution).collect();
        for n in [0, 1, 2, 9, 40] {
            let vrfs: Vec<&Vrf> = vrfs.iter().take(n).collect();
            assert_eq!(contributions(&vrfs), each[..n]);
        }
    }

    #[test]
    fn a_tick_moves_lab_and_happens_once() {
        let mut state = NonceState::genesis(Hash::new([1; 32]));
        let first = Hash::new([2; 32]);
        state.update(Hash::new([3; 32]), true, Some(first));
        assert!(!state.tick(0, Nonce::Neutral));
        assert!(state.tick(5, Nonce::Neutral));
        assert!(!state.tick(5, Nonce::Neutral));
        assert!(!state.tick(4, Nonce::Neutral));
        assert_eq!((state.epoch, state.eta_h), (5, Nonce::Value(first)));
        // The epoch nonce is the candidate alone, because `eta_h` was neutral.
        assert_eq!(state.eta0, state.eta_c);
        state.tick(6, Nonce::Neutral);
        assert_eq!(state.eta0, state.eta_c.combine(Nonce::Value(first)));
        assert_eq!(Nonce::Neutral.combine(state.eta_c), state.eta_c);
    }

    #[test]
    fn a_frozen_candidate_stays() {
        let mut state = NonceState::genesis(Hash::new([1; 32]));
        let frozen = state.eta_c;
        state.update(Hash::new([3; 32]), false, None);
        assert_eq!(state.eta_c, frozen);
        assert_ne!(state.eta_v, frozen);
        state.update(Hash::new([4; 32]), true, None);
        assert_eq!(state.eta_c, state.eta_v);
    }

    #[test]
    fn text_and_json() {
        for text in [
            "neutral",
            "81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c",
        ] {
            assert_eq!(nonce(text).to_string(), text);
            let json = serde_json::to_string(&nonce(text)).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Nonce>(&json).unwrap(), nonce(text));
        }
        for bad in [
            "",
            "Neutral",
            "00",
            "zz",
            &"0".repeat(63),
            &"0".repeat(66),
            &"g".repeat(64),
        ] {
            assert!(bad.parse::<Nonce>().is_err(), "{bad}");
        }
    }
}
