//! The equations of aggregated signatures, and one sum for the equations of many tokens.
//!
//! The equation of a token is `S·G = R_0 + c_0·P_0 + Σ z_i·Y_i`. P_0 is the root key, R_0 and Y_i are the
//! points of the token's links, and c_0 and z_i are hashes of a link and of everything before it. So S is a
//! weighted sum of the points' logarithms. Many equations are verified together in three steps: computing the
//! hashes in lanes, decoding the points, and computing one sum with random factors. ristretto255 has prime
//! order, so no error of small order can hide in such a sum.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Equations, through, which_hold, wiped};
use zeroize::Zeroizing;

use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::ristretto::{Element, Elements, hash_to_scalar};
use crate::scheme::ROOT;
use crate::signed::Signed;
use crate::state::{State, hash_each};

#[cfg(test)]
mod attacks;

const TAG_CHALLENGE: &[u8] = b"klero-token/challenge\x03";
const TAG_WEIGHT: &[u8] = b"klero-token/weight\x03";

/// The challenge c_0, from the state after the first link.
pub(crate) fn challenge(after: &State) -> Scalar {
    hash_to_scalar(TAG_CHALLENGE, &after.0)
}

/// The weight z_i for i > 0, from the state after link i.
pub(crate) fn weight(after: &State) -> Scalar {
    hash_to_scalar(TAG_WEIGHT, &after.0)
}

/// The equation `R_0 + c_0·P_0 + Σ z_i·Y_i = S·G` of a token.
pub(crate) struct Equation<'a> {
    // S is on the heap, so that moving the equation leaves no copy of S behind.
    pub(crate) s: Box<Zeroizing<Scalar>>,
    /// The root key P_0. The first link begins with it.
    pub(crate) root: PublicKey,
    pub(crate) links: Vec<&'a Signed<'a>>,
}

/// Verifies equations with one sum. If this sum is not zero, sums of fewer equations are computed, and
/// finally sums of single equations. The factors are from `draw`, which is
/// [`factors::draw`](crate::factors::draw) except in tests. If there is only one equation, its factor is 1.
pub(crate) fn verify_together(
    engine: Engine,
    equations: Vec<Result<Equation<'_>, Error>>,
    draw: impl FnOnce(Engine, &[(State, &Scalar)]) -> Vec<Scalar>,
) -> Vec<Result<(), Error>> {
    let verdicts = through(equations, |equations| {
        let (encodings, sums) = sums(engine, equations);
        let elements = Elements::decode(engine, &encodings);
        let checked = sums
            .iter()
            .map(|sum| sum.check_points(&elements).map(|()| sum))
            .collect();
        through(checked, |sums| {
            let say = sums.iter().map(|Sum { equation, .. }| {
                // Every token has a last link.
                let last = equation.links.last();
                let state = last.map_or(State([0; 64]), |last| last.after);
                (state, &**equation.s)
            });
            let say: Vec<(_, &Scalar)> = say.collect();
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
            held.then_some(()).ok_or(Error::signature(Place::Aggregate))
        })
        .collect()
    });
    verdicts.into_iter().map(|pair| pair?.1).collect()
}

/// The side of an equation without S: `c_0·P_0 + Σ scalar·point`. R_0 has the scalar 1, and Y_i has z_i.
struct Sum<'a> {
    equation: &'a Equation<'a>,
    key: Term,
    points: Vec<Term>,
}

/// A point and its scalar. The point is given as its index among the encodings of all equations.
type Term = (usize, Scalar);

