//! The equations of half-aggregated signatures, and one sum for those of many tokens.
//!
//! An equation says that S is the weighted sum of the signatures of some messages:
//! `S·G = Σ z_i·(R_i + c_i·P_i)`, where c_i and z_i are hashes of the message and of all before
//! it. What many equations need is computed for all of them at once, a step at a time: hashes side
//! by side in lanes, then points, then one sum with random factors. ristretto255 has prime order, so
//! no point of small order can hide in a sum of equations.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::Engine;
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use crate::codec::Reader;
use crate::error::{Error, KeyFault, Place};
use crate::kind::ROOT;
use crate::prefix::{Hashed, Tags};
use crate::ristretto::Elements;
use crate::scheme::Binding;

pub(crate) const TAGS: Tags = Tags {
    init: b"klero-token/v1/aggregate/init",
    block: b"klero-token/v1/aggregate/block",
};
const TAG_CHALLENGE: &[u8] = b"klero-token/v1/aggregate/challenge";
const TAG_WEIGHT: &[u8] = b"klero-token/v1/aggregate/weight";
const TAG_BATCH: &[u8] = b"klero-token/v1/aggregate/batch";

/// P_i and R_i.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) key: [u8; 32],
    pub(crate) commitment: [u8; 32],
}

impl Pair {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key);
        out.extend(self.commitment);
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self {
            key: reader.array("key")?,
            commitment: reader.array("signature")?,
        })
    }

    fn hashed<'a>(&'a self, kind: u8, payload: &'a [u8]) -> Hashed<'a> {
        Hashed::new(kind, &self.key, &self.commitment, payload)
    }
}

/// Hs: SHA-512 mod L.
pub(crate) fn hash_to_scalar(tag: &[u8], parts: &[&[u8]]) -> Scalar {
    let mut hash = Sha512::new().chain_update(tag);
    for part in parts {
        hash.update(part);
    }
    let mut wide = Zeroizing::new([0; 64]);
    hash.finalize_into((&mut *wide).into());
    Scalar::from_bytes_mod_order_wide(&wide)
}

/// h_i of a message.
pub(crate) fn next(before: &Binding, kind: u8, pair: &Pair, payload: &[u8]) -> Binding {
    TAGS.next(before, &pair.hashed(kind, payload))
}

/// c_i.
pub(crate) fn challenge(h: &Binding) -> Scalar {
    hash_to_scalar(TAG_CHALLENGE, &[h])
}

/// z_i for i > 0.
pub(crate) fn weight(h: &Binding) -> Scalar {
    hash_to_scalar(TAG_WEIGHT, &[h])
}

/// A block, a cover or a seal, and the place that errors name.
pub(crate) struct Message<'a> {
    pub(crate) kind: u8,
    pub(crate) pair: &'a Pair,
    pub(crate) payload: Cow<'a, [u8]>,
    pub(crate) place: Place,
}

/// `Σ z_i·(R_i + c_i·P_i) = S·G`, where z of the first message is 1.
pub(crate) struct Equation<'a> {
    s: Scalar,
    messages: Vec<Message<'a>>,
}

impl<'a> Equation<'a> {
    /// The equation, if S, which stands at a place, is below L.
    pub(crate) fn new(
        s: &[u8; 32],
        messages: Vec<Message<'a>>,
        place: Place,
    ) -> Result<Self, Error> {
        let s = Option::from(Scalar::from_canonical_bytes(*s));
        let s = s.ok_or(Error::SignatureScalar { place })?;
        Ok(Self { s, messages })
    }
}

