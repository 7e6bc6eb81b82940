//! KES signatures of many headers, side by side in lanes.
//!
//! A signature of Sum6 is an Ed25519 signature and six pairs of verification keys. The hash of the last pair
//! is the key, the hash of each other pair is one key of the pair after it, and one key of the first pair is
//! the Ed25519 key. The evolution chooses the key of each pair. The six hashes of a signature do not depend
//! on each other, so the hashes of all signatures fill the lanes; then the Ed25519 signatures do. Equal
//! paths, as in the blocks that one key signs at one evolution, are hashed once.
//!
//! Source: cardano-base, `Cardano/Crypto/KES/Sum.hs`, `verifyKES`. The Ed25519 signatures are
//! judged as libsodium judges them.

use std::collections::HashMap;

use klero_cardano::{InvalidKes, KesClaim};
use klero_ed25519::{Claim, verify_many_on};
use klero_lanes::{Engine, engine, through};

use crate::hash::blake2b;

/// Halvings from the root of a key to its leaves.
const DEPTH: usize = 6;

/// The verdict on a KES signature: valid, or invalid with the reason.
pub type KesVerdict = Result<(), InvalidKes>;

/// Returns one verdict for each claim, in order. Accepts untrusted bytes. Variable time, on the calling
/// thread.
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

/// [`verify_kes`] on a chosen engine. No verdict depends on the engine.
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

/// The claims with distinct paths from the root of a key to the leaf of an evolution, and the place of each
/// claim's path among them.
fn distinct_paths<'a>(claims: &[KesClaim<'a>]) -> (Vec<KesClaim<'a>>, Vec<usize>) {
    let (mut paths, mut places) = (Vec::<KesClaim<'_>>::new(), Vec::with_capacity(claims.len()));
    // Two honest headers with the same key and evolution have the same pairs.
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

/// The pairs of verification keys in a signature, the deepest first.
fn pairs<'a>(claim: &KesClaim<'a>) -> &'a [[u8; 64]] {
    claim.signature[64..].as_chunks().0
}

/// The Ed25519 keys at the ends of the paths.
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

/// The key at the end of a path; `hashes` are the hashes of its pairs.
fn leaf<'a>(claim: &KesClaim<'a>, hashes: &[[u8; 32]]) -> Result<&'a [u8; 32], InvalidKes> {
    if claim.evolution >> DEPTH != 0 {
        return Err(InvalidKes::Evolution(claim.evolution));
    }
    let mut key = claim.key;
    for (level, (pair, hash)) in pairs(claim).iter().zip(hashes).enumerate().rev() {
        if hash != key {
            return Err(InvalidKes::Path((DEPTH - 1 - level) as u8));
        }
        // Each bit of the evolution chooses a half, the highest bit at the root.
        let half = ((claim.evolution >> level) & 1) as usize;
        key = &pair.as_chunks().0[half];
    }
    Ok(key)
}
