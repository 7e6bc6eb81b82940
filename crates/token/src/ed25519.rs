//! Strict verification of many Ed25519 signatures, side by side in vector lanes.
//!
//! A signature is valid if the key and R are canonical and not of small order, s < L, and
//! `R = s·B - k·A` without the cofactor. These are the rules of
//! `ed25519_dalek::VerifyingKey::verify_strict`, which however accepts keys that are not
//! canonical. There is no sum of signatures in which torsion could hide: each is verified by
//! itself.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signature, VerifyingKey};
use klero_lanes::{Engine, Point, engine, y_is_canonical};
use sha2::{Digest, Sha512};

use crate::error::KeyFault;

/// A signed message, in parts.
pub(crate) struct Message<'a> {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: [&'a [u8]; 3],
}

impl Message<'_> {
    pub(crate) fn parts(&self) -> [&[u8]; 4] {
        let [a, b, c] = self.tail;
        [&self.head, a, b, c]
    }
}

/// A signature, its key and its message.
pub(crate) struct Signed<'a> {
    pub(crate) key: &'a [u8; 32],
    pub(crate) signature: &'a [u8; 64],
    pub(crate) message: Message<'a>,
}

/// What is wrong with a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Key(KeyFault),
    /// s is L or more.
    Scalar,
    Signature,
}

/// Decodes a key: the canonical encoding of a point that is not of small order.
pub(crate) fn decode_key(key: &[u8; 32]) -> Result<VerifyingKey, KeyFault> {
    if !y_is_canonical(key) {
        return Err(KeyFault::NotCanonical);
    }
    let point = VerifyingKey::from_bytes(key).map_err(|_| KeyFault::NotAPoint)?;
    // Both encodings with x = 0 have small order, so the sign needs no check of its own.
    if point.is_weak() {
        return Err(KeyFault::SmallOrder);
    }
    Ok(point)
}

/// The number of signatures up to which one by one is faster than in a vector (measured on
/// Zen 4).
fn few(engine: Engine) -> usize {
    if engine.name() == "avx512" { 4 } else { 2 }
}

/// The verdict on each signature.
pub(crate) fn verify(signed: &[Signed<'_>]) -> Vec<Result<(), Fault>> {
    let n = signed.len();
    let engine = engine();
    let whole = match engine.lanes() {
        1 => 0,
        lanes if n % lanes <= few(engine) => n - n % lanes,
        _ => n,
    };
    let (many, few) = signed.split_at(whole);
    let mut verdicts = verify_in_lanes(engine, many);
    verdicts.extend(few.iter().map(verify_one));
    verdicts
}

fn verify_one(signed: &Signed<'_>) -> Result<(), Fault> {
    let key = decode_key(signed.key).map_err(Fault::Key)?;
    check_scalar(signed.signature)?;
    let signature = Signature::from_bytes(signed.signature);
    key.verify_strict(&signed.message.parts().concat(), &signature)
        .map_err(|_| Fault::Signature)
}

/// Checks that s < L.
fn check_scalar(signature: &[u8; 64]) -> Result<(), Fault> {
    let mut s = [0; 32];
    s.copy_from_slice(&signature[32..]);
    let canonical = Scalar::from_canonical_bytes(s).is_some();
    bool::from(canonical).then_some(()).ok_or(Fault::Scalar)
}

/// k of RFC 8032, section 5.1.7.
fn challenge(signed: &Signed<'_>) -> [u8; 32] {
    let mut hash = Sha512::new()
        .chain_update(&signed.signature[..32])
        .chain_update(signed.key);
    for part in signed.message.parts() {
        hash.update(part);
    }
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into()).to_bytes()
}