/// Verifies with one sum for all equations and, if it fails, with a sum for each. `before` is the
/// prefix hash that all of them begin with; `place` is where S stands.
pub(crate) fn verify_together(
    engine: Engine,
    before: &Binding,
    equations: Vec<Result<Equation<'_>, Error>>,
    place: Place,
) -> Vec<Result<(), Error>> {
    let sound: Vec<_> = equations.iter().flatten().collect();
    let (encodings, sums) = sums(engine, before, &sound);
    let elements = Elements::decode(engine, &encodings);
    let checked: Vec<_> = sums.iter().map(|sum| sum.check_points(&elements)).collect();
    let group: Vec<_> = sums
        .iter()
        .zip(&checked)
        .filter_map(|(sum, checked)| checked.is_ok().then_some(sum))
        .collect();
    let all_hold = group.len() > 1 && hold(&elements, &group, &random_factors(engine, &group));
    let mut verdicts = sums.iter().zip(checked).map(|(sum, checked)| {
        checked?;
        if all_hold || hold(&elements, &[sum], &[Scalar::ONE]) {
            Ok(())
        } else {
            Err(Error::Signature { place })
        }
    });
    equations
        .iter()
        .map(|equation| {
            equation.as_ref().map_err(Clone::clone)?;
            // There is one for each equation.
            verdicts.next().unwrap_or(Err(Error::Signature { place }))
        })
        .collect()
}

/// The sum of an equation.
struct Sum<'a> {
    equation: &'a Equation<'a>,
    /// The prefix hash of everything in the equation.
    h: Binding,
    terms: Vec<Term>,
}

/// z·(R + c·P).
struct Term {
    c: Scalar,
    z: Scalar,
    /// The numbers of P and R among the encodings of all equations.
    key: usize,
    commitment: usize,
}

/// The sums of equations, and the encodings of their points.
fn sums<'a>(
    engine: Engine,
    before: &Binding,
    equations: &[&'a Equation<'a>],
) -> (Vec<[u8; 32]>, Vec<Sum<'a>>) {
    let hashes = prefix_hashes(engine, before, equations);
    let scalars = challenges_and_weights(engine, &hashes);
    let mut scalars = scalars.as_chunks().0.iter();
    let mut encodings = Encodings::default();
    let sums = equations
        .iter()
        .zip(&hashes)
        .map(|(&equation, hashes)| Sum {
            equation,
            h: hashes.last().copied().unwrap_or(*before),
            terms: (0..)
                .zip(&equation.messages)
                .zip(&mut scalars)
                .map(|((i, message), [c, z])| Term {
                    c: Scalar::from_bytes_mod_order_wide(c),
                    z: match i {
                        0 => Scalar::ONE,
                        _ => Scalar::from_bytes_mod_order_wide(z),
                    },
                    key: encodings.number_of_key(message),
                    commitment: encodings.number(&message.pair.commitment),
                })
                .collect(),
        })
        .collect();
    (encodings.all, sums)
}

/// h_i of the messages of each equation: one message of every equation after the other.
fn prefix_hashes(
    engine: Engine,
    before: &Binding,
    equations: &[&Equation<'_>],
) -> Vec<Vec<Binding>> {
    let lengths = equations.iter().map(|equation| equation.messages.len());
    let mut hashes: Vec<_> = lengths.clone().map(Vec::with_capacity).collect();
    for i in 0..lengths.max().unwrap_or(0) {
        let mut rows = Vec::with_capacity(equations.len());
        let mut states = Vec::with_capacity(equations.len());
        let mut blocks = Vec::with_capacity(equations.len());
        for (row, equation) in equations.iter().enumerate() {
            if let Some(message) = equation.messages.get(i) {
                rows.push(row);
                states.push(hashes[row].last().unwrap_or(before));
                blocks.push(message.pair.hashed(message.kind, &message.payload));
            }
        }
        let next = TAGS.next_of_each(engine, &states, &blocks);
        for (row, h) in rows.into_iter().zip(next) {
            hashes[row].push(h);
        }
    }
    hashes
}

/// What c_i and z_i of all messages are reduced from, in order.
fn challenges_and_weights(engine: Engine, hashes: &[Vec<Binding>]) -> Vec<[u8; 64]> {
    let parts = hashes
        .iter()
        .flatten()
        .flat_map(|h| [[TAG_CHALLENGE, h], [TAG_WEIGHT, h]]);
    hash_each(engine, &parts.collect::<Vec<[&[u8]; 2]>>())
}

fn hash_each<const N: usize>(engine: Engine, parts: &[[&[u8]; N]]) -> Vec<[u8; 64]> {
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 64]; messages.len()];
    engine.sha512(&[], &messages, &mut digests);
    digests
}

