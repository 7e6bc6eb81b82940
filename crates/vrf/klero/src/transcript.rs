//! Computes challenges, outputs and nonces, which are hashes of strings, in every suite (RFC 9381, sections
//! 5.2 and 5.4). Each call hashes the strings of many claims or proofs.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::Engine;
use zeroize::Zeroizing;

use crate::output::Output;
use crate::suite::{Hash, Suite, Transcript};

/// The challenge c: 16 bytes, little endian.
pub(crate) type Challenge = [u8; 16];

/// Returns a SHA-512 digest for each message: the digest of the prefix followed by the message.
pub(crate) fn sha512<const PARTS: usize>(
    engine: Engine,
    prefix: &[[u8; 128]],
    messages: &[[&[u8]; PARTS]],
) -> Vec<[u8; 64]> {
    let mut digests = vec![[0; 64]; messages.len()];
    engine.sha512(prefix, &slices(messages), &mut digests);
    digests
}

/// Returns BLAKE2b of each message.
fn blake2b<const PARTS: usize, const N: usize>(
    engine: Engine,
    messages: &[[&[u8]; PARTS]],
) -> Vec<[u8; N]> {
    let mut digests = vec![[0; N]; messages.len()];
    engine.blake2b(&slices(messages), &mut digests);
    digests
}

fn slices<'a, const PARTS: usize>(messages: &'a [[&'a [u8]; PARTS]]) -> Vec<&'a [&'a [u8]]> {
    messages.iter().map(|parts| &parts[..]).collect()
}

/// The first N of M bytes; N is at most M.
pub(crate) fn first<const N: usize, const M: usize>(digest: &[u8; M]) -> [u8; N] {
    const { assert!(N <= M) };
    let mut first = [0; N];
    first.copy_from_slice(&digest[..N]);
    first
}

/// Returns a digest of 64 bytes for each message.
fn hash_64<const PARTS: usize>(
    engine: Engine,
    hash: Hash,
    messages: &[[&[u8]; PARTS]],
) -> Vec<[u8; 64]> {
    match hash {
        Hash::Sha512 => sha512(engine, &[], messages),
        Hash::Blake2b => blake2b(engine, messages),
    }
}

/// A digest of 32 bytes for each message: the first half of SHA-512, or BLAKE2b-256.
pub(crate) fn hash_32<const PARTS: usize>(
    engine: Engine,
    hash: Hash,
    messages: &[[&[u8]; PARTS]],
) -> Vec<[u8; 32]> {
    match hash {
        Hash::Sha512 => sha512(engine, &[], messages).iter().map(first).collect(),
        Hash::Blake2b => blake2b(engine, messages),
    }
}

/// The byte that ends the strings of draft-10 and later.
fn trailer(transcript: Transcript) -> &'static [u8] {
    match transcript {
        Transcript::Draft03 => &[],
        Transcript::Draft10 | Transcript::Rfc9381 => &[0],
    }
}

/// Returns the challenge c of each item, a hash of H, Γ, U and V. Since draft-11, Y is hashed before them
/// (RFC 9381, section 5.4.3).
pub(crate) fn challenges<'a>(
    engine: Engine,
    suite: Suite,
    items: impl Iterator<Item = (&'a [u8; 32], [&'a [u8; 32]; 4])>,
) -> Vec<Challenge> {
    let front = [suite.octet, 2];
    let messages: Vec<[&[u8]; 7]> = items
        .map(|(y, [h, gamma, u, v])| {
            let y: &[u8] = match suite.transcript {
                Transcript::Rfc9381 => y,
                Transcript::Draft03 | Transcript::Draft10 => &[],
            };
            [&front, y, h, gamma, u, v, trailer(suite.transcript)]
        })
        .collect();
    let digests = hash_32(engine, suite.hash, &messages);
    digests.iter().map(first).collect()
}

/// Returns the output beta for each encoding of 8Γ (RFC 9381, section 5.2).
pub(crate) fn outputs(engine: Engine, suite: Suite, cofactor_gammas: &[[u8; 32]]) -> Vec<Output> {
    let front = [suite.octet, 3];
    let messages: Vec<_> = cofactor_gammas
        .iter()
        .map(|gamma| [&front[..], gamma, trailer(suite.transcript)])
        .collect();
    let digests = hash_64(engine, suite.hash, &messages);
    digests.into_iter().map(Output).collect()
}

/// Computes the nonces k: hashes of the secret prefix and the encoding of H (RFC 9381, section 5.4.2.2).
pub(crate) fn nonces<'a>(
    engine: Engine,
    suite: Suite,
    items: impl Iterator<Item = [&'a [u8; 32]; 2]>,
    nonces: &mut [Scalar],
) {
    let messages: Vec<[&[u8]; 2]> = items.map(|[prefix, h]| [&prefix[..], h]).collect();
    let messages = slices(&messages);
    let mut wide = Zeroizing::new(vec![[0; 64]; messages.len()]);
    match suite.hash {
        Hash::Sha512 => engine.sha512(&[], &messages, &mut wide),
        Hash::Blake2b => {
            let mut narrow = Zeroizing::new(vec![[0; 32]; messages.len()]);
            engine.blake2b(&messages, &mut narrow);
            for (wide, narrow) in wide.iter_mut().zip(narrow.iter()) {
                wide[..32].copy_from_slice(narrow);
            }
        }
    }
    for (k, wide) in nonces.iter_mut().zip(wide.iter()) {
        *k = Scalar::from_bytes_mod_order_wide(wide);
    }
}

/// Returns c as a scalar. It is below 2^128, and so below L.
pub(crate) fn challenge_scalar(c: &Challenge) -> Scalar {
    Scalar::from(u128::from_le_bytes(*c))
}