/// The same verdicts as [`verify_one`].
fn verify_in_lanes(engine: Engine, signed: &[Signed<'_>]) -> Vec<Result<(), Fault>> {
    let n = signed.len();
    let keys: Vec<_> = signed.iter().map(|signed| *signed.key).collect();
    let mut points = vec![Point::IDENTITY; n];
    let mut on_curve = vec![false; n];
    engine.decode(&keys, &mut points, &mut on_curve);

    let half = |signed: &Signed<'_>| {
        let mut s = [0; 32];
        s.copy_from_slice(&signed.signature[32..]);
        s
    };
    let s: Vec<_> = signed.iter().map(half).collect();
    let k: Vec<_> = signed.iter().map(challenge).collect();
    let mut r = vec![Point::IDENTITY; n];
    engine.mul_base_sub_long(&s, &k, &points, &mut r);
    let mut encodings = vec![[0; 32]; n];
    engine.encode(&r, &mut encodings);

    let verdict = |i: usize| {
        let key = |fault| Err(Fault::Key(fault));
        if !y_is_canonical(&keys[i]) {
            return key(KeyFault::NotCanonical);
        }
        if !on_curve[i] {
            return key(KeyFault::NotAPoint);
        }
        if points[i].is_small_order() {
            return key(KeyFault::SmallOrder);
        }
        check_scalar(signed[i].signature)?;
        if signed[i].signature[..32] != encodings[i] || r[i].is_small_order() {
            return Err(Fault::Signature);
        }
        Ok(())
    };
    (0..n).map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use curve25519_dalek::constants::EIGHT_TORSION;
    use curve25519_dalek::edwards::EdwardsPoint;
    use curve25519_dalek::traits::Identity;
    use ed25519_dalek::{Signer, SigningKey};

    /// A signature of x by hand, with torsion added to the key and to R.
    fn by_hand(x: Scalar, torsion: [usize; 2], message: &[u8]) -> ([u8; 32], [u8; 64]) {
        let nonce = Scalar::from(message.len() as u64 + 77);
        let key = EdwardsPoint::mul_base(&x) + EIGHT_TORSION[torsion[0]];
        let r = EdwardsPoint::mul_base(&nonce) + EIGHT_TORSION[torsion[1]];
        let (key, r) = (key.compress().to_bytes(), r.compress().to_bytes());
        let hash = Sha512::new()
            .chain_update(r)
            .chain_update(key)
            .chain_update(message);
        let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&(nonce + k * x).to_bytes());
        (key, signature)
    }

    /// Keys, signatures and messages: honest, hostile, and damaged.
    fn cases() -> Vec<([u8; 32], [u8; 64], Vec<u8>)> {
        let mut cases = Vec::new();
        for i in 0..24u8 {
            let key = SigningKey::from_bytes(&[i; 32]);
            let message = vec![i; usize::from(i) * 9];
            let signature = key.sign(&message).to_bytes();
            let honest = (key.verifying_key().to_bytes(), signature, message);
            for bit in [0, 255, 256, 300, 511] {
                let mut damaged = honest.clone();
                damaged.1[bit / 8] ^= 1 << (bit % 8);
                cases.push(damaged);
            }
            let mut damaged = honest.clone();
            damaged.0[usize::from(i)] ^= 4;
            cases.push(damaged);
            // s + L
            let mut long = honest.clone();
            let order = (-Scalar::ONE).to_bytes();
            let mut carry = 1u16;
            for (byte, add) in long.1[32..].iter_mut().zip(order) {
                carry += u16::from(*byte) + u16::from(add);
                *byte = carry as u8;
                carry >>= 8;
            }
            cases.push(long);
            cases.push(honest);
        }
        // Torsion in the key and in R; which of them hold depends on the message.
        for i in 0..64 {
            for length in 0..4 {
                let message = vec![7; length];
                let (key, signature) = by_hand(Scalar::from(5u8), [i % 8, i / 8], &message);
                cases.push((key, signature, message));
            }
        }
        // Keys of small order and R of small order, canonical and not.
        let mut encodings: Vec<[u8; 32]> = EIGHT_TORSION
            .iter()
            .map(|p| p.compress().to_bytes())
            .collect();
        encodings.push(EdwardsPoint::identity().compress().to_bytes());
        for low in 0xec..=0xff {
            let mut encoding = [0xff; 32];
            encoding[0] = low;
            encodings.push(encoding);
            encoding[31] = 0x7f;
            encodings.push(encoding);
        }
        let mut minus_zero = [0; 32];
        (minus_zero[0], minus_zero[31]) = (1, 0x80);
        encodings.push(minus_zero);
        for encoding in &encodings {
            for s in [Scalar::ZERO, Scalar::ONE] {
                for r in &encodings {
                    let mut signature = [0; 64];
                    signature[..32].copy_from_slice(r);
                    signature[32..].copy_from_slice(&s.to_bytes());
                    cases.push((*encoding, signature, vec![1]));
                }
            }
        }
        cases
    }

    #[test]
    fn lanes_say_what_dalek_says() {
        let cases = cases();
        let signed: Vec<_> = cases
            .iter()
            .map(|(key, signature, message)| {
                let (head, tail) = message.split_at(message.len() / 2);
                let message = Message {
                    head: head.to_vec(),
                    tail: [tail, &[], &[]],
                };
                Signed {
                    key,
                    signature,
                    message,
                }
            })
            .collect();
        let one_by_one: Vec<_> = signed.iter().map(verify_one).collect();
        assert!(one_by_one.iter().filter(|verdict| verdict.is_ok()).count() > 24);
        for fault in [
            Fault::Signature,
            Fault::Scalar,
            Fault::Key(KeyFault::SmallOrder),
            Fault::Key(KeyFault::NotCanonical),
            Fault::Key(KeyFault::NotAPoint),
        ] {
            assert!(one_by_one.contains(&Err(fault)), "{fault:?}");
        }
        for ((key, signature, message), verdict) in cases.iter().zip(&one_by_one) {
            let strict = VerifyingKey::from_bytes(key)
                .and_then(|key| key.verify_strict(message, &Signature::from_bytes(signature)));
            // The only stricter rule is that keys are canonical.
            let canonical = y_is_canonical(key);
            assert_eq!(verdict.is_ok(), strict.is_ok() && canonical, "{key:02x?}");
        }
        for engine in klero_lanes::engines() {
            assert_eq!(verify_in_lanes(engine, &signed), one_by_one, "{engine:?}");
        }
        for n in 0..20 {
            assert_eq!(verify(&signed[..n]), one_by_one[..n]);
        }
    }
}
