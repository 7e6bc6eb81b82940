//! The equations of half-aggregated signatures, and one sum for those of many tokens.
//!
//! An equation says that S is the weighted sum of the signatures of some links:
//! `S·G = Σ z_i·(R_i + c_i·P_i)`, where c_i and z_i are hashes of the link and of all before
//! it. What many equations need is computed for all of them at once, a step at a time: hashes side
//! by side in lanes, then points, then one sum with random factors. ristretto255 has prime order, so
//! no point of small order can hide in a sum of equations.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Equations, through, which_hold};
use zeroize::Zeroizing;

use crate::claim::Signed;
use crate::error::{Error, KeyFault, Place};
use crate::factors::{self, Says};
use crate::kind::ROOT;
use crate::ristretto::{Element, Elements, hash_to_scalar};
use crate::stack::wiped;
use crate::state::{State, hash_each};

#[cfg(test)]
mod attacks;

const TAG_CHALLENGE: &[u8] = b"klero-token/challenge\x02";
const TAG_WEIGHT: &[u8] = b"klero-token/weight\x02";

/// c_i.
pub(crate) fn challenge(after: &State) -> Scalar {
    hash_to_scalar(TAG_CHALLENGE, &[&after.0])
}

/// z_i for i > 0.
pub(crate) fn weight(after: &State) -> Scalar {
    hash_to_scalar(TAG_WEIGHT, &[&after.0])
}

/// `Σ z_i·(R_i + c_i·P_i) = S·G`, where z of the first link is 1.
pub(crate) struct Equation<'a> {
    // On the heap, so that moving the equation leaves no copy behind.
    pub(crate) s: Box<Zeroizing<Scalar>>,
    pub(crate) links: Vec<&'a Signed<'a>>,
}

/// Verifies with one sum for all equations and, if it fails, with sums for parts.
pub(crate) fn verify_together(
    engine: Engine,
    equations: Vec<Result<Equation<'_>, Error>>,
) -> Vec<Result<(), Error>> {
    verify_with(engine, equations, factors::draw)
}

