//! Verifies many claims with one sum of their equations, and gives each claim its own verdict.
//!
//! Each claim has the equations U - m·Y - s·B = 0 and V - m·Γ - s·H = 0, where m is the suite's multiplier,
//! -c or L-c. The equations of all claims are added up with random weights, and one multiscalar
//! multiplication checks the sum. Only proofs that carry U and V (128 and 144 bytes) allow this.
//!
//! # The verdict does not change
//! Such a sum does not detect points of small order. Published batch verifiers therefore judge proofs with
//! such points differently from one-at-a-time verifiers. Here the check of a batch has two parts. The
//! *prime-order part* tests that the weighted sum times the cofactor is the identity. The *torsion part*
//! tests for each claim that neither U - m·Y nor V - m·Γ has a small-order component. For this test, only m
//! modulo 8 matters. U and V must decode to points that encode to the same bytes, because the one-at-a-time
//! rule compares bytes. Together, these conditions accept exactly the claims that the one-at-a-time rule
//! accepts. The weights come from a hash of the claims. An attacker can try many variants of the claims, each
//! with its own weights. Each variant gets a wrong verdict with a probability of at most 2^-122.
//!
//! A claim that does not pass the check is verified again by itself, and the second verdict counts. So a
//! claim has the same verdict, with the same reason, whether it is in a batch or alone.
//!
//! # When a sum fails
//! The *error* of some claims is the weighted sum of the left sides of their equations, up to points of small
//! order. It is zero if all these claims are valid. [`which_hold`] computes the errors of smaller and smaller
//! parts of the group, with the weights of the whole group. If the group has torsion and the error of a part
//! is zero, each claim of the part is tested for torsion.
//!
//! The claims of a group determine the tests that are possible, and their weights do not. There are at most
//! 64 tests: one for torsion, and 63 for errors. Each test accepts a wrong claim with a probability of at
//! most 2^-128. So the probability that any of the tests does is at most 2^-122.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point, is_second_encoding, which_hold};

use super::kept::KeptKeys;
use super::one_by_one::mismatches;
use super::products::Products;
use super::table::{Table, encode_all};
use super::weights::{Pair, Weights};
use crate::claim::{Claim, Report, Verdict};
use crate::decode;
use crate::stage::Stage;
use crate::suite::{Rules, Suite};
use crate::transcript::{self, Challenge};
use crate::tuning::{LEAST_PART, SUM_GROUP};

/// Verifies a group of claims whose proofs carry U and V.
pub(crate) fn verify_together(
    engine: Engine,
    suite: Suite,
    weights: Weights,
    kept_keys: Option<&KeptKeys>,
    claims: &[Claim<'_>],
    watch: &mut impl FnMut(Stage),
) -> Report {
    let mut table = Table::decode(engine, suite, kept_keys, claims, watch);
    engine.normalize(&mut table.h);
    let (c, h) = table.hashed_challenges(watch);

    let held = Sum::of(&table, &c, &h, weights, watch).which_hold();
    let doubtful: Vec<usize> = (0..table.len())
        .filter(|&row| table.invalid[row].is_none() && !held[row])
        .collect();
    let mismatches = mismatches(&table, &c, &doubtful, watch);
    for (&row, mismatch) in doubtful.iter().zip(mismatches) {
        table.invalid[row] = mismatch;
    }
    Report {
        verdicts: verdicts(&table, watch),
        verified_alone: doubtful.len(),
    }
}

/// Compares the outputs, and returns the verdicts. All other reasons must be in `table.invalid` already.
fn verdicts(table: &Table<'_>, watch: &mut impl FnMut(Stage)) -> Vec<Verdict> {
    let mut cofactor_gamma = vec![Point::IDENTITY; table.len()];
    let engine = table.engine;
    engine.mul_by_cofactor(&table.gamma, &mut cofactor_gamma);
    let encoded = encode_all(engine, &cofactor_gamma);
    watch(Stage::Encode);
    let outputs = transcript::outputs(engine, table.suite, &encoded);
    let rows = table.claims.iter().zip(&table.invalid).zip(outputs);
    let verdicts = rows.map(|((claim, invalid), output)| match invalid {
        Some(reason) => Err(*reason),
        None => claim.compare_output(output),
    });
    let verdicts = verdicts.collect();
    watch(Stage::Hash);
    verdicts
}

/// The equations of all claims that can be summed, two for each claim.
struct Sum<'t, W> {
    table: &'t Table<'t>,
    /// The rows of claims that have not failed and whose U and V decode strictly. The fields below have the
    /// same order.
    rows: Vec<usize>,
    /// The points to multiply, with Z = 1: the residues of all claims, then all H, then all Γ, then the
    /// distinct keys of the table. The *residues* of a claim are U - m'·Y and V - m'·Γ. Here m' is m mod 8,
    /// as a small integer. The residues must have no torsion, because s·B and s·H have none.
    points: Vec<Point>,
    /// m' - m modulo L for each claim, so that m = m' - rest.
    rest: Vec<[u8; 32]>,
    /// The weights of the U and the V equation of each claim.
    weights: Vec<Pair>,
    /// True once a test has shown that no claim has torsion.
    torsion_free: bool,
    watch: &'t mut W,
}

