//! Verifies each claim by the suite's one-at-a-time rule. Several claims are computed at once, in lanes.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point};

use super::kept::KeptKeys;
use super::table::{Keys, Table, encode_all, pick};
use crate::claim::{Claim, Verdict};
use crate::error::Invalid;
use crate::scalar;
use crate::stage::Stage;
use crate::suite::{Rules, Suite};
use crate::transcript::{self, Challenge};
use crate::tuning::VERIFY_GROUP;

/// Verifies every claim by the suite's one-at-a-time rule. The verdicts are in the order of the claims.
pub(crate) fn verify_each(
    engine: Engine,
    suite: Suite,
    kept_keys: Option<&KeptKeys>,
    claims: &[Claim<'_>],
    watch: &mut impl FnMut(Stage),
) -> Vec<Verdict> {
    let mut verdicts = Vec::with_capacity(claims.len());
    for claims in claims.chunks(VERIFY_GROUP) {
        let mut table = Table::decode(engine, suite, kept_keys, claims, watch);
        // Kept multiples save time only here, and only for claims that share vectors.
        if let Some(kept_keys) = kept_keys {
            table.keep_keys(kept_keys, engine.whole(claims.len()), watch);
        }
        let c = if suite.proof_form.has_points() {
            table.hashed_challenges(watch).0
        } else {
            table.given_challenges()
        };
        multiply_and_compare(&table, &c, watch, &mut verdicts);
    }
    verdicts
}

/// The columns from which U and V of some claims are computed.
struct Terms<'t> {
    engine: Engine,
    rules: Rules,
    keys: &'t Keys,
    /// The row of `keys` that holds each claim's key.
    key: &'t [usize],
    s: &'t [[u8; 32]],
    c: &'t [Challenge],
    h: &'t [Point],
    gamma: &'t [Point],
}

/// Runs the last stages: computes and encodes U, V and 8Γ, hashes them, and compares the results with the
/// bytes of the proofs.
fn multiply_and_compare(
    table: &Table<'_>,
    c: &[Challenge],
    watch: &mut impl FnMut(Stage),
    verdicts: &mut Vec<Verdict>,
) {
    let (engine, n) = (table.engine, table.len());
    let terms = Terms {
        engine,
        rules: table.suite.rules,
        keys: &table.keys,
        key: &table.key,
        s: &table.s,
        c,
        h: &table.h,
        gamma: &table.gamma,
    };
    // For proofs that carry U and V, the challenges are already hashed and H is already encoded.
    let hashes_now = !table.suite.proof_form.has_points();
    // The columns are U, V, 8Γ and, if challenges are hashed now, H. One call encodes all of them, so that
    // they share inversions.
    let columns = if hashes_now { 4 } else { 3 };
    let mut points = vec![Point::IDENTITY; columns * n];
    let (uv, rest) = points.split_at_mut(2 * n);
    let (cofactor_gamma, h) = rest.split_at_mut(n);
    terms.commitments(uv, watch);
    engine.mul_by_cofactor(&table.gamma, cofactor_gamma);
    if hashes_now {
        h.copy_from_slice(&table.h);
    }
    let encodings = encode_all(engine, &points);
    watch(Stage::Encode);

    let (u, rest) = encodings.split_at(n);
    let (v, rest) = rest.split_at(n);
    let (cofactor_gamma, h) = rest.split_at(n);
    let recomputed = match hashes_now {
        true => table.hash_challenges(h, |row| [&u[row], &v[row]]),
        false => Vec::new(),
    };
    let outputs = transcript::outputs(engine, table.suite, cofactor_gamma);
    let rows = table.invalid.iter().zip(outputs).enumerate();
    verdicts.extend(rows.map(|(row, (invalid, output))| {
        let mismatch = || match table.parts[row].points {
            Some(of_proof) => differing_points(of_proof, [&u[row], &v[row]]),
            None => (recomputed.get(row) != Some(&c[row])).then_some(Invalid::ChallengeMismatch),
        };
        match invalid.or_else(mismatch) {
            Some(reason) => Err(reason),
            None => table.claims[row].compare_output(output),
        }
    }));
    watch(Stage::Hash);
}

/// Compares U and V of the proofs in these rows with the points that the suite's rule computes, and returns
/// the mismatches. The claims of these rows must not have failed, and their proofs must carry U and V. `c` is
/// the column of challenges for all rows of the table.
pub(crate) fn mismatches(
    table: &Table<'_>,
    c: &[Challenge],
    rows: &[usize],
    watch: &mut impl FnMut(Stage),
) -> Vec<Option<Invalid>> {
    let mut mismatches = Vec::with_capacity(rows.len());
    for rows in rows.chunks(VERIFY_GROUP) {
        let terms = Terms {
            engine: table.engine,
            rules: table.suite.rules,
            keys: &table.keys,
            key: &pick(&table.key, rows),
            s: &pick(&table.s, rows),
            c: &pick(c, rows),
            h: &pick(&table.h, rows),
            gamma: &pick(&table.gamma, rows),
        };
        let mut points = vec![Point::IDENTITY; 2 * rows.len()];
        terms.commitments(&mut points, watch);
        let encodings = encode_all(table.engine, &points);
        watch(Stage::Encode);
        let (u, v) = encodings.split_at(rows.len());
        let computed = u.iter().zip(v);
        mismatches.extend(rows.iter().zip(computed).map(|(&row, (u, v))| {
            let of_proof = table.proof_uv(row);
            differing_points(of_proof, [u, v])
        }));
    }
    mismatches
}

