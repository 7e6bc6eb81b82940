//! The epoch that a header is of, and the makers of headers.

use std::array;

use ed25519_dalek::SigningKey;
use klero::{SecretKey, Suite};
use klero_reference::BigUint;
use klero_reference::leader::{Ratio, Rule};
use serde_json::json;

use crate::era::Era;
use crate::format::Object;
use crate::header::{Cert, Draft, certify, empty_body, hash_224, hash_256, leader_value};

/// An epoch of a network.
#[derive(Clone)]
pub struct Context {
    pub era: Era,
    pub epoch: u64,
    pub epoch_length: u64,
    pub nonce: [u8; 32],
    /// The active slots coefficient.
    pub f: Ratio,
    pub d: Ratio,
    pub slots_per_kes_period: u64,
    pub max_kes_evolutions: u64,
    /// Of the genesis keys with these hashes, in their order. None in Praos.
    pub delegates: Vec<([u8; 28], Maker)>,
    /// The family of the makers.
    pub family: String,
}

/// A pool or a genesis delegate, with all keys.
#[derive(Clone)]
pub struct Maker {
    pub cold: SigningKey,
    pub issuer_key: [u8; 32],
    pub vrf: SecretKey,
    pub vrf_key: [u8; 32],
    pub hot: [u8; 32],
}

/// The purpose of a VRF proof.
#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    Nonce,
    Leader,
    Praos,
}

/// The turn of a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    Lottery,
    Reserved,
    /// By its place in the order of the genesis keys.
    Delegate(usize),
}

impl Maker {
    /// The maker of this name in a family: all keys follow from both.
    pub fn named(family: &str, name: &str) -> Self {
        let name = [family, name].concat();
        let secret = |of: &str| hash_256(&[name.as_bytes(), b": ", of.as_bytes()]);
        let cold = SigningKey::from_bytes(&secret("cold key"));
        let vrf = SecretKey::from_seed(Suite::PRAOS, &secret("vrf key"));
        Self {
            issuer_key: cold.verifying_key().to_bytes(),
            vrf_key: *vrf.public_key().as_bytes(),
            hot: secret("hot key"),
            cold,
            vrf,
        }
    }

    /// This maker, but with the VRF key of another.
    pub fn with_vrf_of(&self, other: &Self) -> Self {
        Self {
            vrf: other.vrf.clone(),
            vrf_key: other.vrf_key,
            ..self.clone()
        }
    }

    pub fn pool(&self) -> [u8; 28] {
        hash_224(&self.issuer_key)
    }

    pub fn vrf_hash(&self) -> [u8; 32] {
        hash_256(&[&self.vrf_key])
    }

    pub fn prove(&self, alpha: &[u8]) -> Cert {
        let (proof, output) = self.vrf.prove(alpha);
        Cert {
            output: output.0,
            proof: proof.as_bytes().to_vec(),
        }
    }
}

/// The input of a proof.
pub fn alpha(purpose: Purpose, slot: u64, nonce: &[u8; 32]) -> [u8; 32] {
    let seed = hash_256(&[&slot.to_be_bytes(), nonce]);
    let tag = match purpose {
        Purpose::Nonce => 0u64,
        Purpose::Leader => 1,
        Purpose::Praos => return seed,
    };
    let mask = hash_256(&[&tag.to_be_bytes()]);
    array::from_fn(|at| seed[at] ^ mask[at])
}

/// The turn of a slot, counted from the first of its epoch: overlay slot k is floor(k/d), every
/// floor(1/f)-th of them is a delegate's, the others are nobody's.
pub fn turn(slot: u64, d: Ratio, f: Ratio, delegates: usize) -> Turn {
    if d.0 == 0 {
        return Turn::Lottery;
    }
    // The first overlay slot that is not before this one.
    let mut k = slot * d.0 / d.1;
    while k * d.1 / d.0 < slot {
        k += 1;
    }
    let spacing = f.1 / f.0;
    match k * d.1 / d.0 == slot {
        false => Turn::Lottery,
        true if !k.is_multiple_of(spacing) => Turn::Reserved,
        true => Turn::Delegate((k / spacing) as usize % delegates),
    }
}

/// The number of leader values that lead, which is above each of them.
pub fn leading(tag: u8, sigma: Ratio, f: Ratio) -> BigUint {
    Rule::EXACT.count(bits(tag), sigma, f)
}

/// The bits of a leader value.
pub fn bits(tag: u8) -> u32 {
    if tag < 6 { 512 } else { 256 }
}

