//! Signatures for the tests: honest, damaged and hostile.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signer, SigningKey};
use klero_ed25519::Claim;
use sha2::{Digest, Sha512};

use crate::reference::SMALL_ORDER;

/// The number of honest signatures in [`honest_and_damaged`].
pub(crate) const HONEST: usize = 60;

/// A signature, honest or not, with the key and the message of the claim.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) key: [u8; 32],
    pub(crate) message: Vec<u8>,
    pub(crate) signature: [u8; 64],
}

impl Case {
    pub(crate) fn claim(&self) -> Claim<'_> {
        Claim::new(&self.key, &self.message, &self.signature)
    }
}

pub(crate) fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}

/// Honest signatures on messages of many lengths, some by the same key, and damaged copies of each. Each copy
/// has one change: a flipped bit in the signature or the key, a longer message, or a multiple of L added to
/// s, if the sum fits in 256 bits.
pub(crate) fn honest_and_damaged() -> Vec<Case> {
    let mut cases = Vec::new();
    for i in 0..HONEST {
        let secret = SigningKey::from_bytes(&random32(i as u64 % 40));
        let message: Vec<u8> = random32(i as u64).repeat(i)[..i * i % 900 % (32 * i + 1)].to_vec();
        let signature = secret.sign(&message).to_bytes();
        let honest = Case {
            key: secret.verifying_key().to_bytes(),
            message,
            signature,
        };
        for bit in [0, 7, 255, 256, 300, 507, 508, 511] {
            let mut damaged = honest.clone();
            damaged.signature[bit / 8] ^= 1 << (bit % 8);
            cases.push(damaged);
        }
        let mut damaged = honest.clone();
        damaged.key[i % 32] ^= 4;
        cases.push(damaged);
        let mut damaged = honest.clone();
        damaged.message.push(0);
        cases.push(damaged);
        let mut longer = honest.clone();
        while plus_order(&mut longer.signature) {
            cases.push(longer.clone());
        }
        cases.insert(0, honest);
    }
    cases
}

/// Adds L to s. Returns true if the sum fits in 256 bits.
fn plus_order(signature: &mut [u8; 64]) -> bool {
    let order_minus_1 = (-Scalar::ONE).to_bytes();
    let mut carry = 1u16;
    for (byte, add) in signature[32..].iter_mut().zip(order_minus_1) {
        carry += u16::from(*byte) + u16::from(add);
        *byte = carry as u8;
        carry >>= 8;
    }
    carry == 0
}

/// Makes a signature by hand with the secret scalar 5, and adds torsion to the key and to R. Without a
/// nonce, R is only the torsion point.
pub(crate) fn by_hand(
    key_torsion: usize,
    r_torsion: usize,
    nonce: Option<u64>,
    message: &[u8],
) -> Case {
    let (x, nonce) = (Scalar::from(5u8), nonce.map_or(Scalar::ZERO, Scalar::from));
    let key = EdwardsPoint::mul_base(&x) + EIGHT_TORSION[key_torsion % 8];
    let r = EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[r_torsion];
    signed(
        key.compress().to_bytes(),
        r.compress().to_bytes(),
        x,
        nonce,
        message,
    )
}

fn signed(key: [u8; 32], r: [u8; 32], x: Scalar, nonce: Scalar, message: &[u8]) -> Case {
    let hash = Sha512::new()
        .chain_update(r)
        .chain_update(key)
        .chain_update(message);
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r);
    signature[32..].copy_from_slice(&(nonce + k * x).to_bytes());
    Case {
        key,
        message: message.to_vec(),
        signature,
    }
}

/// Signatures with torsion in the key, in R, in both and in neither, each with and without a nonce. Their
/// validity depends on k mod 8, and therefore on the message.
pub(crate) fn torsion() -> Vec<Case> {
    let mut cases = Vec::new();
    for (key, r) in (0..8).flat_map(|key| (0..8).map(move |r| (key, r))) {
        for length in 0..8 {
            let message = vec![7; length];
            cases.push(by_hand(key, r, Some(77 + length as u64), &message));
            cases.push(by_hand(key, r, None, &message));
        }
    }
    cases
}

/// Every encoding of a point of small order: canonical or not, with either sign.
pub(crate) fn small_order_encodings() -> Vec<[u8; 32]> {
    let mut encodings = Vec::new();
    for y in SMALL_ORDER {
        let mut encoding: [u8; 32] = hex::decode(y).unwrap().try_into().unwrap();
        encodings.push(encoding);
        encoding[31] |= 0x80;
        encodings.push(encoding);
    }
    encodings
}

/// Signatures that combine each key of small order with each R of small order and with an R of order L. Other
/// signatures combine an ordinary key with each R of small order.
pub(crate) fn small_order() -> Vec<Case> {
    let encodings = small_order_encodings();
    let nonce = Scalar::from(77u8);
    let r = EdwardsPoint::mul_base(&nonce).compress().to_bytes();
    let x = Scalar::from(5u8);
    let key = EdwardsPoint::mul_base(&x).compress().to_bytes();
    let mut cases = Vec::new();
    for message in [&b"a"[..], b"b", b"c", b"Zcash"] {
        for encoding in &encodings {
            cases.push(signed(*encoding, r, Scalar::ZERO, nonce, message));
            cases.push(signed(key, *encoding, x, Scalar::ZERO, message));
            for nonce in [Scalar::ZERO, Scalar::ONE] {
                let r = encodings.iter();
                cases.extend(r.map(|r| signed(*encoding, *r, Scalar::ZERO, nonce, message)));
            }
        }
    }
    cases
}

/// Signatures that use each y from p - 1 to 2^255 - 1, with either sign, as the key, as R, or as both.
pub(crate) fn not_canonical() -> Vec<Case> {
    let honest = by_hand(0, 0, Some(77), b"message");
    let mut cases = Vec::new();
    for low in 0xec..=0xff {
        for top in [0x7f, 0xff] {
            let mut encoding = [0xff; 32];
            (encoding[0], encoding[31]) = (low, top);
            let (mut key, mut r) = (honest.clone(), honest.clone());
            key.key = encoding;
            r.signature[..32].copy_from_slice(&encoding);
            let zero = Scalar::ZERO;
            let both = signed(encoding, encoding, zero, zero, b"message");
            cases.extend([key, r, both]);
        }
    }
    cases
}

/// Signatures of random bytes: about half of the keys decode to points, and most scalars are too large.
pub(crate) fn random() -> Vec<Case> {
    let case = |i: u64| {
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&random32(4 * i));
        signature[32..].copy_from_slice(&random32(4 * i + 1));
        signature[63] >>= i % 5;
        Case {
            key: random32(4 * i + 2),
            message: random32(4 * i + 3).to_vec(),
            signature,
        }
    };
    (0..300).map(case).collect()
}