impl<'t, W: FnMut(Stage)> Sum<'t, W> {
    /// Builds the sum of a table's claims. `c` is the column of challenges, and `h` holds the encodings of H.
    fn of(
        table: &'t Table<'t>,
        c: &[Challenge],
        h: &[[u8; 32]],
        weights: Weights,
        watch: &'t mut W,
    ) -> Self {
        let engine = table.engine;
        let encodings: Vec<[u8; 32]> = (0..table.len())
            .flat_map(|row| table.proof_uv(row).map(|point| *point))
            .collect();
        // One large allocation, twice the size of its content, holds all points of the sum. It never grows,
        // and so is never copied. An allocator that adapts to the largest allocation, such as glibc's, then
        // keeps the memory of all columns of the table for the next group. This saves a tenth of the time.
        let mut columns = Vec::with_capacity(6 * encodings.len());
        columns.resize(3 * encodings.len(), Point::IDENTITY);
        let (residues, others) = columns.split_at_mut(encodings.len());
        let (points, bases) = others.split_at_mut(encodings.len());
        let faults = decode::decode_into(engine, &encodings, points);
        watch(Stage::DecodeUV);

        // One-at-a-time verification compares bytes, so a second encoding of U or V is wrong.
        let strict = |at: usize| faults[at].is_none() && !is_second_encoding(&encodings[at]);
        let rows: Vec<usize> = (0..table.len())
            .filter(|&row| table.invalid[row].is_none() && strict(2 * row) && strict(2 * row + 1))
            .collect();
        let n = rows.len();
        let mut small = Vec::with_capacity(2 * n);
        for (place, &row) in rows.iter().enumerate() {
            points.copy_within(2 * row..2 * row + 2, 2 * place);
            bases[2 * place] = table.keys.points[table.key[row]];
            bases[2 * place + 1] = table.gamma[row];
            small.extend([small_multiplier(table.suite, &c[row]); 2]);
        }
        let residues = &mut residues[..2 * n];
        engine.sub_small_multiple(&points[..2 * n], &small, &bases[..2 * n], residues);
        engine.normalize(residues);
        columns.truncate(2 * n);
        columns.extend(rows.iter().map(|&row| table.h[row]));
        columns.extend(rows.iter().map(|&row| table.gamma[row]));
        columns.extend_from_slice(&table.keys.points);

        let rest = rows
            .iter()
            .zip(small.iter().step_by(2))
            .map(|(&row, &small)| {
                let magnitude = Scalar::from(small.unsigned_abs());
                let c = transcript::challenge_scalar(&c[row]);
                // Modulo L, m is -c under every rule. The rules differ only in torsion.
                let rest = if small < 0 {
                    c - magnitude
                } else {
                    c + magnitude
                };
                rest.to_bytes()
            });
        let rest = rest.collect();
        watch(Stage::SmallMultiples);
        let weights = weights.draw(table, h, rows.iter().copied());
        watch(Stage::Weights);
        Self {
            table,
            rows,
            points: columns,
            rest,
            weights,
            torsion_free: false,
            watch,
        }
    }

    /// The residues of some claims.
    fn residues(&self, part: &Range<usize>) -> &[Point] {
        &self.points[2 * part.start..2 * part.end]
    }

    /// H and Γ of some claims.
    fn h_and_gamma(&self, part: &Range<usize>) -> [&[Point]; 2] {
        [2, 3].map(|column| {
            let from = column * self.rows.len();
            &self.points[from + part.start..from + part.end]
        })
    }

    /// Returns true for each row of the table whose equations are known to hold.
    fn which_hold(&mut self) -> Vec<bool> {
        let engine = self.table.engine;
        let n = self.rows.len();
        let weights = self.weights.as_flattened();
        let (weighted, torsion_free) = engine.random_combination(self.residues(&(0..n)), weights);
        self.torsion_free = torsion_free;
        (self.watch)(Stage::TorsionSum);
        let (base, mut scalars, keys) = self.scalars(&(0..n));
        scalars.extend(
            keys.into_iter()
                .map(|key| key.unwrap_or_default().to_bytes()),
        );
        let all_but_residues = &self.points[2 * n..];
        let error = engine
            .multiscalar_mul(&base, all_but_residues, &scalars, 255)
            .plus(&weighted);
        (self.watch)(Stage::Sum);

        let in_sum = which_hold(self, n, error);
        let mut held = vec![false; self.table.len()];
        for (&row, in_sum) in self.rows.iter().zip(in_sum) {
            held[row] = in_sum;
        }
        held
    }

