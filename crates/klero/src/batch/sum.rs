//! One sum for the equations of many claims, with one verdict for each.
//!
//! The equations s·B + m·Y - U = 0 and s·H + m·Γ - V = 0 of all claims (m is the suite's
//! multiplier, -c or L-c) are added up with random weights and checked by one multiscalar
//! multiplication. Only proofs that carry U and V (128 and 144 bytes) allow it.
//!
//! # The verdict does not change
//! Such a sum does not see points of small order, and published batch verifiers accept or
//! reject such proofs differently from their one-at-a-time twins. Here a batch has two parts.
//! The *prime-order part* is the weighted sum times the cofactor. The *torsion part* shows
//! that no U + (-m)·Y and no V + (-m)·Γ has a small-order component; only m mod 8 matters for
//! it. U and V must decode strictly, because the one-at-a-time rule compares bytes. Together
//! they accept exactly what the one-at-a-time rule accepts, up to an error of 2^-128 for each
//! attempt at the hash that the weights come from.
//!
//! Whatever does not pass is verified again by itself, and that verdict counts; so a claim
//! has one verdict and one reason, in a batch or alone.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point};

use super::kept::KeptKeys;
use super::one_by_one::verify_each;
use super::products::Products;
use super::table::{Table, encode_all};
use super::weights::Weights;
use crate::claim::{Claim, Verdict};
use crate::decode;
use crate::stage::{Stage, Watch};
use crate::suite::{Rules, Suite};
use crate::transcript::{self, Challenge};

/// The verdicts on a group, and how many of its claims a sum did not settle.
pub(crate) struct Summed {
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) verified_alone: usize,
}

/// Verifies a group of claims whose proofs carry U and V.
pub(crate) fn verify_together(
    engine: Engine,
    suite: Suite,
    weights: Weights,
    kept_keys: Option<&KeptKeys>,
    claims: &[Claim<'_>],
    watch: &mut impl Watch,
) -> Summed {
    let mut table = Table::decode(engine, suite, kept_keys, claims, watch);
    engine.normalize(&mut table.h);
    let (c, h) = table.hashed_challenges(watch);

    let sum = Sum {
        equations: Equations::of(&table, &c, watch),
        table: &table,
        h: &h,
        weights,
    };
    let held = sum.which_hold(watch);

    let mut cofactor_gamma = vec![Point::IDENTITY; table.len()];
    engine.mul_by_cofactor(&table.gamma, &mut cofactor_gamma);
    let encoded = encode_all(engine, &cofactor_gamma);
    watch.ended(Stage::Encode);
    let outputs = transcript::outputs(engine, suite, &encoded);
    watch.ended(Stage::Hash);

    let mut doubtful = Vec::new();
    let mut verdicts = Vec::with_capacity(claims.len());
    for (row, (output, held)) in outputs.into_iter().zip(held).enumerate() {
        verdicts.push(match table.invalid[row] {
            Some(reason) => Err(reason),
            None => {
                if !held {
                    doubtful.push(row);
                }
                claims[row].compare_output(output)
            }
        });
    }
    let again: Vec<_> = doubtful.iter().map(|&row| claims[row]).collect();
    let alone = verify_each(engine, suite, kept_keys, &again, watch);
    for (&row, verdict) in doubtful.iter().zip(alone) {
        verdicts[row] = verdict;
    }
    Summed {
        verdicts,
        verified_alone: doubtful.len(),
    }
}

/// The two equations of each claim.
struct Equations {
    /// Whether the claim can be in a sum: it has not failed, and U and V decode strictly.
    in_sum: Vec<bool>,
    /// U - m'·Y and V - m'·Γ, where m' is m mod 8 and small: since s·B and s·H have no
    /// torsion, these must have none. Z = 1; the identity where the claim is in no sum.
    residues: Vec<[Point; 2]>,
    /// m' - m modulo L: minus the multiplier that is left.
    rest: Vec<[u8; 32]>,
}

impl Equations {
    fn of(table: &Table<'_>, c: &[Challenge], watch: &mut impl Watch) -> Self {
        let n = table.len();
        let encodings: Vec<[u8; 32]> = (0..n)
            .flat_map(|row| table.proof_uv(row).map(|point| *point))
            .collect();
        let decoded = decode::decode(table.engine, &encodings);
        watch.ended(Stage::DecodeUV);

        let strict =
            |at: usize| decoded.faults[at].is_none() && !decode::is_second_encoding(&encodings[at]);
        let in_sum: Vec<bool> = (0..n)
            .map(|row| table.invalid[row].is_none() && strict(2 * row) && strict(2 * row + 1))
            .collect();
        let (mut small, mut bases) = (Vec::with_capacity(2 * n), Vec::with_capacity(2 * n));
        let mut points = decoded.points;
        for row in 0..n {
            if in_sum[row] {
                small.extend([small_multiplier(table.suite, &c[row]); 2]);
                bases.extend([table.keys.points[table.key[row]], table.gamma[row]]);
            } else {
                small.extend([0; 2]);
                bases.extend([Point::IDENTITY; 2]);
                points[2 * row..][..2].fill(Point::IDENTITY);
            }
        }
        let mut residues = vec![[Point::IDENTITY; 2]; n];
        let flat = residues.as_flattened_mut();
        table
            .engine
            .sub_small_multiple(&points, &small, &bases, flat);
        table.engine.normalize(flat);
        let rest = small.iter().step_by(2).zip(c).map(|(&small, c)| {
            let magnitude = Scalar::from(small.unsigned_abs());
            let c = transcript::challenge_scalar(c);
            // Modulo L both rules say -c; they differ in torsion.
            let rest = if small < 0 {
                c - magnitude
            } else {
                c + magnitude
            };
            rest.to_bytes()
        });
        let rest = rest.collect();
        watch.ended(Stage::SmallMultiples);
        Self {
            in_sum,
            residues,
            rest,
        }
    }
}

/// The multiplier of Y and Γ modulo 8, from -3 to 4: torsion depends on nothing else of it.
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

/// The equations of a group, and what their sums need.
struct Sum<'t> {
    table: &'t Table<'t>,
    equations: Equations,
    /// The encodings of H.
    h: &'t [[u8; 32]],
    weights: Weights,
}

