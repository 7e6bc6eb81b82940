//! Tests batches of many sizes, with every source of weights, and with many mixtures of claims.

mod support;

use klero::{Method, Report, SecretKey, Stage, Verifier, Weights};
use klero_reference::Suite;
use support::case::{Case, honest, owner};
use support::compare::{backends, check_alone, check_batch, check_batch_with, subject};
use support::hostile;
use support::rng::Rng;

every_suite!(empty, sizes, weights, keys, pure, sums_hold, searched);

fn empty(suite: &Suite) {
    for method in [Method::Auto, Method::Sum, Method::OneByOne] {
        let report = Verifier::new(subject(suite))
            .method(method)
            .verify_many(&[]);
        assert!(report.verdicts.is_empty());
        assert_eq!(report.verified_alone, 0);
    }
}

/// Honest claims with 40 keys. The first 360 claims are distinct, and half of all claims contain their
/// output.
fn pool(suite: &Suite, count: usize) -> Vec<Case> {
    let keys: Vec<_> = (0..40)
        .map(|index| SecretKey::from_seed(subject(suite), &owner(index)))
        .collect();
    let cases = (0..count).map(|index| {
        let key = &keys[index * 7 % keys.len()];
        let mut case = Case::honest(key, &index.to_le_bytes()[..index % 9]);
        if index % 2 == 1 {
            case.output = None;
        }
        case
    });
    cases.collect()
}

/// Claims that are wrong in different ways, and valid claims. Some of them have torsion.
fn odd_ones(suite: &Suite) -> Vec<Case> {
    let mut rng = Rng(31);
    let mut cases = hostile::some_torsion(suite, &mut rng, 12);
    cases.extend(hostile::swaps(suite).into_iter().take(8));
    cases
}

/// Returns `count` claims of the pool, with claims of `odd` at the given positions.
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

/// Powers of two, where groups of claims can end, and sizes next to these powers. The torsion test of the
/// larger batches uses random subsets.
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

/// Tests a batch of many groups, with odd claims at some positions.
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
    ignore = "takes minutes in builds with every assertion"
)]
fn many_of_128_bytes() {
    many(Suite::named("draft13-bc").unwrap());
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "takes minutes in builds with every assertion"
)]
fn many_of_80_bytes() {
    many(Suite::named("praos").unwrap());
}

/// Tests that the source of the weights changes no verdict.
fn weights(suite: &Suite) {
    let mut rng = Rng(32);
    let neighbours = honest(suite, 20);
    let mut odd = odd_ones(suite);
    let sources = [
        Weights::Hashed,
        #[cfg(feature = "os-rng")]
        Weights::random().unwrap(),
        Weights::Random([0; 32]),
        Weights::Random(rng.array()),
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

/// Tests batches in which claims share a key, because a sum merges the terms of equal keys: one key for all
/// claims, with and without torsion, and one claim repeated. Also tests claims with different keys.
fn keys(suite: &Suite) {
    let mut rng = Rng(33);
    let one_key: Vec<_> = (0..40u8)
        .map(|alpha| {
            let key = SecretKey::from_seed(subject(suite), &owner(0));
            Case::honest(&key, &[alpha])
        })
        .collect();
    check_batch(suite, &one_key);

    // Three owners make the torsion cases. Some cases are valid, and some have the key of the honest claims.
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
            Case::honest(&SecretKey::from_seed(subject(suite), &seed), b"")
        })
        .collect();
    check_batch(suite, &all_different);
}

/// Tests that a batch gives the same verdicts each time, and that `verify_many` of the suite gives them, too.
fn pure(suite: &Suite) {
    let cases = [odd_ones(suite), honest(suite, 10)].concat();
    cases.iter().for_each(|case| check_alone(suite, case));
    let claims: Vec<_> = cases.iter().map(Case::claim).collect();
    let verifier = Verifier::new(subject(suite));
    let report = verifier.verify_many(&claims);
    assert_eq!(report, verifier.verify_many(&claims));
    assert_eq!(report, verifier.verify_watched(&claims, &mut |_| ()));
    assert_eq!(report.verdicts, subject(suite).verify_many(&claims));
}

/// Tests that no sum of honest claims fails, even beside malformed claims, which no sum contains. Failed sums
/// show only in `verified_alone`. For one wrong claim, fewer than 128 claims may be verified alone.
fn sums_hold(suite: &Suite) {
    let pool = pool(suite, 300);
    let wrong = odd_ones(suite);
    let wrong = wrong.iter().find(|case| case.expected.is_err()).unwrap();
    // s is not below L.
    let mut malformed = pool[0].clone();
    *malformed.proof.last_mut().unwrap() = 0xff;
    for backend in backends() {
        for size in [1, 2, 11, 64, 300] {
            let verifier = Verifier::new(subject(suite))
                .backend(backend)
                .method(Method::Sum);
            let mut claims: Vec<_> = pool[..size].iter().map(Case::claim).collect();
            let alone = verifier.verify_many(&claims).verified_alone;
            assert_eq!(alone, 0, "{size} on {backend:?}");
            for place in [0, size / 2] {
                claims.insert(place, malformed.claim());
                let report = verifier.verify_many(&claims);
                assert!(report.verdicts[place].is_err());
                assert_eq!(report.verified_alone, 0, "{place} of {size} on {backend:?}");
            }
            claims.push(wrong.claim());
            let alone = verifier.verify_many(&claims).verified_alone;
            assert!(alone < 128, "{size} on {backend:?}");
        }
    }
}

