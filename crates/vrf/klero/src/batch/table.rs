//! The first stage: decodes the bytes of claims to a table of points and scalars.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point};

use super::kept::{Found, KeptKeys};
use crate::claim::Claim;
use crate::error::Invalid;
use crate::hash_to_curve::decode_and_hash;
use crate::key::PublicKey;
use crate::proof::{self, Parts};
use crate::stage::Stage;
use crate::suite::Suite;
use crate::transcript::{self, Challenge};

/// A group of claims, with one row for each claim.
pub(crate) struct Table<'a> {
    pub(crate) engine: Engine,
    pub(crate) suite: Suite,
    pub(crate) claims: &'a [Claim<'a>],
    /// The reason why each claim is invalid, if one is known already. In the row of an invalid claim, the
    /// values in the other columns have no meaning.
    pub(crate) invalid: Vec<Option<Invalid>>,
    /// The distinct keys.
    pub(crate) keys: Keys,
    /// For each claim, the row of `keys` that holds its key.
    pub(crate) key: Vec<usize>,
    /// The proofs, divided into their parts.
    pub(crate) parts: Vec<Parts<'a>>,
    pub(crate) gamma: Vec<Point>,
    /// The scalars s, below L.
    pub(crate) s: Vec<[u8; 32]>,
    pub(crate) h: Vec<Point>,
}

/// Distinct keys, with one row for each key.
pub(crate) struct Keys {
    pub(crate) encodings: Vec<[u8; 32]>,
    pub(crate) points: Vec<Point>,
    /// The reasons why keys are invalid. The points of invalid keys are the identity.
    invalid: Vec<Option<Invalid>>,
    /// The kept values of keys that are used often.
    pub(crate) kept: Found,
}

