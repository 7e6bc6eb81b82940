//! What wrong claims cost: a sum that fails, and the search for those who made it fail.

use klero::{Backend, Claim, Method};

use super::claims::Claims;
use super::rows::{name_of, verifier};
use crate::run::Row;

/// The number of claims that one sum takes, which is where a wrong one costs most.
pub const SUMMED: usize = 2048;

/// Whether claim number `.0` of `.1` is wrong.
type IsWrong = fn(usize, usize) -> bool;

/// The mixtures that are measured. One wrong claim alone costs most behind the middle of a sum,
/// where the search comes last.
const MIXTURES: [(&str, IsWrong); 9] = [
    ("none wrong", |_, _| false),
    ("the first wrong", |i, _| i == 0),
    ("one wrong", |i, n| i == n.min(SUMMED) * 3 / 5),
    ("the last wrong", |i, n| i + 1 == n),
    ("45 in a row wrong", |i, n| (n / 2..n / 2 + 45).contains(&i)),
    ("one in 170 wrong, at random", |i, _| {
        random(i).is_multiple_of(170)
    }),
    ("one in 45 wrong", |i, _| i % 45 == 22),
    ("one in 45 wrong, at random", |i, _| {
        random(i).is_multiple_of(45)
    }),
    ("all wrong", |_, _| true),
];

/// A number that looks random, the same in each run: the finalizer of SplitMix64.
fn random(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Rows of the experiment "wrong": verifying all claims together, some of which are wrong, and
/// one by one. The worst case of [`klero::Verifier::verify_many`] is the largest ratio of the
/// two.
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
        assert_eq!(rows[1].name, "verify 200, the first wrong, rfc9381-ell2-bc");
        let run = run(rows, &Plan::rounds(3)).unwrap();
        assert_eq!(run.of("wrong").count(), MIXTURES.len());
    }
}