/// Tests batches with wrong claims, and valid ones with torsion, at random places or next to each other.
fn searched(suite: &Suite) {
    let mut rng = Rng(34);
    let pool = pool(suite, 300);
    let mut odd = odd_ones(suite);
    let count = if cfg!(debug_assertions) { 200 } else { 500 };
    for one_in in [200, 64, 20, 3] {
        rng.shuffle(&mut odd);
        let positions: Vec<usize> = (0..count).filter(|_| rng.below(one_in) == 0).collect();
        check_batch(suite, mixture(&pool, count, &odd, &positions));
        let from = rng.below(count - count / one_in);
        let positions: Vec<usize> = (from..from + count / one_in).collect();
        check_batch(suite, mixture(&pool, count, &odd, &positions));
    }
}

/// The claims of the pool, each with a bit of s flipped.
fn with_errors(pool: &[Case]) -> Vec<Case> {
    let mut wrong = pool.to_vec();
    for case in &mut wrong {
        case.proof[100] ^= 1;
    }
    wrong
}

/// Tests on every backend, with wrong claims at random places, that the claims that the search settles (that
/// it need not verify alone) limit the number of sums. If each sum after the first counts as 64 claims, the
/// size of the smallest part, the total is at most twice the number of settled claims, plus 128.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "takes minutes in builds with every assertion"
)]
fn sums_are_paid_for_by_the_claims_that_they_settle() {
    let suite = Suite::named("rfc9381-ell2-bc").unwrap();
    let mut rng = Rng(36);
    let pool = pool(suite, 2048);
    let wrong = with_errors(&pool);
    for backend in backends() {
        let verifier = Verifier::new(subject(suite)).backend(backend);
        for number in [1, 2, 4, 7, 12, 20, 33, 64] {
            let places: Vec<usize> = (0..number).map(|_| rng.below(2048)).collect();
            let is_wrong = |i: usize| places.contains(&i);
            let cases = (0..2048).map(|i| if is_wrong(i) { &wrong[i] } else { &pool[i] });
            let claims: Vec<_> = cases.map(Case::claim).collect();
            let mut parts = 0;
            let report = verifier.verify_watched(&claims, &mut |stage| {
                parts += usize::from(stage == Stage::Sum);
            });
            parts -= 1;
            let settled = 2048 - report.verified_alone;
            assert!(
                64 * parts <= 2 * (settled + 64),
                "{backend:?}, {places:?}: {parts} parts, {settled} settled"
            );
            let verdicts = report.verdicts.iter().map(Result::is_err);
            assert!(verdicts.eq((0..2048).map(is_wrong)));
        }
    }
}

/// Returns the number of sums that a batch needs, and its report.
fn sums<'a>(suite: &Suite, cases: impl Iterator<Item = &'a Case>) -> (usize, Report) {
    let claims: Vec<_> = cases.map(Case::claim).collect();
    let mut sums = 0;
    let verifier = Verifier::new(subject(suite));
    let report = verifier.verify_watched(&claims, &mut |stage| {
        sums += usize::from(stage == Stage::Sum);
    });
    (sums, report)
}

/// Tests that wrong claims have a bounded cost: the number of sums, and the number of claims that are
/// verified again alone.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "takes minutes in builds with every assertion"
)]
fn wrong_claims_cost_few_sums() {
    let suite = Suite::named("rfc9381-ell2-bc").unwrap();
    let pool = pool(suite, 2048);
    let wrong = with_errors(&pool);
    let cost = |is_wrong: &dyn Fn(usize) -> bool| {
        let cases = (0..2048).map(|i| if is_wrong(i) { &wrong[i] } else { &pool[i] });
        let (sums, report) = sums(suite, cases);
        let verdicts = report.verdicts.iter().map(Result::is_err);
        assert!(verdicts.eq((0..2048).map(is_wrong)));
        (sums, report.verified_alone)
    };

    assert_eq!(cost(&|_| false), (1, 0));
    // One wrong claim is found wherever it is.
    for place in (0..2048).step_by(89).chain([2047]) {
        let (sums, alone) = cost(&|i| i == place);
        assert!(sums <= 11 && alone < 128, "{place}: {sums}, {alone}");
    }
    // Many wrong claims next to each other are found as well.
    for first in [0, 1000, 2003] {
        let (sums, alone) = cost(&|i| (first..first + 45).contains(&i));
        assert!(sums <= 16 && alone < 256, "{first}: {sums}, {alone}");
    }
    // If wrong claims are everywhere, the search ends soon.
    assert_eq!(cost(&|_| true), (3, 2048));
    let (sums, _) = cost(&|i| i % 45 == 22);
    assert!(sums <= 5, "{sums}");
    // No pattern prolongs the search, because the number of settled claims limits the number of sums.
    for every in [128, 256, 512, 1024] {
        let (sums, _) = cost(&|i| i % every == every / 2);
        assert!(sums <= 21, "{every}: {sums}");
    }
}

/// Tests that two kinds of claims do not prolong the search: claims that are wrong only because of torsion,
/// and claims that no sum contains.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "takes minutes in builds with every assertion"
)]
fn claims_that_no_sum_settles_pay_for_none() {
    let suite = Suite::named("rfc9381-ell2-bc").unwrap();
    let pool = pool(suite, 2048);
    let wrong = with_errors(&pool);
    let mut torsion = hostile::some_torsion(suite, &mut Rng(35), 60);
    torsion.retain(|case| case.expected.is_err());
    let mut no_points = pool;
    for case in &mut no_points {
        case.proof[32..64].fill(0xff);
    }
    for filling in [&torsion, &no_points] {
        for every in [256, 512] {
            let cases = (0..2048).map(|i| match i % every {
                7 => &wrong[i],
                _ => &filling[i % filling.len()],
            });
            let (sums, report) = sums(suite, cases);
            assert!(
                sums <= 3 && report.verified_alone == 2048,
                "{every}: {sums}"
            );
            assert!(report.verdicts.iter().all(Result::is_err));
        }
    }
}