impl<'a> Table<'a> {
    /// Decodes claims to points and scalars, and hashes to the curve. Equal keys are decoded only once. Kept
    /// keys need no decoding.
    pub(crate) fn decode(
        engine: Engine,
        suite: Suite,
        kept_keys: Option<&KeptKeys>,
        claims: &'a [Claim<'a>],
        watch: &mut impl FnMut(Stage),
    ) -> Self {
        let (distinct, key) = distinct_keys(claims);
        let kept = match kept_keys {
            Some(keys) => keys.find(&distinct),
            None => vec![None; distinct.len()],
        };
        let mut keys = Keys::undecoded(&distinct, kept);
        let fresh: Vec<usize> = (0..distinct.len())
            .filter(|&at| keys.kept[at].is_none())
            .collect();
        let (parts, lengths) = split(suite, claims);
        let keys_to_decode = fresh.iter().map(|&at| keys.encodings[at]);
        let gammas_to_decode = parts.iter().map(|parts| *parts.gamma);
        let encodings: Vec<_> = keys_to_decode.chain(gammas_to_decode).collect();
        watch(Stage::Parse);

        let alphas = alphas_to_hash(claims, &lengths);
        let encoded = key.iter().map(|&key| &keys.encodings[key]);
        let inputs: Vec<_> = encoded.zip(alphas).collect();
        let (mut decoded, h, found) = decode_and_hash(engine, suite, &encodings, &inputs, watch);
        let gammas = decoded.split_off(fresh.len());
        for (row, at) in fresh.into_iter().enumerate() {
            match PublicKey::point(distinct[at], decoded.row(row)) {
                Ok(point) => keys.points[at] = point,
                Err(invalid) => keys.invalid[at] = Some(invalid),
            }
        }

        let judged = parts.iter().zip(lengths).enumerate();
        let judged = judged.map(|(row, (parts, wrong_length))| {
            let s = proof::decode_s(suite.rules, parts.s);
            // If there are several reasons, the first in the order of the variants of `Invalid` counts.
            let reason = keys.invalid[key[row]]
                .or(wrong_length)
                .or(gammas.faults[row].map(proof::not_gamma))
                .or(s.err())
                .or((!found[row]).then_some(Invalid::NoCurvePoint));
            (s.unwrap_or_default(), reason)
        });
        let (s, invalid) = judged.unzip();
        Self {
            engine,
            suite,
            claims,
            invalid,
            keys,
            key,
            parts,
            gamma: gammas.points,
            s,
            h,
        }
    }

    /// Counts the uses of the keys in the rows before `end`, and keeps the keys that have been used often
    /// enough.
    pub(crate) fn keep_keys(
        &mut self,
        kept_keys: &KeptKeys,
        end: usize,
        watch: &mut impl FnMut(Stage),
    ) {
        let mut uses = vec![0; self.keys.points.len()];
        for &key in &self.key[..end] {
            uses[key] += 1;
        }
        let keys = &mut self.keys;
        let fresh: Vec<usize> = (0..uses.len())
            .filter(|&key| uses[key] > 0 && keys.kept[key].is_none() && keys.invalid[key].is_none())
            .collect();
        if fresh.is_empty() {
            return;
        }
        let (encodings, points) = (pick(&keys.encodings, &fresh), pick(&keys.points, &fresh));
        let kept = kept_keys.count(self.engine, &encodings, &points, &pick(&uses, &fresh));
        for (key, kept) in fresh.into_iter().zip(kept) {
            keys.kept[key] = kept;
        }
        watch(Stage::KeepKeys);
    }

    pub(crate) fn len(&self) -> usize {
        self.claims.len()
    }

    /// The encoding of a claim's key.
    pub(crate) fn key_encoding(&self, row: usize) -> &[u8; 32] {
        &self.keys.encodings[self.key[row]]
    }

    /// The encodings of U and V that a proof carries.
    pub(crate) fn proof_uv(&self, row: usize) -> [&[u8; 32]; 2] {
        self.parts[row].points.unwrap_or([&[0; 32]; 2])
    }

    /// Marks a claim as invalid, unless it already has a reason.
    pub(crate) fn reject(&mut self, row: usize, reason: Invalid) {
        self.invalid[row].get_or_insert(reason);
    }

    /// Hashes the challenges, given the encodings of H, U and V.
    pub(crate) fn hash_challenges<'u>(
        &'u self,
        h: &'u [[u8; 32]],
        uv: impl Fn(usize) -> [&'u [u8; 32]; 2],
    ) -> Vec<Challenge> {
        let items = (0..self.len()).map(|row| {
            let [u, v] = uv(row);
            let points = [&h[row], self.parts[row].gamma, u, v];
            (self.key_encoding(row), points)
        });
        transcript::challenges(self.engine, self.suite, items)
    }

    /// The challenges that proofs of 80 bytes carry.
    pub(crate) fn given_challenges(&self) -> Vec<Challenge> {
        let given = |parts: &Parts<'_>| parts.challenge.copied().unwrap_or_default();
        self.parts.iter().map(given).collect()
    }

    /// Hashes the challenges of proofs that carry U and V. Rejects each proof that carries a different
    /// challenge. Returns the challenges and the encodings of H.
    pub(crate) fn hashed_challenges(
        &mut self,
        watch: &mut impl FnMut(Stage),
    ) -> (Vec<Challenge>, Vec<[u8; 32]>) {
        let h = encode_all(self.engine, &self.h);
        watch(Stage::EncodeH);
        let hashed = self.hash_challenges(&h, |row| self.proof_uv(row));
        for (row, hashed) in hashed.iter().enumerate() {
            let given = self.parts[row].challenge;
            if given.is_some_and(|given| given != hashed) {
                self.reject(row, Invalid::ChallengeMismatch);
            }
        }
        watch(Stage::Hash);
        (hashed, h)
    }
}

impl Keys {
    /// Returns keys before decoding. Kept keys have their points, and all other keys have the identity.
    fn undecoded(keys: &[&[u8]], kept: Found) -> Self {
        let points = kept
            .iter()
            .map(|kept| kept.as_ref().map_or(Point::IDENTITY, |kept| kept.point));
        Self {
            encodings: keys.iter().map(|key| PublicKey::encoding(key)).collect(),
            points: points.collect(),
            invalid: vec![None; keys.len()],
            kept,
        }
    }
}

/// Returns the parts of each proof, and the reason for each proof that has a wrong length.
fn split<'a>(suite: Suite, claims: &[Claim<'a>]) -> (Vec<Parts<'a>>, Vec<Option<Invalid>>) {
    let split = |claim: &Claim<'a>| match Parts::split(suite.proof_form, claim.proof) {
        Ok(parts) => (parts, None),
        Err(invalid) => (Parts::NONE, Some(invalid)),
    };
    claims.iter().map(split).unzip()
}

