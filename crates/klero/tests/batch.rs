//! The batch as a call: any size, any source of coefficients, order, purity.

mod support;

use klero::{Batch, Claim, Coefficients, SecretKey};
use support::hostile;
use support::reference::Suite;
use support::tools::{
    Case, Rng, backends, check_alone, check_batch, check_batch_with, honest, model, owner, subject,
};

every_suite!(empty, sizes, coefficients, keys, pure, sums_hold);

fn empty(suite: &Suite) {
    let batch = Batch::new(subject(suite));
    assert!(batch.is_empty());
    assert_eq!(batch.len(), 0);
    assert!(batch.verify().is_empty());
}

/// Many distinct honest claims by the library's own prover; the reference, which
/// is slow, looks at some.
fn pool(suite: &Suite, count: usize) -> Vec<Case> {
    let keys: Vec<_> = (0..40)
        .map(|index| SecretKey::from_seed(subject(suite), &owner(index)))
        .collect();
    let cases = (0..count).map(|index| {
        let key = &keys[index * 7 % keys.len()];
        let alpha = index.to_le_bytes();
        let (proof, output) = key.prove(&alpha[..index % 9]);
        let claim = Claim {
            key: key.public_key().as_bytes(),
            alpha: &alpha[..index % 9],
            proof: proof.as_bytes(),
            output: (index % 2 == 0).then_some(output.as_bytes()),
        };
        let case = Case {
            name: format!("honest {index}"),
            key: claim.key.to_vec(),
            alpha: claim.alpha.to_vec(),
            proof: claim.proof.to_vec(),
            output: claim.output.map(<[u8]>::to_vec),
            expected: Ok(output.0),
        };
        if index % 100 == 0 {
            let again = Case::new(suite, case.name.clone(), &claim);
            assert_eq!(again.expected, case.expected);
        }
        case
    });
    cases.collect()
}

/// A few claims, each wrong in another way, and some valid ones with torsion.
fn odd_ones(suite: &Suite) -> Vec<Case> {
    let mut rng = Rng(31);
    let mut cases = hostile::some_torsion(suite, &mut rng, 12);
    cases.extend(hostile::swaps(suite).into_iter().take(8));
    cases
}

/// `count` claims out of the pool, and at these positions the odd ones.
fn mixture<'a>(
    pool: &'a [Case],
    count: usize,
    odd: &'a [Case],
    positions: &[usize],
) -> Vec<&'a Case> {
    let mut cases: Vec<_> = pool.iter().cycle().take(count).collect();
    for (&position, case) in positions.iter().zip(odd.iter().cycle()) {
        cases[position] = case;
    }
    cases
}

/// Below and above the powers of two, where groups end, and of a size at which random
/// subsets decide about torsion.
const SIZES: &[usize] = if cfg!(debug_assertions) {
    &[1, 2, 3, 129, 1025]
} else {
    &[1, 2, 3, 127, 128, 129, 1023, 1024, 1025]
};

fn sizes(suite: &Suite) {
    let pool = pool(suite, 300);
    let odd = odd_ones(suite);
    check_batch(suite, pool.iter().cycle().take(1024));
    for &size in SIZES {
        let positions = [0, size - 1, size / 3, size * 2 / 3];
        check_batch(suite, mixture(&pool, size, &odd, &positions));
    }
}

/// More claims than a few groups hold, those at a few places wrong.
fn many(suite: &Suite) {
    let pool = pool(suite, 500);
    let odd = odd_ones(suite);
    let positions = [
        0, 1, 1023, 1024, 2047, 2048, 4096, 9_999, 16_383, 16_384, 19_998, 19_999,
    ];
    check_batch(suite, mixture(&pool, 20_000, &odd, &positions));
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "some seconds, and many without optimisation"
)]
fn many_of_128_bytes() {
    many(model("draft13-bc"));
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "some seconds, and many without optimisation"
)]
fn many_of_80_bytes() {
    many(model("praos"));
}