impl Terms<'_> {
    /// Computes all U = s·B - c·Y, then all V = s·H - c·Γ, with -c or L-c as the suite's rules demand.
    fn commitments(&self, uv: &mut [Point], watch: &mut impl FnMut(Stage)) {
        let Self {
            engine,
            s,
            c,
            h,
            gamma,
            ..
        } = *self;
        let n = s.len();
        let (u, v) = uv.split_at_mut(n);
        // Cardano's rule multiplies by L-c. On points with torsion, this gives another point than -c.
        let (m, subtract): (Vec<_>, _) = match self.rules {
            Rules::Rfc | Rules::Original => (c.iter().map(wide).collect(), true),
            Rules::Cardano => (c.iter().map(scalar::minus).collect(), false),
        };
        let keys: Vec<_> = self.key.iter().map(|&key| self.keys.points[key]).collect();

        let shared = ..engine.whole(n);
        let mut ended = |stage| {
            if shared.end > 0 {
                watch(stage);
            }
        };
        self.multiply_keys(&mut u[shared]);
        ended(Stage::U);
        if subtract {
            let v = &mut v[shared];
            engine.mul_sub(&s[shared], &h[shared], &c[shared], &gamma[shared], v);
            ended(Stage::V);
        } else {
            let v = &mut v[shared];
            engine.mul_add(&s[shared], &h[shared], &m[shared], &gamma[shared], v);
            ended(Stage::V);
            // So far, U is right only for a Y without torsion, where -c and L-c give the same U.
            let rows = self.rows_with_torsion(shared.end);
            let keys = pick(&keys, &rows);
            let bases = vec![Point::BASE; keys.len()];
            let mut exact = keys.clone();
            engine.mul_add(&pick(s, &rows), &bases, &pick(&m, &rows), &keys, &mut exact);
            for (row, exact) in rows.into_iter().zip(exact) {
                u[row] = exact;
            }
            ended(Stage::KeyTorsion);
        }

        let alone = shared.end..n;
        if !alone.is_empty() {
            let a: Vec<_> = h[alone.clone()].iter().map(|h| [Point::BASE, *h]).collect();
            let b: Vec<_> = alone.clone().map(|row| [keys[row], gamma[row]]).collect();
            let mut both = b.clone();
            let (s, m) = (&s[alone.clone()], &m[alone.clone()]);
            engine.mul_alone(s, &a, m, &b, subtract, &mut both);
            for (row, [own_u, own_v]) in alone.zip(both) {
                (u[row], v[row]) = (own_u, own_v);
            }
            watch(Stage::V);
        }
    }

    /// Computes U = s·B - c·Y for the rows from 0 on, as many as `u` has. Uses the multiples of kept keys.
    fn multiply_keys(&self, u: &mut [Point]) {
        let (engine, s, c) = (self.engine, self.s, self.c);
        let kept = |row: usize| self.keys.kept[self.key[row]].as_deref();
        let (mut known, mut other): (Vec<usize>, Vec<usize>) =
            (0..u.len()).partition(|&row| kept(row).is_some());
        // If the other keys do not fill their last vector, kept keys fill the empty lanes.
        let empty = other.len().next_multiple_of(engine.lanes()) - other.len();
        other.extend(known.drain(known.len().saturating_sub(empty)..));

        let mut products = vec![Point::IDENTITY; u.len()];
        let (of_known, of_other) = products.split_at_mut(known.len());
        let multiples: Vec<_> = known.iter().filter_map(|&row| kept(row)).collect();
        let multiples: Vec<_> = multiples.iter().map(|kept| &kept.known).collect();
        engine.mul_base_sub_known(&pick(s, &known), &pick(c, &known), &multiples, of_known);
        let points: Vec<_> = other
            .iter()
            .map(|&row| self.keys.points[self.key[row]])
            .collect();
        engine.mul_base_sub(&pick(s, &other), &pick(c, &other), &points, of_other);
        for (row, product) in known.into_iter().chain(other).zip(products) {
            u[row] = product;
        }
    }

    /// Returns the rows before `end` whose key has a component of small order. Each distinct key is tested
    /// once.
    fn rows_with_torsion(&self, end: usize) -> Vec<usize> {
        let mut used = vec![false; self.keys.points.len()];
        for &key in &self.key[..end] {
            used[key] = true;
        }
        let kept = self.keys.kept.iter().map(|kept| kept.as_ref());
        let mut free: Vec<bool> = kept
            .map(|kept| kept.is_some_and(|kept| kept.torsion_free))
            .collect();
        let untested: Vec<usize> = (0..used.len())
            .filter(|&key| used[key] && self.keys.kept[key].is_none())
            .collect();
        let mut tested = vec![false; untested.len()];
        self.engine
            .torsion_free(&pick(&self.keys.points, &untested), &mut tested);
        for (key, tested) in untested.into_iter().zip(tested) {
            free[key] = tested;
        }
        (0..end).filter(|&row| !free[self.key[row]]).collect()
    }
}

/// Compares U and V of a proof with the computed points, and returns the reason if they differ.
fn differing_points(of_proof: [&[u8; 32]; 2], computed: [&[u8; 32]; 2]) -> Option<Invalid> {
    let [u, v] = [0, 1].map(|i| of_proof[i] != computed[i]);
    let wrong_u = u.then_some(Invalid::UMismatch);
    wrong_u.or(v.then_some(Invalid::VMismatch))
}

/// Extends a challenge to the 32 bytes of a scalar.
fn wide(c: &Challenge) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(c);
    bytes
}
