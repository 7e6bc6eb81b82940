//! Strict verification of many Ed25519 signatures, side by side in vector lanes.
//!
//! Strict as `ed25519_dalek::VerifyingKey::verify_strict` and stricter in encodings: the
//! key is canonical and not of small order, R is canonical and not of small order,
//! s < L, and `R = s·B - k·A` with no cofactor. Every signature is verified by itself;
//! there is no sum of them that torsion could hide in.

use curve25519_dalek::scalar::Scalar;
use lanes::{Point, engine};
use sha2::{Digest, Sha512};

use crate::error::KeyFault;

/// A signature, who made it, and the hash k of it and what was signed (RFC 8032, section
/// 5.1.7).
pub(crate) struct Signed<'a> {
    pub(crate) key: &'a [u8; 32],
    pub(crate) signature: &'a [u8; 64],
    pub(crate) k: Scalar,
}

impl<'a> Signed<'a> {
    /// A signature of the message, which comes in parts.
    pub(crate) fn new(
        key: &'a [u8; 32],
        signature: &'a [u8; 64],
        message: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Self {
        let mut hash = Sha512::new()
            .chain_update(&signature[..32])
            .chain_update(key);
        for part in message {
            hash.update(part);
        }
        Self {
            key,
            signature,
            k: Scalar::from_bytes_mod_order_wide(&hash.finalize().into()),
        }
    }
}

/// What is wrong with a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Key(KeyFault),
    /// s is L or more.
    Scalar,
    Signature,
}

/// -A for a canonical encoding of a point A that is not of small order.
pub(crate) fn decode_keys(keys: &[&[u8; 32]]) -> Vec<Result<Point, KeyFault>> {
    // The other sign: -x for x.
    let encodings: Vec<[u8; 32]> = keys
        .iter()
        .map(|key| {
            let mut encoding = **key;
            encoding[31] ^= 0x80;
            encoding
        })
        .collect();
    let mut points = vec![Point::IDENTITY; keys.len()];
    let mut on_curve = vec![false; keys.len()];
    engine().decode(&encodings, &mut points, &mut on_curve);
    keys.iter()
        .zip(points)
        .zip(on_curve)
        .map(|((key, point), on_curve)| {
            if !is_below_p(key) {
                return Err(KeyFault::NotCanonical);
            }
            if !on_curve {
                return Err(KeyFault::NotAPoint);
            }
            // x = 0 has two encodings, and small order.
            if point.is_small_order() {
                return Err(KeyFault::SmallOrder);
            }
            Ok(point)
        })
        .collect()
}

/// y < p = 2^255 - 19?
fn is_below_p(encoding: &[u8; 32]) -> bool {
    encoding[0] < 0xed || encoding[1..31] != [0xff; 30] || encoding[31] & 0x7f != 0x7f
}

/// The verdict on each signature.
pub(crate) fn verify(signed: &[Signed<'_>]) -> Vec<Result<(), Fault>> {
    let keys: Vec<_> = signed.iter().map(|signed| signed.key).collect();
    let n = signed.len();
    let mut verdicts = Vec::with_capacity(n);
    let (mut s, mut k, mut points) = (vec![[0; 32]; n], vec![[0; 32]; n], Vec::with_capacity(n));
    for (i, (signed, key)) in signed.iter().zip(decode_keys(&keys)).enumerate() {
        s[i].copy_from_slice(&signed.signature[32..]);
        k[i] = signed.k.to_bytes();
        points.push(key.unwrap_or(Point::IDENTITY));
        let canonical = bool::from(Scalar::from_canonical_bytes(s[i]).is_some());
        verdicts.push(match key {
            Err(fault) => Err(Fault::Key(fault)),
            Ok(_) if !canonical => Err(Fault::Scalar),
            Ok(_) => Ok(()),
        });
    }
    let mut r = points.clone();
    engine().mul_add(&s, &vec![Point::BASE; n], &k, &points, &mut r);
    let mut encodings = vec![[0; 32]; n];
    engine().encode(&r, &mut encodings);
    for ((verdict, signed), (r, encoding)) in
        verdicts.iter_mut().zip(signed).zip(r.iter().zip(encodings))
    {
        if verdict.is_ok() && (signed.signature[..32] != encoding || r.is_small_order()) {
            *verdict = Err(Fault::Signature);
        }
    }
    verdicts
}