/// The encodings of the points of all equations, and the sums of the equations.
fn sums<'a>(engine: Engine, equations: &'a [Equation<'a>]) -> (Vec<[u8; 32]>, Vec<Sum<'a>>) {
    let mut hashes = challenges_and_weights(engine, equations).into_iter();
    let mut encodings: Vec<[u8; 32]> = Vec::new();
    // The indices of the root keys. There are few, because tokens with the same root key share one point.
    let mut roots: Vec<usize> = Vec::new();
    let sums = equations.iter().map(|equation| {
        let root = equation.root.point();
        let known = roots.iter().find(|number| encodings[**number] == *root);
        let number = known.copied().unwrap_or_else(|| {
            encodings.push(*root);
            roots.push(encodings.len() - 1);
            encodings.len() - 1
        });
        let mut sum = Sum {
            equation,
            key: (number, Scalar::ZERO),
            points: Vec::with_capacity(equation.links.len()),
        };
        for (signed, hash) in equation.links.iter().zip(&mut hashes) {
            let hash = Scalar::from_bytes_mod_order_wide(&hash);
            let by = match signed.kind {
                ROOT => {
                    sum.key.1 = hash;
                    Scalar::ONE
                }
                _ => hash,
            };
            encodings.push(*point(signed));
            sum.points.push((encodings.len() - 1, by));
        }
        sum
    });
    let sums = sums.collect();
    (encodings, sums)
}

/// The hashes of all links, in the order of the links. Reduced modulo L, they are the scalars c_0 and z_i.
fn challenges_and_weights(engine: Engine, equations: &[Equation<'_>]) -> Vec<[u8; 64]> {
    let links = equations.iter().flat_map(|equation| &equation.links);
    let parts = links.map(|signed| -> [&[u8]; 2] {
        let tag = match signed.kind {
            ROOT => TAG_CHALLENGE,
            _ => TAG_WEIGHT,
        };
        [tag, &signed.after.0]
    });
    hash_each(engine, &parts.collect::<Vec<_>>())
}

/// The point of a link: R_0 in the first link, where it follows the root key, or Y_i in a further link.
fn point<'a>(signed: &'a Signed<'_>) -> &'a [u8; 32] {
    // Every link has a point.
    signed.link.committed().last_chunk().unwrap_or(&IDENTITY)
}

impl Sum<'_> {
    /// Checks that the links' points are valid and not the identity. (The root key was checked before.)
    fn check_points(&self, elements: &Elements) -> Result<(), Error> {
        for (signed, (number, _)) in self.equation.links.iter().zip(&self.points) {
            // The logarithm of the identity is 0, so anyone could remove a link with this point.
            if !elements.is_valid(*number) || *point(signed) == IDENTITY {
                let (place, what) = (signed.place, "the signature is not a canonical point");
                return Err(Error::Signature { place, what });
            }
        }
        Ok(())
    }
}

/// The encoding of the identity.
const IDENTITY: [u8; 32] = [0; 32];

/// Equations whose points are valid, each with its factor.
struct Group<'a> {
    elements: &'a Elements,
    sums: &'a [&'a Sum<'a>],
    factors: Vec<Scalar>,
}

impl Group<'_> {
    /// True for each equation that holds.
    ///
    /// For 64 equations there are at most 31 sums of several equations, and 64 sums of one equation. Each of
    /// these sums accepts a wrong equation with probability at most 2^-128.
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

    /// `Σ factor·(R_0 + c_0·P_0 + Σ z·Y - S·G)`.
    fn sum(&mut self, range: Range<usize>) -> Element {
        let group = || {
            self.sums[range.clone()]
                .iter()
                .zip(&self.factors[range.clone()])
        };
        // With only one equation, `base` is -S, and S can be a bearer's secret. So `base` is wiped.
        let base = wiped(|| {
            let products = group().map(|(sum, factor)| factor * **sum.equation.s);
            Box::new(Zeroizing::new(-products.sum::<Scalar>()))
        });
        let mut scalars = vec![Scalar::ZERO; self.elements.len()];
        for (sum, factor) in group() {
            for (number, by) in sum.points.iter().chain([&sum.key]) {
                scalars[*number] += factor * by;
            }
        }
        let terms = scalars.into_iter().enumerate();
        // Points of equations outside the range have the scalar 0.
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
