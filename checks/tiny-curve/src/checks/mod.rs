//! The checks: each runs one algorithm on all its cases, and compares it with the twin.

mod arithmetic;
mod encodings;
mod multiples;
mod points;
mod sums;

use std::panic::resume_unwind;

use klero_lanes::Point;
use klero_lanes::unstable::field::{Field, Vector, ZERO};
use klero_lanes::unstable::formulas::Lanes;

use crate::model::{Index, Model};

/// What a check found.
#[derive(Default)]
pub struct Tally {
    pub cases: u64,
    pub wrong: u64,
    /// The number of cases after which to give up looking for a wrong one, if one is enough.
    pub patience: Option<u64>,
}

impl Tally {
    /// # Panics
    /// With `()`, which ends the check, if there is no reason to go on.
    fn case(&mut self, right: bool) {
        self.cases += 1;
        self.wrong += u64::from(!right);
        let enough = |most| self.wrong > 0 || self.cases >= most;
        if self.patience.is_some_and(enough) {
            resume_unwind(Box::new(()));
        }
    }
}

/// A check of one algorithm.
pub type Check = fn(&Model, &mut Tally);

/// The checks of formulas, on lanes of one kind: those in which the constants of a curve matter.
pub fn formulas<F: Lanes + 'static>() -> Vec<(&'static str, Check)> {
    vec![
        ("products, sums, comparisons", arithmetic::operations::<F>),
        ("square roots", arithmetic::roots::<F>),
        ("powers, quartic character", arithmetic::powers::<F>),
        ("inversion", arithmetic::inversion::<F>),
        ("addition, subtraction", points::additions::<F>),
        ("doubling, eightfold", points::doublings::<F>),
        ("addition, two in the lanes", points::additions_alone::<F>),
        ("prepared rows", points::rows::<F>),
        ("decoding", encodings::decode::<F>),
        ("encoding, normalizing", encodings::encode::<F>),
        ("Elligator2", encodings::elligator2::<F>),
        ("decoding and Elligator2, mixed", encodings::mixed::<F>),
        ("ristretto255", encodings::ristretto::<F>),
        ("torsion test", encodings::torsion::<F>),
        ("P - m·Q", multiples::small::<F>),
    ]
}

/// The checks of algorithms that are made of additions and doublings.
pub fn multiples<F: Lanes + 'static>() -> Vec<(&'static str, Check)> {
    vec![
        ("s·B - c·P, Straus", multiples::straus::<F, 128>),
        ("s·B - m·P, Straus", multiples::straus::<F, 253>),
        ("s·H ± m·P, Straus", multiples::two_points::<F>),
        ("multiples of known keys", multiples::known_rows::<F>),
        ("s·B - c·P, known keys", multiples::known::<F>),
        ("s·B - m·P, alone", multiples::base_alone::<F>),
        ("s·A ± m·B, alone", multiples::pairs_alone::<F>),
        ("combs", multiples::combs::<F>),
        ("combs, alone", multiples::combs_alone::<F>),
        ("windows", sums::windows::<F>),
        ("Horner's rule", sums::horner::<F>),
        ("sums of few terms", sums::few::<F>),
        ("sums of many terms", sums::many::<F>),
        ("random combinations", sums::combinations::<F>),
    ]
}

/// Cases in batches, as one stage takes them: more than two vectors, the last not full.
fn batches<'a, F: Field, T>(
    tally: &mut Tally,
    cases: &'a [T],
    mut right: impl FnMut(&'a [T]) -> Vec<bool>,
) {
    for cases in cases.chunks(2 * F::LANES + 1) {
        let right = right(cases);
        assert_eq!(right.len(), cases.len());
        right.into_iter().for_each(|right| tally.case(right));
    }
}

/// An element in each lane; lanes without one get 0.
fn element<F: Field>(values: impl IntoIterator<Item = u64>) -> F {
    let mut rows = [ZERO; 8];
    for (row, value) in rows.iter_mut().zip(values) {
        row[0] = value;
    }
    F::from_limbs(F::Word::load_rows(&rows.each_ref()))
}

/// The least residues in all lanes.
fn values<F: Field>(element: F) -> Vec<u64> {
    let mut rows = [ZERO; 8];
    F::Word::store_rows(&element.canonical(), &mut rows);
    rows[..F::LANES].iter().map(|row| row[0]).collect()
}

/// The lanes of a mask.
fn lanes(mask: u8) -> impl Iterator<Item = bool> {
    (0..8).map(move |lane| mask >> lane & 1 == 1)
}

/// All pairs of points.
fn pairs(model: &Model) -> Vec<(Index, Index)> {
    let all = 0..model.points.len();
    all.clone()
        .flat_map(|p| all.clone().map(move |q| (p, q)))
        .collect()
}

/// Numbers that look random, the same in each run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below the bound.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A point in random coordinates.
    fn row(&mut self, model: &Model, p: Index) -> Point {
        model.row(p, 1 + self.below(model.curve.q - 1))
    }
}
