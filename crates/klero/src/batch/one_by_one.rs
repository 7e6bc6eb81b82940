//! Claims by the suite's one-at-a-time rule, side by side.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point};

use super::kept::KeptKeys;
use super::table::Table;
use crate::claim::{Claim, Verdict};
use crate::error::Invalid;
use crate::proof::Commitment;
use crate::scalar;
use crate::stage::{Stage, Watch};
use crate::suite::{ProofForm, Rules, Suite};
use crate::transcript::{self, Challenge};
use crate::tuning::VERIFY_GROUP;

/// Verifies every claim by the suite's one-at-a-time rule; the verdicts are in the order of
/// the claims.
pub(crate) fn verify_each(
    engine: Engine,
    suite: Suite,
    kept_keys: Option<&KeptKeys>,
    claims: &[Claim<'_>],
    watch: &mut impl Watch,
) -> Vec<Verdict> {
    let mut verdicts = Vec::with_capacity(claims.len());
    for claims in claims.chunks(VERIFY_GROUP) {
        let mut table = Table::decode(engine, suite, kept_keys, claims, watch);
        // Neither a sum nor a claim alone has a use for the multiples that are kept.
        if let Some(kept_keys) = kept_keys {
            table.keep_keys(kept_keys, engine.whole(claims.len()), watch);
        }
        let (c, h) = match suite.proof_form {
            ProofForm::GammaCS => (table.given_challenges(), None),
            ProofForm::GammaUVS | ProofForm::GammaUVCS => {
                let (c, h) = table.hashed_challenges(watch);
                (c, Some(h))
            }
        };
        let multiplied = multiply(&table, &c, h, watch);
        compare(&table, &multiplied, watch, &mut verdicts);
    }
    verdicts
}

/// The third stage's columns: encodings.
struct Multiplied {
    rows: usize,
    /// All U, then all V, all 8Γ and, if it was not known before, all H: encoded in one call,
    /// so that they share inversions.
    cells: Vec<[u8; 32]>,
    /// H, if it was known before.
    h: Option<Vec<[u8; 32]>>,
}

impl Multiplied {
    fn column(&self, at: usize) -> &[[u8; 32]] {
        &self.cells[at * self.rows..][..self.rows]
    }

    fn u(&self) -> &[[u8; 32]] {
        self.column(0)
    }

    fn v(&self) -> &[[u8; 32]] {
        self.column(1)
    }

    fn cofactor_gamma(&self) -> &[[u8; 32]] {
        self.column(2)
    }

    fn h(&self) -> &[[u8; 32]] {
        self.h.as_deref().unwrap_or_else(|| self.column(3))
    }
}

/// U = s·B - c·Y and V = s·H - c·Γ, by the rule of the suite, and 8Γ.
fn multiply(
    table: &Table<'_>,
    c: &[Challenge],
    h: Option<Vec<[u8; 32]>>,
    watch: &mut impl Watch,
) -> Multiplied {
    let (engine, n, s) = (table.engine, table.len(), &table.s);
    // L-c and -c are different multipliers of points with torsion.
    let (m, subtract): (Vec<_>, _) = match table.suite.rules {
        Rules::Rfc | Rules::Original => (c.iter().map(wide).collect(), true),
        Rules::Cardano => (c.iter().map(scalar::minus).collect(), false),
    };
    let keys = table.key_points();
    let columns = if h.is_none() { 4 } else { 3 };
    let mut points = vec![Point::IDENTITY; columns * n];
    let (u, rest) = points.split_at_mut(n);
    let (v, rest) = rest.split_at_mut(n);
    let (cofactor_gamma, unknown_h) = rest.split_at_mut(n);

    let shared = ..engine.whole(n);
    let mut ended = |stage| {
        if shared.end > 0 {
            watch.ended(stage);
        }
    };
    multiply_keys(table, &s[shared], &c[shared], &mut u[shared]);
    ended(Stage::U);
    let (h_points, gamma) = (&table.h, &table.gamma);
    if subtract {
        let v = &mut v[shared];
        engine.mul_sub(&s[shared], &h_points[shared], &c[shared], &gamma[shared], v);
        ended(Stage::V);
    } else {
        let v = &mut v[shared];
        engine.mul_add(&s[shared], &h_points[shared], &m[shared], &gamma[shared], v);
        ended(Stage::V);
        // For a Y without torsion -c and L-c are the same; for the others U is wrong so far.
        let rows: Vec<usize> = rows_with_torsion(table, shared.end);
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
        let a: Vec<_> = h_points[alone.clone()]
            .iter()
            .map(|h| [Point::BASE, *h])
            .collect();
        let b: Vec<_> = alone.clone().map(|row| [keys[row], gamma[row]]).collect();
        let mut both = b.clone();
        let (s, m) = (&s[alone.clone()], &m[alone.clone()]);
        engine.mul_alone(s, &a, m, &b, subtract, &mut both);
        for (row, [own_u, own_v]) in alone.zip(both) {
            (u[row], v[row]) = (own_u, own_v);
        }
        watch.ended(Stage::V);
    }

    engine.mul_by_cofactor(gamma, cofactor_gamma);
    if h.is_none() {
        unknown_h.copy_from_slice(h_points);
    }
    let mut cells = vec![[0; 32]; points.len()];
    engine.encode(&points, &mut cells);
    watch.ended(Stage::Encode);
    Multiplied { rows: n, cells, h }
}

/// U = s·B - c·Y of the first rows: of kept keys by their multiples.
fn multiply_keys(table: &Table<'_>, s: &[[u8; 32]], c: &[Challenge], u: &mut [Point]) {
    let (engine, keys) = (table.engine, &table.keys);
    let kept = |row: usize| keys.kept[table.key[row]].as_deref();
    let (mut known, mut other): (Vec<usize>, Vec<usize>) =
        (0..u.len()).partition(|&row| kept(row).is_some());
    // A vector that the others do not fill takes kept keys, too.
    let empty = other.len().next_multiple_of(engine.lanes()) - other.len();
    other.extend(known.drain(known.len().saturating_sub(empty)..));

    let mut products = vec![Point::IDENTITY; u.len()];
    let (of_known, of_other) = products.split_at_mut(known.len());
    let multiples: Vec<_> = known.iter().filter_map(|&row| kept(row)).collect();
    let multiples: Vec<_> = multiples.iter().map(|kept| &kept.known).collect();
    engine.mul_base_sub_known(&pick(s, &known), &pick(c, &known), &multiples, of_known);
    let points: Vec<_> = other
        .iter()
        .map(|&row| keys.points[table.key[row]])
        .collect();
    engine.mul_base_sub(&pick(s, &other), &pick(c, &other), &points, of_other);
    for (row, product) in known.into_iter().chain(other).zip(products) {
        u[row] = product;
    }
}

/// The items of these rows.
fn pick<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| column[row]).collect()
}

