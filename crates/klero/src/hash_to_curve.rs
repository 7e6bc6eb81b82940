//! From `pk ‖ alpha` to the point H, in the three ways in use, a group at a time.
//!
//! All of them end with a multiplication by the cofactor, so H lies in the
//! subgroup of order L. Only public values pass here: variable time is fine.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Engine, Point};
use sha2::{Digest, Sha512};

use crate::suite::{HashToCurve, Suite};
use crate::transcript::short;

/// The domain separation tag of RFC 9381, section 5.5, without the suite octet.
const DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";

/// H of each (public key, alpha), or `None` when try-and-increment runs out of
/// counters.
pub(crate) fn hash_to_curve(
    engine: &dyn Engine,
    suite: &Suite,
    inputs: &[(&[u8; 32], &[u8])],
) -> Vec<Option<Point>> {
    let mut points = vec![Point::IDENTITY; inputs.len()];
    match suite.hash_to_curve {
        HashToCurve::Draft03 => {
            let r: Vec<_> = inputs
                .iter()
                .map(|(pk, alpha)| short(suite.hash, &[&[suite.octet, 1], &pk[..], alpha]))
                .collect();
            engine.elligator2_draft03(&r, &mut points);
        }
        HashToCurve::Rfc9380 => {
            let r: Vec<_> = inputs
                .iter()
                .map(|(pk, alpha)| reduce(&expand_message(suite.octet, pk, alpha)))
                .collect();
            engine.elligator2_rfc9380(&r, &mut points);
        }
        HashToCurve::TryAndIncrement => return try_and_increment(engine, suite, inputs),
    }
    points.into_iter().map(Some).collect()
}

/// `expand_message_xmd` of RFC 9380, section 5.3.1, with SHA-512, to 48 bytes.
fn expand_message(octet: u8, pk: &[u8; 32], alpha: &[u8]) -> [u8; 48] {
    let dst_len = DST.len() as u8 + 1;
    let first = Sha512::new()
        .chain_update([0; 128])
        .chain_update(pk)
        .chain_update(alpha)
        .chain_update([0, 48, 0])
        .chain_update(DST)
        .chain_update([octet, dst_len])
        .finalize();
    let second = Sha512::new()
        .chain_update(first)
        .chain_update([1])
        .chain_update(DST)
        .chain_update([octet, dst_len])
        .finalize();
    let mut uniform = [0; 48];
    uniform.copy_from_slice(&second[..48]);
    uniform
}

/// A big-endian integer of 48 bytes to a little-endian one of 255 bits, the same
/// mod p = 2^255 - 19.
fn reduce(uniform: &[u8; 48]) -> [u8; 32] {
    let mut words = [0u64; 6];
    for (word, bytes) in words.iter_mut().zip(uniform.rchunks_exact(8)) {
        *word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    let mut low = [words[0], words[1], words[2], words[3] & (u64::MAX >> 1)];
    let mut high = [
        words[3] >> 63 | words[4] << 1,
        words[4] >> 63 | words[5] << 1,
        words[5] >> 63,
    ];
    // 2^255 = 19. The first round leaves at most one bit above, the second none.
    for _ in 0..2 {
        let mut carry = 0u128;
        for (i, word) in low.iter_mut().enumerate() {
            let above = high.get(i).copied().unwrap_or(0);
            carry += u128::from(*word) + 19 * u128::from(above);
            *word = carry as u64;
            carry >>= 64;
        }
        high = [low[3] >> 63, 0, 0];
        low[3] &= u64::MAX >> 1;
    }
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(low) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Each round tries the next counter for all that have no point yet, so that the
/// lanes stay full.
fn try_and_increment(
    engine: &dyn Engine,
    suite: &Suite,
    inputs: &[(&[u8; 32], &[u8])],
) -> Vec<Option<Point>> {
    let mut found = vec![None; inputs.len()];
    let mut pending: Vec<usize> = (0..inputs.len()).collect();
    for counter in 0..=u8::MAX {
        let candidates: Vec<_> = pending
            .iter()
            .map(|&i| {
                let (pk, alpha) = inputs[i];
                let parts: [&[u8]; 4] = [&[suite.octet, 1], pk, alpha, &[counter, 0]];
                short(suite.hash, &parts)
            })
            .collect();
        let mut points = vec![Point::IDENTITY; pending.len()];
        let mut on_curve = vec![false; pending.len()];
        engine.decode(&candidates, &mut points, &mut on_curve);
        let mut tried = points.iter().zip(on_curve);
        pending.retain(|&i| {
            let point = tried.next().filter(|(_, on_curve)| *on_curve);
            found[i] = point.map(|(point, _)| *point);
            point.is_none()
        });
        if pending.is_empty() {
            break;
        }
    }
    let on_curve: Vec<Point> = found.iter().copied().flatten().collect();
    let mut multiples = on_curve.clone();
    engine.mul_by_cofactor(&on_curve, &mut multiples);
    let mut multiples = multiples.into_iter();
    for point in found.iter_mut().flatten() {
        if let Some(multiple) = multiples.next() {
            *point = multiple;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    #[test]
    fn reduction_is_that_of_the_integers() {
        let p = (BigUint::from(1u8) << 255) - 19u8;
        for byte in [0, 1, 0x7f, 0x80, 0xec, 0xed, 0xff] {
            for first in [0, 0xff] {
                let mut uniform = [byte; 48];
                uniform[0] = first;
                let reduced = reduce(&uniform);
                assert!(reduced[31] < 0x80);
                let expected = BigUint::from_bytes_be(&uniform) % &p;
                assert_eq!(BigUint::from_bytes_le(&reduced) % &p, expected);
            }
        }
    }
}
