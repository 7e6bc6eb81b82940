//! Maps `pk ‖ alpha` to the point H in one of three ways, for a group of inputs at a time.
//!
//! Each way ends with a multiplication by the cofactor, so H is in the subgroup of order L. All values here
//! are public, so variable time is fine.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Elligator2, Engine, Point};

use crate::decode::Decoded;
use crate::stage::Stage;
use crate::suite::{HashToCurve, Suite};
use crate::transcript::{first, hash_32, sha512};
use crate::tuning::MOST_TRIES;

/// The domain separation tag of RFC 9381, section 5.5, without the suite octet.
const DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";

/// Decodes encodings to points, and hashes inputs to H. An input is a public key and alpha. Encodings and
/// inputs share vectors, because both need square roots. An input gives the identity and `false` if
/// try-and-increment runs out of counters, which has probability 2^-256.
pub(crate) fn decode_and_hash(
    engine: Engine,
    suite: Suite,
    encodings: &[[u8; 32]],
    inputs: &[(&[u8; 32], &[u8])],
    watch: &mut impl FnMut(Stage),
) -> (Decoded, Vec<Point>, Vec<bool>) {
    let (form, r): (_, Vec<_>) = match suite.hash_to_curve {
        HashToCurve::Draft03 => {
            let front = [suite.octet, 1];
            let messages: Vec<[&[u8]; 3]> = inputs
                .iter()
                .map(|(pk, alpha)| [&front, &pk[..], alpha])
                .collect();
            let r = hash_32(engine, suite.hash, &messages);
            (Elligator2::Draft03, r)
        }
        HashToCurve::Rfc9380 => {
            let uniform = expand_messages(engine, suite.octet, inputs);
            (Elligator2::Rfc9380, uniform.iter().map(reduce).collect())
        }
        HashToCurve::TryAndIncrement => {
            return try_and_increment(engine, suite, encodings, inputs, watch);
        }
    };
    watch(Stage::HashAlpha);
    let mut points = vec![Point::IDENTITY; encodings.len()];
    let mut on_curve = vec![false; encodings.len()];
    let mut mapped = vec![Point::IDENTITY; inputs.len()];
    engine.decode_and_map(encodings, &mut points, &mut on_curve, &r, form, &mut mapped);
    let decoded = Decoded::new(encodings, points, &on_curve);
    watch(Stage::Roots);
    (decoded, mapped, vec![true; inputs.len()])
}

/// `expand_message_xmd` of RFC 9380, section 5.3.1, with SHA-512 and an output of 48 bytes.
fn expand_messages(engine: Engine, octet: u8, inputs: &[(&[u8; 32], &[u8])]) -> Vec<[u8; 48]> {
    let dst_len = DST.len() as u8 + 1;
    let suffix = [&[0, 48, 0], DST, &[octet, dst_len]].concat();
    let messages: Vec<[&[u8]; 3]> = inputs
        .iter()
        .map(|(pk, alpha)| [&pk[..], alpha, &suffix])
        .collect();
    // Every message begins with Z_pad, a block of zeros.
    let b_0 = sha512(engine, &[[0; 128]], &messages);
    let suffix = [&[1], DST, &[octet, dst_len]].concat();
    let messages: Vec<[&[u8]; 2]> = b_0.iter().map(|b_0| [&b_0[..], &suffix]).collect();
    sha512(engine, &[], &messages).iter().map(first).collect()
}

/// Reduces a big-endian integer of 48 bytes to a little-endian integer of 255 bits that is congruent modulo p
/// = 2^255 - 19.
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
    // 2^255 = 19 mod p. After the first round, the integer has at most 256 bits; after the second, 255.
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

/// Hashes by try-and-increment. Each round tries the next counter for every input that has no point yet. A
/// round tries several counters for each such input if vector lanes would otherwise stay empty.
fn try_and_increment(
    engine: Engine,
    suite: Suite,
    encodings: &[[u8; 32]],
    inputs: &[(&[u8; 32], &[u8])],
    watch: &mut impl FnMut(Stage),
) -> (Decoded, Vec<Point>, Vec<bool>) {
    let mut found = vec![false; inputs.len()];
    let mut preimages = vec![Point::IDENTITY; inputs.len()];
    let mut pending: Vec<usize> = (0..inputs.len()).collect();
    let mut decoded = Decoded::new(&[], Vec::new(), &[]);
    let front = [suite.octet, 1];
    let mut counters = 0..=u8::MAX;
    // The first round decodes the encodings as well.
    let mut along = encodings;
    loop {
        let empty = engine.lanes() - along.len() % engine.lanes();
        let tries = (empty / pending.len().max(1)).clamp(1, MOST_TRIES);
        let endings: Vec<[u8; 2]> = counters.by_ref().take(tries).map(|c| [c, 0]).collect();
        if along.is_empty() && (pending.is_empty() || endings.is_empty()) {
            break;
        }
        let mut messages: Vec<[&[u8]; 4]> = Vec::with_capacity(pending.len() * endings.len());
        for &i in &pending {
            let (pk, alpha) = inputs[i];
            messages.extend(endings.iter().map(|end| [&front[..], pk, alpha, end]));
        }
        let mut candidates = along.to_vec();
        candidates.extend(hash_32(engine, suite.hash, &messages));
        watch(Stage::HashAlpha);
        let mut points = vec![Point::IDENTITY; candidates.len()];
        let mut on_curve = vec![false; candidates.len()];
        engine.decode(&candidates, &mut points, &mut on_curve);
        let mut tried = points.iter().zip(&on_curve).skip(along.len());
        pending.retain(|&i| {
            let mut of_this = tried.by_ref().take(endings.len());
            if let Some((point, _)) = of_this.find(|(_, on_curve)| **on_curve) {
                (preimages[i], found[i]) = (*point, true);
            }
            of_this.for_each(drop);
            !found[i]
        });
        if !along.is_empty() {
            points.truncate(along.len());
            decoded = Decoded::new(along, points, &on_curve);
            along = &[];
        }
        watch(Stage::Roots);
    }
    // An input without a point keeps the identity, because 8 times the identity is the identity.
    let mut points = preimages.clone();
    engine.mul_by_cofactor(&preimages, &mut points);
    watch(Stage::Roots);
    (decoded, points, found)
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