/// Returns the alphas to hash. A claim whose key or proof has a wrong length is rejected anyway. Its alpha
/// may be long, so an empty alpha is hashed instead.
fn alphas_to_hash<'a>(
    claims: &[Claim<'a>],
    lengths: &[Option<Invalid>],
) -> impl Iterator<Item = &'a [u8]> {
    let alphas = claims.iter().zip(lengths);
    alphas.map(|(claim, wrong_length)| {
        let rejected = claim.key.len() != 32 || wrong_length.is_some();
        if rejected { &[] } else { claim.alpha }
    })
}

/// Returns the distinct keys, and the index of each claim's key among them. Keys that do not have 32 bytes
/// are invalid and may be long, so two of them count as equal if their lengths are equal.
fn distinct_keys<'a>(claims: &[Claim<'a>]) -> (Vec<&'a [u8]>, Vec<usize>) {
    let mut place_of: BTreeMap<Result<&[u8; 32], usize>, usize> = BTreeMap::new();
    let mut keys = Vec::new();
    let places = claims
        .iter()
        .map(|claim| {
            let key = claim.key.try_into().map_err(|_| claim.key.len());
            *place_of.entry(key).or_insert_with(|| {
                keys.push(claim.key);
                keys.len() - 1
            })
        })
        .collect();
    (keys, places)
}

/// Returns the items of a column in the given rows.
pub(crate) fn pick<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| column[row]).collect()
}

/// The encodings of points.
pub(crate) fn encode_all(engine: Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::SecretKey;
    use crate::stage::unwatched;

    fn decode<'a>(suite: Suite, claims: &'a [Claim<'a>]) -> Table<'a> {
        Table::decode(klero_lanes::engine(), suite, None, claims, &mut unwatched)
    }

    #[test]
    fn no_alpha_is_hashed_where_a_length_rejects_the_claim() {
        for &suite in Suite::ALL {
            let key = SecretKey::from_seed(suite, &[7; 32]);
            let (proof, _) = key.prove(b"alpha");
            let (key, proof) = (key.public_key().as_bytes(), proof.as_bytes());
            let long = [proof, &[0]].concat();
            let claims = |alpha: &'static [u8]| {
                [
                    Claim::new(key, alpha, proof),
                    Claim::new(&key[..31], alpha, proof),
                    Claim::new(&[], alpha, proof),
                    Claim::new(key, alpha, &proof[1..]),
                    Claim::new(key, alpha, &long),
                    Claim::new(&key[..31], alpha, &long),
                ]
            };
            let [claims, of_empty] = [claims(b"alpha"), claims(b"")];
            let [table, of_empty] = [decode(suite, &claims), decode(suite, &of_empty)];
            let wrong_length = |got| Invalid::ProofLength {
                expected: proof.len(),
                got,
            };
            let reasons = [
                None,
                Some(Invalid::KeyLength(31)),
                Some(Invalid::KeyLength(0)),
                Some(wrong_length(proof.len() - 1)),
                Some(wrong_length(proof.len() + 1)),
                Some(Invalid::KeyLength(31)),
            ];
            assert_eq!(table.invalid, reasons, "{suite}");
            let [h, of_empty] = [table, of_empty].map(|table| encode_all(table.engine, &table.h));
            assert_ne!(h[0], of_empty[0], "{suite}");
            assert_eq!(h[1..], of_empty[1..], "{suite}");
        }
    }

    #[test]
    fn keys_of_a_wrong_length_are_told_apart_by_it_alone() {
        let keys: [&[u8]; 6] = [&[1; 32], &[2; 31], &[3; 31], &[1; 33], &[1; 32], &[3; 32]];
        let claims = keys.map(|key| Claim::new(key, b"", &[0; 80]));
        let (distinct, places) = distinct_keys(&claims);
        assert_eq!(distinct, [keys[0], keys[1], keys[3], keys[5]]);
        assert_eq!(places, [0, 1, 1, 2, 0, 3]);
    }
}
