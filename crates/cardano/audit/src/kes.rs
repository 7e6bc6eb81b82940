//! Verifies the KES signatures of many headers at once, in the lanes of vectors.
//!
//! A signature of Sum6 is an Ed25519 signature and six pairs of verification keys. The evolution chooses one
//! key of each pair. The chosen key of the first pair is the key of the Ed25519 signature. The hash of each
//! pair must be the chosen key of the next pair, and the hash of the last pair must be the KES key. The six
//! hashes of a signature do not depend on each other. So the pairs of all signatures are hashed together, and
//! then all Ed25519 signatures are verified together. If one key signs several headers at one evolution,
//! their pairs are equal and are hashed once.
//!
//! Source: cardano-base, `Cardano/Crypto/KES/Sum.hs`, `verifyKES`. The Ed25519 signatures are
//! judged as libsodium judges them.

use std::collections::HashMap;

use klero_cardano::{InvalidKes, KesClaim};
use klero_ed25519::{Claim, verify_many_on};
use klero_lanes::{Engine, engine, through};

use crate::hash::blake2b;

/// The depth of the tree of keys: the number of pairs between the KES key and a leaf.
const DEPTH: usize = 6;

/// The verdict on a KES signature: valid, or invalid with the reason.
pub type KesVerdict = Result<(), InvalidKes>;

/// Returns one verdict for each claim, in order. Any bytes of a claim may be untrusted. Works on the calling
/// thread, in variable time.
///
/// ```
/// use klero_audit::verify_kes;
/// use klero_cardano::{InvalidKes, KesClaim};
/// use klero_forge::KesKey;
///
/// let mut key = KesKey::from_seed([7; 32]);
/// key.evolve();
/// let (verification_key, signature) = (key.verification_key(), key.sign(b"header"));
/// let claim = |evolution| KesClaim {
///     key: &verification_key,
///     evolution,
///     message: b"header",
///     signature: &signature,
/// };
/// let verdicts = verify_kes(&[claim(1), claim(32), claim(64)]);
/// assert_eq!(verdicts[0], Ok(()));
/// assert_eq!(verdicts[1], Err(InvalidKes::Path(1)));
/// assert_eq!(verdicts[2], Err(InvalidKes::Evolution(64)));
/// ```
#[must_use = "the verdicts are the result"]
pub fn verify_kes(claims: &[KesClaim<'_>]) -> Vec<KesVerdict> {
    verify_kes_on(engine(), claims)
}

/// Does the same as [`verify_kes`] on a chosen engine. No verdict depends on the engine.
#[must_use = "the verdicts are the result"]
pub fn verify_kes_on(engine: Engine, claims: &[KesClaim<'_>]) -> Vec<KesVerdict> {
    let (paths, places) = distinct_paths(claims);
    let leaves = leaves(engine, &paths);
    let signatures = claims.iter().zip(places).map(|(claim, place)| {
        let key = leaves[place]?;
        Ok(Claim::new(key, claim.message, &claim.signature[..64]))
    });
    let verdicts = through(signatures.collect(), |signatures| {
        verify_many_on(engine, signatures)
    });
    verdicts
        .into_iter()
        .map(|verdict| verdict?.1.map_err(InvalidKes::Leaf))
        .collect()
}

/// Returns one claim for each path from a KES key to the leaf of an evolution, and for every claim the index
/// of its path. Claims share a path only if it is the first with their key and evolution.
fn distinct_paths<'a>(claims: &[KesClaim<'a>]) -> (Vec<KesClaim<'a>>, Vec<usize>) {
    let (mut paths, mut places) = (Vec::<KesClaim<'_>>::new(), Vec::with_capacity(claims.len()));
    // Honest headers with the same key and evolution have the same pairs, so they share the first path.
    let mut known = HashMap::new();
    for claim in claims {
        let place = *known
            .entry((claim.key, claim.evolution))
            .or_insert(paths.len());
        let is_known = paths
            .get(place)
            .is_some_and(|path| pairs(path) == pairs(claim));
        places.push(if is_known { place } else { paths.len() });
        if !is_known {
            paths.push(*claim);
        }
    }
    (paths, places)
}

/// The pairs of verification keys in a signature, from the leaf to the root.
fn pairs<'a>(claim: &KesClaim<'a>) -> &'a [[u8; 64]] {
    claim.signature[64..].as_chunks().0
}

/// Returns the Ed25519 key at the end of each path, or the reason why the path is invalid.
fn leaves<'a>(engine: Engine, paths: &[KesClaim<'a>]) -> Vec<Result<&'a [u8; 32], InvalidKes>> {
    let messages = paths.iter().flat_map(pairs);
    let hashes = blake2b(engine, messages.map(|pair| &pair[..]));
    let hashes = hashes.chunks_exact(DEPTH);
    paths
        .iter()
        .zip(hashes)
        .map(|(claim, hashes)| leaf(claim, hashes))
        .collect()
}

/// Returns the key at the end of a path. `hashes` are the hashes of the path's pairs.
fn leaf<'a>(claim: &KesClaim<'a>, hashes: &[[u8; 32]]) -> Result<&'a [u8; 32], InvalidKes> {
    if claim.evolution >> DEPTH != 0 {
        return Err(InvalidKes::Evolution(claim.evolution));
    }
    let mut key = claim.key;
    for (level, (pair, hash)) in pairs(claim).iter().zip(hashes).enumerate().rev() {
        if hash != key {
            return Err(InvalidKes::Path((DEPTH - 1 - level) as u8));
        }
        // Each bit of the evolution chooses a key: the lowest bit in the first pair, the highest in the last.
        let half = ((claim.evolution >> level) & 1) as usize;
        key = &pair.as_chunks().0[half];
    }
    Ok(key)
}
