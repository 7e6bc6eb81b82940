//! What wrong claims cost: a sum that fails, and the search for those who made it fail.

use klero::{Backend, Claim, Method};

use super::claims::Claims;
use super::rows::{name_of, verifier};
use crate::run::Row;

/// The number of claims that one sum takes, which is where a wrong one costs most.
pub const SUMMED: usize = 2048;

/// Whether claim number `.0` of `.1` is wrong.
type IsWrong = fn(usize, usize) -> bool;

/// The mixtures that are measured. One wrong claim alone costs most behind the middle, where the
/// search comes last.
const MIXTURES: [(&str, IsWrong); 4] = [
    ("none wrong", |_, _| false),
    ("one wrong", |i, n| i == n * 3 / 5),
    ("one in 45 wrong", |i, _| i % 45 == 22),
    ("all wrong", |_, _| true),
];

/// Rows of the experiment "wrong": verifying all claims together, some of which are wrong, and
/// one by one. The worst case of [`klero::Verifier::verify_many`] is the largest ratio of the
/// two.
///
/// ```
/// use klero_measure::ours::{Claims, wrong_rows};
/// let claims = Claims::new(klero::Suite::RFC9381_ELL2_BC, 50);
/// let rows = wrong_rows(&claims, &[klero::Backend::default()]);
/// assert_eq!(rows[1].name(), "verify 50, one wrong, rfc9381-ell2-bc");
/// ```
pub fn wrong_rows<'c>(claims: &'c Claims, backends: &[Backend]) -> Vec<Row<'c>> {
    let (n, suite) = (claims.len(), claims.suite.name());
    let rows = MIXTURES.into_iter().map(|(mixture, is_wrong)| {
        let mut row = Row::new("wrong", format!("verify {n}, {mixture}, {suite}"), n);
        for &backend in backends {
            for (method, how) in [(Method::Auto, ""), (Method::OneByOne, ", one by one")] {
                let verifier = verifier(claims, backend).method(method);
                let proofs = with_errors(claims, is_wrong);
                row.add(format!("{}{how}", name_of(backend)), move || {
                    let batch = proofs.iter().enumerate().map(|(i, proof)| Claim {
                        proof,
                        ..claims.claim(i)
                    });
                    let batch: Vec<_> = batch.collect();
                    let verdicts = verifier.verify_many(&batch).verdicts;
                    let wrong = verdicts.iter().map(Result::is_err);
                    wrong.eq((0..n).map(|i| is_wrong(i, n)))
                });
            }
        }
        row
    });
    rows.collect()
}

/// The proofs of the claims, with a bit of s flipped in those that are to be wrong.
fn with_errors(claims: &Claims, is_wrong: IsWrong) -> Vec<Vec<u8>> {
    let n = claims.len();
    let proofs = (0..n).map(|i| {
        let mut proof = claims.proof(i).to_vec();
        if is_wrong(i, n)
            && let Some(byte) = proof.iter_mut().nth_back(20)
        {
            *byte ^= 1;
        }
        proof
    });
    proofs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Plan, run};
    use klero::Suite;

    #[test]
    fn both_ways_find_the_wrong_ones() {
        let claims = Claims::new(Suite::RFC9381_ELL2_BC, 200);
        let rows = wrong_rows(&claims, &[Backend::default()]);
        let run = run(rows, &Plan::rounds(3)).unwrap();
        assert_eq!(run.of("wrong").count(), MIXTURES.len());
    }
}
