//! The secrets of a key and of its proofs, in the forms in which a computation may leave them.

use std::collections::BTreeMap;

use base64ct::Encoding;
use klero_reference::{Hash, Suite, challenge, expand, hash_to_curve, nonce};
use num_bigint::BigUint;
use sha2::{Digest, Sha512};

/// The number of consecutive bytes that are enough to find a secret.
const PART: usize = 8;

/// The number of bits in a limb of curve25519-dalek's scalars.
const LIMB: usize = 52;

/// The secrets to look for.
#[derive(Default)]
pub struct Secrets {
    /// A map from parts of secrets to the names of the secrets.
    parts: BTreeMap<[u8; PART], String>,
    /// A map from the digits of scalars to the names of the scalars. (The digits are those of `klero-lanes`'
    /// combs.) A key of the map holds the first 64 digits of a scalar as bits, the first in the highest bit.
    digits: BTreeMap<u64, String>,
}

impl Secrets {
    /// Collects the secrets of the key with this seed.
    pub fn of_key(seed: &[u8; 32]) -> Self {
        let mut secrets = Self::default();
        secrets.add_bytes("seed", seed);
        secrets.add_bytes("hex of the seed", hex::encode(seed).as_bytes());
        secrets.add_bytes("upper-case hex", hex::encode_upper(seed).as_bytes());
        for base64 in [
            base64ct::Base64UrlUnpadded::encode_string(seed),
            base64ct::Base64Unpadded::encode_string(seed),
        ] {
            secrets.add_bytes("base64 of the seed", base64.as_bytes());
        }
        let prefix = bech32::Hrp::parse_unchecked("vrf_sk");
        let text = bech32::encode::<bech32::Bech32>(prefix, seed).unwrap();
        secrets.add_bytes("Bech32 of the seed", &text.as_bytes()[7..]);
        secrets.add_bytes("expanded seed", &Sha512::digest(seed));
        let x = expand(seed).x;
        secrets.add_scalar("x", &x);
        secrets.add_scalar("reduced x", &(x % order()));
        secrets
    }

    /// Adds the secrets of a proof: the nonce k, and c·x, which reveals k because s = k + c·x.
    pub fn add_proof(&mut self, suite: &Suite, seed: &[u8; 32], alpha: &[u8]) {
        let key = expand(seed);
        let h_point = hash_to_curve(suite, &key.public, alpha).unwrap();
        let h = h_point.encode();
        let hashed = [&key.prefix[..], &h];
        match suite.hash {
            Hash::Sha512 => self.add_bytes("hash of k", &suite.hash_64(&hashed)),
            Hash::Blake2b => self.add_bytes("hash of k", &suite.hash_32(&hashed)),
        }
        let k = nonce(suite, &key.prefix, &h);
        self.add_scalar("k", &k);

        let [gamma, v] = [&key.x, &k].map(|scalar| h_point.mul(scalar).encode());
        let u = klero_reference::curve::B.mul(&k).encode();
        let c = challenge(suite, &key.public, [h, gamma, u, v]);
        let product = BigUint::from_bytes_le(&c) * &key.x % order();
        self.add_scalar("c·x", &product);
        // curve25519-dalek uses Montgomery's method, which first computes the product divided by 2^260.
        let by = BigUint::from(1u8) << (5 * LIMB);
        let quotient = product * by.modinv(&order()).unwrap() % order();
        self.add_scalar("quotient of c·x", &quotient);
    }

    /// Adds each part also with its bytes reversed: SHA-512 loads words with the highest byte first.
    fn add_bytes(&mut self, name: &str, bytes: &[u8]) {
        for part in bytes.windows(PART) {
            let mut part: [u8; PART] = part.try_into().unwrap();
            self.parts.insert(part, name.to_owned());
            part.reverse();
            self.parts
                .insert(part, format!("{name}, highest byte first"));
        }
    }

    /// Adds the bytes, the limbs and the comb digits of a scalar. For the digits, L is added to an even
    /// scalar. The result is halved, rounding down. The bits of this half are the digits.
    fn add_scalar(&mut self, name: &str, scalar: &BigUint) {
        self.add_bytes(name, &padded(scalar));
        let mask = (BigUint::from(1u8) << LIMB) - 1u8;
        // The fifth and highest limb has few bits, and is left out.
        for i in 0..4 {
            let limb = padded(&(scalar >> (LIMB * i) & &mask));
            let limb = limb.first_chunk().unwrap();
            self.parts.insert(*limb, format!("limb of {name}"));
        }
        let even = !scalar.bit(0);
        let half = (scalar + u8::from(even) * order()) >> 1;
        self.add_bytes(&format!("half of {name}"), &padded(&half));
        let digits = (0..64).fold(0, |digits, i| digits << 1 | u64::from(half.bit(i)));
        self.digits.insert(digits, format!("digits of {name}"));
    }

    /// Returns the secrets found in this memory, each with the position where it begins. Digits have the
    /// position where they end instead.
    pub fn found(&self, memory: &[u8]) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        for (place, part) in memory.windows(PART).enumerate() {
            if let Some(name) = self.parts.get(part) {
                found.push((place, name.as_str()));
            }
        }
        // Eight scalars are stored together: each byte holds one digit of each, in a bit of its own.
        let mut digits = [0u64; 8];
        for (place, byte) in memory.iter().enumerate() {
            for (lane, digits) in digits.iter_mut().enumerate() {
                *digits = *digits << 1 | u64::from(byte >> lane & 1);
                if let Some(name) = self.digits.get(digits) {
                    found.push((place, name.as_str()));
                }
            }
        }
        found
    }

    /// Returns all forms of secrets to look for. Digits are in bit 3 (the fourth lane) of 64 bytes.
    pub fn forms(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let parts = self.parts.iter().map(|(part, name)| (name, part.to_vec()));
        let digits = self.digits.iter().map(|(digits, name)| {
            let bits = (0..64).rev().map(|i| (digits >> i & 1) as u8);
            (name, bits.map(|bit| bit << 3 | 0x51).collect())
        });
        parts
            .chain(digits)
            .map(|(name, form)| (name.as_str(), form))
    }
}

fn order() -> BigUint {
    (BigUint::from(1u8) << 252) + 27742317777372353535851937790883648493u128
}

/// Returns the number as 32 bytes, little endian.
fn padded(number: &BigUint) -> Vec<u8> {
    let mut bytes = number.to_bytes_le();
    bytes.resize(32, 0);
    bytes
}