/// The same with factors from elsewhere.
fn verify_with(
    engine: Engine,
    equations: Vec<Result<Equation<'_>, Error>>,
    draw: impl FnOnce(Engine, &[Says<'_>]) -> Vec<Scalar>,
) -> Vec<Result<(), Error>> {
    let verdicts = through(equations, |equations| {
        let (encodings, sums) = sums(engine, equations);
        let elements = Elements::decode(engine, &encodings);
        let checked = sums
            .iter()
            .map(|sum| sum.check_points(&elements).map(|()| sum))
            .collect();
        through(checked, |sums| {
            let say: Vec<_> = sums.iter().map(|sum| sum.says()).collect();
            let group = Group {
                factors: match &say[..] {
                    [_] => vec![Scalar::ONE],
                    say => draw(engine, say),
                },
                sums,
                elements: &elements,
            };
            group.which_hold()
        })
        .into_iter()
        .map(|checked| {
            let (_, held) = checked?;
            let place = Place::Aggregate;
            held.then_some(()).ok_or(Error::Signature { place })
        })
        .collect()
    });
    verdicts.into_iter().map(|pair| pair?.1).collect()
}

/// The sum of an equation.
struct Sum<'a> {
    equation: &'a Equation<'a>,
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
fn sums<'a>(engine: Engine, equations: &'a [Equation<'a>]) -> (Vec<[u8; 32]>, Vec<Sum<'a>>) {
    let scalars = challenges_and_weights(engine, equations);
    let mut scalars = scalars.as_chunks().0.iter();
    let mut encodings = Encodings::default();
    let sums = equations
        .iter()
        .map(|equation| Sum {
            equation,
            terms: equation
                .links
                .iter()
                .zip(&mut scalars)
                .map(|(signed, [c, z])| {
                    let (key, commitment) = points(signed);
                    Term {
                        c: Scalar::from_bytes_mod_order_wide(c),
                        z: match signed.kind {
                            ROOT => Scalar::ONE,
                            _ => Scalar::from_bytes_mod_order_wide(z),
                        },
                        key: encodings.number_of_key(signed.kind, key),
                        commitment: encodings.number(commitment),
                    }
                })
                .collect(),
        })
        .collect();
    (encodings.all, sums)
}

/// What c_i and z_i of all links are reduced from, in order.
fn challenges_and_weights(engine: Engine, equations: &[Equation<'_>]) -> Vec<[u8; 64]> {
    let links = equations.iter().flat_map(|equation| &equation.links);
    let parts = links.flat_map(|signed| {
        let after: &[u8] = &signed.after.0;
        [[TAG_CHALLENGE, after], [TAG_WEIGHT, after]]
    });
    hash_each(engine, &parts.collect::<Vec<_>>())
}

/// P and R.
fn points<'a>(signed: &'a Signed<'_>) -> (&'a [u8; 32], &'a [u8; 32]) {
    match signed.link.committed().as_chunks().0 {
        [key, commitment] => (key, commitment),
        // A link has both.
        _ => (&IDENTITY, &IDENTITY),
    }
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
    fn number_of_key(&mut self, kind: u8, key: &[u8; 32]) -> usize {
        if kind != ROOT {
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
    /// What the equation says.
    fn says(&self) -> Says<'_> {
        let last = self.equation.links.last();
        Says {
            // There is a last link.
            state: last.map_or(State([0; 64]), |last| last.after),
            s: &self.equation.s,
        }
    }

    /// Checks that every point is valid.
    fn check_points(&self, elements: &Elements) -> Result<(), Error> {
        for (signed, term) in self.equation.links.iter().zip(&self.terms) {
            let (key, commitment) = points(signed);
            let place = signed.place;
            if let Some(fault) = fault(elements, term.key, key) {
                return Err(Error::Key { place, fault });
            }
            if fault(elements, term.commitment, commitment).is_some() {
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

/// Equations whose points are valid, each with its factor.
struct Group<'a> {
    elements: &'a Elements,
    sums: &'a [&'a Sum<'a>],
    factors: Vec<Scalar>,
}

impl Group<'_> {
    /// Whether each of the equations holds.
    ///
    /// Each of at most 31 sums of 64 equations, and of 64 sums of one, accepts a wrong one with
    /// probability at most 2^-128.
    fn which_hold(mut self) -> Vec<bool> {
        let count = self.sums.len();
        if count == 0 {
            return Vec::new();
        }
        let sum = self.sum(0..count);
        if count == 1 {
            return vec![self.is_zero(sum)];
        }
        let mut held = which_hold(&mut self, count, sum);
        for (i, held) in held.iter_mut().enumerate().filter(|(_, held)| !**held) {
            let sum = self.sum(i..i + 1);
            *held = self.is_zero(sum);
        }
        held
    }
}

impl Equations for Group<'_> {
    type Sum = Element;

    const LEAST_PART: usize = 4;

    /// `Σ factor·(Σ z·(R + c·P) - S·G)`.
    fn sum(&mut self, range: Range<usize>) -> Element {
        let group = || {
            self.sums[range.clone()]
                .iter()
                .zip(&self.factors[range.clone()])
        };
        // With one equation, whose factor is 1, this is S: a bearer's secret.
        let base = wiped(|| {
            let products = group().map(|(sum, factor)| factor * **sum.equation.s);
            Box::new(Zeroizing::new(-products.sum::<Scalar>()))
        });
        let mut scalars = vec![Scalar::ZERO; self.elements.len()];
        for (sum, factor) in group() {
            for term in &sum.terms {
                let weight = factor * term.z;
                scalars[term.key] += weight * term.c;
                scalars[term.commitment] += weight;
            }
        }
        let terms = scalars.into_iter().enumerate();
        // Those of equations that are not in the sum.
        let terms: Vec<_> = terms.filter(|(_, by)| *by.as_bytes() != [0; 32]).collect();
        self.elements.sum(&terms, &base)
    }

    fn minus(&self, a: Element, b: Element) -> Element {
        self.elements.minus(a, b)
    }

    fn is_zero(&self, sum: Element) -> bool {
        sum.is_identity()
    }
}
