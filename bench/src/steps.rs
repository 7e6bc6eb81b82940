//! Steps 4 and 5 of verification alone, U = s·B - c·Y and V = s·H - c·Γ: the times of the
//! stages that the verifier reports for them.

use klero::{Backend, Method, Stage};
use klero_measure::Row;
use klero_measure::ours::{Claims, verify_stages};

/// Adds a contender that computes U and V of each of the first n claims.
pub fn add_each<'c>(
    row: &mut Row<'c>,
    who: String,
    claims: &'c Claims,
    backend: Backend,
    n: usize,
) {
    let counts = |stage| matches!(stage, Stage::U | Stage::V | Stage::KeyTorsion);
    let mut work = verify_stages(claims, backend, Method::OneByOne, 0..n);
    row.add_parts(vec![who], n, move |ended| {
        work(&mut |stage| ended(counts(stage).then_some(0)))
    });
}

/// Adds a contender that checks the equations of the first n claims by a random combination for
/// each `size` of them, with the torsion test that makes its verdicts the same as for single
/// claims.
pub fn add_combined<'c>(
    row: &mut Row<'c>,
    who: String,
    claims: &'c Claims,
    backend: Backend,
    n: usize,
    size: usize,
) {
    let counts = |stage| {
        matches!(
            stage,
            Stage::SmallMultiples | Stage::Weights | Stage::TorsionSum | Stage::Sum
        )
    };
    let mut parts: Vec<_> = (0..n)
        .step_by(size)
        .map(|first| {
            let range = first..n.min(first + size);
            verify_stages(claims, backend, Method::Sum, range)
        })
        .collect();
    row.add_parts(vec![who], n, move |ended| {
        parts
            .iter_mut()
            .all(|work| work(&mut |stage| ended(counts(stage).then_some(0))))
    });
}