/// A leader value as bytes of the length that it has in its era.
pub fn value_bytes(value: &BigUint, bits: u32) -> Vec<u8> {
    let digits = value.to_bytes_be();
    let mut bytes = vec![0; bits as usize / 8 - digits.len()];
    bytes.extend_from_slice(&digits);
    bytes
}

/// The text of a ratio.
pub fn text((a, b): Ratio) -> String {
    format!("{a}/{b}")
}

impl Context {
    /// The maker of this name.
    pub fn maker(&self, name: &str) -> Maker {
        Maker::named(&self.family, name)
    }

    pub fn first_slot(&self) -> u64 {
        self.epoch * self.epoch_length
    }

    pub fn turn(&self, slot: u64) -> Turn {
        let slot = slot - self.first_slot();
        turn(slot, self.d, self.f, self.delegates.len())
    }

    pub fn leader_purpose(&self) -> Purpose {
        match self.era.tag {
            6.. => Purpose::Praos,
            _ => Purpose::Leader,
        }
    }

    /// The input of the proof that decides who leads.
    pub fn alpha(&self, slot: u64) -> [u8; 32] {
        alpha(self.leader_purpose(), slot, &self.nonce)
    }

    /// The leader value of an input.
    pub fn draw(&self, maker: &Maker, alpha: &[u8]) -> BigUint {
        BigUint::from_bytes_be(&leader_value(self.era.tag, &maker.vrf.evaluate(alpha).0))
    }

    /// The first slot of the epoch from `after` slots on that is like this.
    pub fn find(&self, after: u64, is_like: impl Fn(u64) -> bool) -> u64 {
        let first = self.first_slot();
        let mut slots = first + after..first + self.epoch_length;
        slots
            .find(|slot| is_like(*slot))
            .expect("an epoch is long enough")
    }

    /// The first slot from `after` slots on that the maker wins with this share of the stake.
    pub fn win(&self, after: u64, maker: &Maker, sigma: Ratio) -> u64 {
        self.win_with(after, maker, sigma, |slot| self.alpha(slot))
    }

    /// The same with inputs of another kind.
    pub fn win_with(
        &self,
        after: u64,
        maker: &Maker,
        sigma: Ratio,
        alpha: impl Fn(u64) -> [u8; 32],
    ) -> u64 {
        let leading = leading(self.era.tag, sigma, self.f);
        self.find(after, |slot| {
            self.turn(slot) == Turn::Lottery && self.draw(maker, &alpha(slot)) < leading
        })
    }

    /// The header of an honest maker in a slot, whether he may lead or not: with certificate 3, which
    /// began some periods ago.
    pub fn draft(&self, maker: &Maker, slot: u64) -> Draft {
        let tag = self.era.tag;
        let mut certs = vec![maker.prove(&self.alpha(slot))];
        if self.leader_purpose() == Purpose::Leader {
            certs.insert(0, maker.prove(&alpha(Purpose::Nonce, slot, &self.nonce)));
        }
        let age = 10.min(self.max_kes_evolutions - 1);
        let start = self.period(slot) - age;
        Draft {
            tag,
            // About one block in twenty slots, and some hash.
            number: slot / 20,
            previous: hash_256(&[b"the block before slot", &slot.to_be_bytes()]),
            slot,
            issuer_key: maker.issuer_key,
            vrf_key: maker.vrf_key,
            certs,
            body_hash: empty_body(tag),
            certificate: certify(&maker.cold, maker.hot, 3, start),
            hot: maker.hot,
            evolution: age,
        }
    }

    pub fn period(&self, slot: u64) -> u64 {
        slot / self.slots_per_kes_period
    }

    /// The members of a group, without its tests.
    pub fn head(&self, comment: &str) -> Object {
        let delegates = self.delegates.iter().map(|(genesis_key, maker)| {
            json!({
                "delegate": hex::encode(maker.pool()),
                "genesisKey": hex::encode(genesis_key),
                "vrf": hex::encode(maker.vrf_hash()),
            })
        });
        Object::default()
            .with("type", "headers")
            .with("comment", comment)
            .with("era", self.era.name)
            .with("tag", self.era.tag)
            .with("protocolMajor", self.era.protocol_major)
            .with("epoch", self.epoch)
            .with("firstSlot", self.first_slot())
            .with("epochLength", self.epoch_length)
            .with("nonce", hex::encode(self.nonce))
            .with("f", text(self.f))
            .with("d", text(self.d))
            .with("slotsPerKesPeriod", self.slots_per_kes_period)
            .with("maxKesEvolutions", self.max_kes_evolutions)
            .with("delegates", delegates.collect::<Vec<_>>())
    }
}