impl Sum<'_> {
    /// For each claim whether its equations are known to hold. If they do not all hold
    /// together, they are tried in about √n parts of √n: one invalid claim costs one more
    /// pass and √n single verifications, and many of them do not cost more than that pass.
    fn which_hold(&self, watch: &mut impl Watch) -> Vec<bool> {
        let n = self.table.len();
        let mut held = self.equations.in_sum.clone();
        if !self.all_hold(0..n, watch) {
            let part = n.isqrt();
            for from in (0..n).step_by(part.max(1)) {
                let rows = from..n.min(from + part);
                // A part of one is verified by itself anyway.
                if part < 2 || !self.all_hold(rows.clone(), watch) {
                    held[rows].fill(false);
                }
            }
        }
        held
    }

    /// Whether all equations of these rows hold. Wrong with probability at most 2^-128 if
    /// the provers cannot predict the weights.
    fn all_hold(&self, rows: Range<usize>, watch: &mut impl Watch) -> bool {
        let (table, equations) = (self.table, &self.equations);
        let engine = table.engine;
        let summed: Vec<usize> = rows.clone().filter(|&row| equations.in_sum[row]).collect();
        let drawn = self.weights.draw(table, self.h, summed.iter().copied());
        // Weight 0 where a row is in no sum.
        let mut weights = vec![[[0; 16]; 2]; rows.len()];
        for (&row, pair) in summed.iter().zip(&drawn) {
            weights[row - rows.start] = *pair;
        }
        watch.ended(Stage::Weights);
        let residues = equations.residues[rows].as_flattened();
        let (weighted, torsion_free) = engine.random_combination(residues, weights.as_flattened());
        watch.ended(Stage::TorsionSum);
        if !torsion_free {
            return false;
        }

        // Σ a·(U - m'·Y) + b·(V - m'·Γ) - a·(s·B - rest·Y) - b·(s·H - rest·Γ), with the
        // terms of B and of equal keys merged.
        let mut of_base = Products::default();
        let mut of_key = vec![None; table.keys.points.len()];
        let mut scalars = Vec::with_capacity(3 * summed.len());
        let mut points = Vec::with_capacity(3 * summed.len());
        for (&row, [a, b]) in summed.iter().zip(&drawn) {
            let (s, rest) = (&table.s[row], &equations.rest[row]);
            of_base.add(a, s);
            of_key[table.key[row]]
                .get_or_insert(Products::default())
                .add(a, rest);
            scalars.extend([
                Products::one(b, s).minus_to_bytes(),
                Products::one(b, rest).to_bytes(),
            ]);
            points.extend([table.h[row], table.gamma[row]]);
        }
        for (products, point) in of_key.iter().zip(&table.keys.points) {
            if let Some(products) = products {
                scalars.push(products.to_bytes());
                points.push(*point);
            }
        }
        // The cofactor multiplies the sum: multiplied into scalars mod L it would not remove
        // the torsion.
        let holds = engine
            .multiscalar_mul(&of_base.minus_to_bytes(), &points, &scalars, 255)
            .plus(&weighted)
            .is_small_order();
        watch.ended(Stage::Sum);
        holds
    }
}