/// The first rows, of those before `end`, whose key has a component of small order. Each
/// distinct key is tested once.
fn rows_with_torsion(table: &Table<'_>, end: usize) -> Vec<usize> {
    if end == 0 {
        return Vec::new();
    }
    let keys = &table.keys;
    let untested: Vec<usize> = (0..keys.points.len())
        .filter(|&key| keys.kept[key].is_none())
        .collect();
    let mut tested = vec![false; untested.len()];
    table
        .engine
        .torsion_free(&pick(&keys.points, &untested), &mut tested);
    let kept = keys.kept.iter().map(|kept| kept.as_ref());
    let mut free: Vec<bool> = kept
        .map(|kept| kept.is_some_and(|kept| kept.torsion_free))
        .collect();
    for (key, tested) in untested.into_iter().zip(tested) {
        free[key] = tested;
    }
    (0..end).filter(|&row| !free[table.key[row]]).collect()
}

/// The last stage: hash, and compare the proof's own bytes with the recomputed ones.
fn compare(
    table: &Table<'_>,
    multiplied: &Multiplied,
    watch: &mut impl Watch,
    verdicts: &mut Vec<Verdict>,
) {
    let (u, v) = (multiplied.u(), multiplied.v());
    let recomputed = match table.suite.proof_form {
        ProofForm::GammaCS => table.hash_challenges(multiplied.h(), |row| [&u[row], &v[row]]),
        ProofForm::GammaUVS | ProofForm::GammaUVCS => Vec::new(),
    };
    let outputs = transcript::outputs(table.engine, table.suite, multiplied.cofactor_gamma());
    let rows = table.invalid.iter().zip(outputs).enumerate();
    verdicts.extend(rows.map(|(row, (invalid, output))| {
        let mismatch = || match table.parts[row].commitment {
            Commitment::Challenge(c) => {
                (recomputed.get(row) != Some(c)).then_some(Invalid::ChallengeMismatch)
            }
            Commitment::Points(proof_u, proof_v) | Commitment::Both(proof_u, proof_v, _) => {
                let wrong_u = (*proof_u != u[row]).then_some(Invalid::UMismatch);
                wrong_u.or((*proof_v != v[row]).then_some(Invalid::VMismatch))
            }
        };
        match invalid.or_else(mismatch) {
            Some(reason) => Err(reason),
            None => table.claims[row].compare_output(output),
        }
    }));
    watch.ended(Stage::Hash);
}

/// A challenge as the 32 bytes of a scalar.
fn wide(c: &Challenge) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(c);
    bytes
}