/// Where the coefficients come from changes no verdict.
fn coefficients(suite: &Suite) {
    let mut rng = Rng(32);
    let neighbours = honest(suite, 20);
    let mut odd = odd_ones(suite);
    let sources = [
        Coefficients::Hashed,
        #[cfg(feature = "os-rng")]
        Coefficients::random().unwrap(),
        Coefficients::Random([0; 32]),
        Coefficients::Random(rng.array()),
        Coefficients::VrfDalek,
    ];
    for source in sources {
        check_batch_with(suite, source, []);
        check_batch_with(suite, source, &neighbours);
        check_batch_with(suite, source, &odd);
        for case in &odd {
            check_batch_with(suite, source, [case]);
            check_batch_with(suite, source, neighbours.iter().chain([case]));
        }
        rng.shuffle(&mut odd);
        check_batch_with(suite, source, odd.iter().chain(&neighbours));
    }
}

/// Terms of equal keys are merged: one key for all, with torsion and without,
/// the same claim again and again, and all keys different.
fn keys(suite: &Suite) {
    let mut rng = Rng(33);
    let one_key: Vec<_> = (0..40u8)
        .map(|alpha| {
            let key = SecretKey::from_seed(subject(suite), &owner(0));
            let (proof, output) = key.prove(&[alpha]);
            let claim = Claim {
                key: key.public_key().as_bytes(),
                alpha: &[alpha],
                proof: proof.as_bytes(),
                output: Some(output.as_bytes()),
            };
            Case::new(suite, "one key", &claim)
        })
        .collect();
    check_batch(suite, &one_key);

    // The torsion cases have few owners; some are valid, some are not, and some
    // share their key with honest claims.
    let torsion = hostile::some_torsion(suite, &mut rng, 60);
    for _ in 0..5 {
        let key = &torsion[rng.below(torsion.len())].key;
        let same: Vec<_> = torsion.iter().filter(|case| case.key == *key).collect();
        check_batch(suite, same.iter().copied());
        check_batch(
            suite,
            same.iter().copied().filter(|case| case.expected.is_ok()),
        );
        check_batch(suite, same.iter().copied().chain(&one_key));
        check_batch(suite, std::iter::repeat_n(same[0], 30));
    }

    let all_different: Vec<_> = (0..40u64)
        .map(|number| {
            let seed = Rng(number).array();
            let key = SecretKey::from_seed(subject(suite), &seed);
            let (proof, _) = key.prove(b"");
            let claim = Claim {
                key: key.public_key().as_bytes(),
                alpha: b"",
                proof: proof.as_bytes(),
                output: None,
            };
            Case::new(suite, "a key of its own", &claim)
        })
        .collect();
    assert!(all_different.iter().all(|case| case.expected.is_ok()));
    check_batch(suite, &all_different);
}

/// The same batch has the same verdicts, filled and asked in whatever way.
fn pure(suite: &Suite) {
    let cases = [odd_ones(suite), honest(suite, 10)].concat();
    cases.iter().for_each(|case| check_alone(suite, case));
    let mut pushed = Batch::new(subject(suite));
    for case in &cases {
        pushed.push(case.claim());
    }
    let mut extended = Batch::new(subject(suite));
    extended.extend(cases.iter().map(Case::claim));
    assert_eq!(pushed.len(), cases.len());
    assert!(!pushed.is_empty());
    let verdicts = pushed.verify();
    assert_eq!(verdicts, pushed.verify());
    assert_eq!(verdicts, extended.verify());
    assert_eq!(verdicts, pushed.clone().verify());
}

/// No sum of honest claims fails, which no verdict would show; and one claim that is
/// wrong sends no more than its part of the group to be verified alone.
fn sums_hold(suite: &Suite) {
    let pool = pool(suite, 300);
    let wrong = odd_ones(suite);
    let wrong = wrong.iter().find(|case| case.expected.is_err()).unwrap();
    for backend in backends() {
        for size in [1, 2, 11, 64, 300] {
            for coefficients in [Coefficients::Hashed, Coefficients::VrfDalek] {
                let mut batch = Batch::new(subject(suite))
                    .with_backend(backend)
                    .with_coefficients(coefficients)
                    .with_sum_from(1);
                batch.extend(pool[..size].iter().map(Case::claim));
                assert_eq!(batch.count_doubtful(), 0, "{size} on {backend:?}");
                batch.push(wrong.claim());
                let most = 2 * (size + 1).isqrt() + 1;
                assert!(batch.count_doubtful() <= most, "{size} on {backend:?}");
            }
        }
    }
}