/// The encodings of points, numbered.
#[derive(Default)]
struct Encodings {
    all: Vec<[u8; 32]>,
    /// The numbers of the root keys, of which there are few.
    roots: Vec<usize>,
}

impl Encodings {
    fn number(&mut self, encoding: &[u8; 32]) -> usize {
        self.all.push(*encoding);
        self.all.len() - 1
    }

    /// A root key that begins many tokens is one point.
    fn number_of_key(&mut self, message: &Message<'_>) -> usize {
        let key = &message.pair.key;
        if message.kind != ROOT {
            return self.number(key);
        }
        let known = self.roots.iter().find(|&&root| self.all[root] == *key);
        known.copied().unwrap_or_else(|| {
            let root = self.number(key);
            self.roots.push(root);
            root
        })
    }
}

impl Sum<'_> {
    /// Checks that every point is valid.
    fn check_points(&self, elements: &Elements) -> Result<(), Error> {
        for (message, term) in self.equation.messages.iter().zip(&self.terms) {
            let (pair, place) = (message.pair, message.place);
            if let Some(fault) = fault(elements, term.key, &pair.key) {
                return Err(Error::Key { place, fault });
            }
            if fault(elements, term.commitment, &pair.commitment).is_some() {
                return Err(Error::SignaturePoint { place });
            }
        }
        Ok(())
    }
}

/// The encoding of the identity.
const IDENTITY: [u8; 32] = [0; 32];

/// What is wrong with a point.
fn fault(elements: &Elements, i: usize, encoding: &[u8; 32]) -> Option<KeyFault> {
    match (elements.is_valid(i), *encoding == IDENTITY) {
        (true, false) => None,
        // Neither a nonce nor a key is 0.
        (true, true) => Some(KeyFault::SmallOrder),
        // The decoder does not distinguish other encodings of points from those of none.
        (false, _) => Some(KeyFault::NotAPoint),
    }
}

/// 128 bits for each equation, from a hash of all equations: nobody can choose a token
/// after the factors are known.
fn random_factors(engine: Engine, sums: &[&Sum<'_>]) -> Vec<Scalar> {
    let mut all = Sha512::new().chain_update(TAG_BATCH);
    for sum in sums {
        all.update(sum.h);
        all.update(sum.equation.s.as_bytes());
    }
    let all: [u8; 64] = all.finalize().into();
    let numbers: Vec<_> = (0..sums.len() as u64).map(u64::to_le_bytes).collect();
    let parts: Vec<[&[u8]; 3]> = numbers.iter().map(|i| [TAG_BATCH, &all, i]).collect();
    let factor = |hash: &[u8; 64]| {
        let mut factor = [0; 16];
        factor.copy_from_slice(&hash[..16]);
        Scalar::from(u128::from_le_bytes(factor))
    };
    hash_each(engine, &parts).iter().map(factor).collect()
}

/// Whether `Σ factor·(Σ z·(R + c·P) - S·G) = 0`.
fn hold(elements: &Elements, sums: &[&Sum<'_>], factors: &[Scalar]) -> bool {
    let mut base = Scalar::ZERO;
    let mut scalars = vec![Scalar::ZERO; elements.len()];
    for (sum, factor) in sums.iter().zip(factors) {
        base -= factor * sum.equation.s;
        for term in &sum.terms {
            let weight = factor * term.z;
            scalars[term.key] += weight * term.c;
            scalars[term.commitment] += weight;
        }
    }
    let terms = scalars.into_iter().enumerate();
    // Those of equations that are not in the sum.
    let terms: Vec<_> = terms.filter(|(_, by)| *by.as_bytes() != [0; 32]).collect();
    elements.cancel(&terms, base)
}