    /// The error of some claims, where a and b are the weights of a claim:
    /// Σ a·(U - m'·Y) + b·(V - m'·Γ) - a·(s·B - rest·Y) - b·(s·H - rest·Γ).
    fn error(&self, part: &Range<usize>) -> Point {
        let table = self.table;
        let (base, mut scalars, keys) = self.scalars(part);
        let mut points = self.h_and_gamma(part).concat();
        for (products, point) in keys.iter().zip(&table.keys.points) {
            if let Some(products) = products {
                scalars.push(products.to_bytes());
                points.push(*point);
            }
        }
        let weights = self.weights[part.clone()].as_flattened();
        scalars.extend(weights.iter().map(|weight| {
            let mut scalar = [0; 32];
            scalar[..16].copy_from_slice(weight);
            scalar
        }));
        points.extend_from_slice(self.residues(part));
        table.engine.multiscalar_mul(&base, &points, &scalars, 255)
    }

    /// Returns the multipliers in the error of some claims, as integers below 2^255. Leaves out the
    /// multipliers of residues. First is the multiplier of B. Then come the multipliers of all H, then those
    /// of all Γ. Last are the multipliers of the keys, `None` for each key that these claims do not use. The
    /// terms of B and of equal keys are merged.
    fn scalars(&self, part: &Range<usize>) -> ([u8; 32], Vec<[u8; 32]>, Vec<Option<Products>>) {
        let table = self.table;
        let mut of_base = Products::default();
        let mut keys = vec![None; table.keys.points.len()];
        let mut h_and_gamma = vec![[0; 32]; 2 * part.len()];
        let (h, gamma) = h_and_gamma.split_at_mut(part.len());
        for (place, (h, gamma)) in part.clone().zip(h.iter_mut().zip(gamma)) {
            let [a, b] = &self.weights[place];
            let row = self.rows[place];
            let (s, rest) = (&table.s[row], &self.rest[place]);
            of_base.add(a, s);
            keys[table.key[row]]
                .get_or_insert(Products::default())
                .add(a, rest);
            *h = Products::one(b, s).minus_to_bytes();
            *gamma = Products::one(b, rest).to_bytes();
        }
        (of_base.minus_to_bytes(), h_and_gamma, keys)
    }
}

/// Returns m mod 8, from -3 to 4. Torsion depends on m, the multiplier of Y and Γ, only modulo 8.
fn small_multiplier(suite: Suite, c: &Challenge) -> i8 {
    let low = (c[0] & 7) as i8;
    let m = match suite.rules {
        Rules::Cardano if *c == [0; 16] => 0,
        // L = 5 mod 8.
        Rules::Cardano => 5 - low,
        Rules::Rfc | Rules::Original => -low,
    };
    (m + 3).rem_euclid(8) - 3
}

// Checks the bound on the number of tests that the documentation of this module states.
const _: () = assert!(2 * SUM_GROUP / LEAST_PART <= 64);

impl<W: FnMut(Stage)> klero_lanes::Equations for Sum<'_, W> {
    type Sum = Point;

    const LEAST_PART: usize = LEAST_PART;

    fn sum(&mut self, part: Range<usize>) -> Point {
        let error = self.error(&part);
        (self.watch)(Stage::Sum);
        error
    }

    fn minus(&self, a: Point, b: Point) -> Point {
        let mut difference = [Point::IDENTITY];
        let engine = self.table.engine;
        engine.sub_small_multiple(&[a], &[1], &[b], &mut difference);
        difference[0]
    }

    fn is_zero(&self, error: Point) -> bool {
        // The cofactor must multiply the sum. If it multiplied the scalars mod L, it would not remove the
        // torsion.
        error.is_small_order()
    }

    /// Tests each claim of a part for torsion, which a sum does not detect. The part's error must be zero.
    fn settle(&mut self, part: Range<usize>, held: &mut [bool]) {
        if self.torsion_free {
            held.fill(true);
            return;
        }
        let residues = self.residues(&part);
        let mut free = vec![false; residues.len()];
        self.table.engine.torsion_free(residues, &mut free);
        (self.watch)(Stage::TorsionSum);
        for (held, free) in held.iter_mut().zip(free.as_chunks().0) {
            *held = *free == [true; 2];
        }
    }
}
