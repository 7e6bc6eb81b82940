//! Tests that no verdict depends on which keys are kept between calls, on the backend that keeps them, or on
//! how often they were forgotten.

mod support;

use std::thread;

use klero::{Method, Verifier};
use klero_reference::Suite;
use support::case::{Case, honest};
use support::compare::{backends, subject, verdict};
use support::hostile;
use support::rng::Rng;

every_suite!(any_order, threads);

/// Valid and invalid claims. Several claims have the same key. Some claims are honest. Others have torsion,
/// keys of small order, unusual encodings or wrong lengths.
fn pool(suite: &Suite) -> Vec<Case> {
    let mut rng = Rng(77);
    let mut pool = honest(suite, 30);
    pool.extend(hostile::some_torsion(suite, &mut rng, 30));
    pool.extend(hostile::small_order_keys(suite).into_iter().take(6));
    pool.extend(hostile::encodings(suite).into_iter().take(6));
    pool.extend(hostile::lengths(suite).into_iter().take(6));
    pool
}

/// Returns a group of claims from the pool, in random order. The group has a random size, which may or may
/// not fill vectors.
fn some<'a>(rng: &mut Rng, pool: &'a [Case]) -> Vec<&'a Case> {
    let size = 1 + rng.below(90);
    (0..size).map(|_| &pool[rng.below(pool.len())]).collect()
}

fn check(suite: &Suite, verifier: &Verifier, cases: &[&Case]) {
    let claims: Vec<_> = cases.iter().map(|case| case.claim()).collect();
    let verdicts = verifier.verify_many(&claims).verdicts;
    for (got, case) in verdicts.into_iter().zip(cases) {
        assert_eq!(verdict(got), case.expected, "{}: {case:x?}", suite.name);
    }
}

/// Verifies with changing backends and methods that share one table of kept keys. The table has room for one
/// key, for eight keys or for all keys. A small table is full again and again, and then forgets all its keys.
fn any_order(suite: &Suite) {
    let pool = pool(suite);
    let mut rng = Rng(5);
    let backends = backends();
    for most in [1, 8, usize::MAX] {
        let shared = Verifier::new(subject(suite)).keep_keys(most);
        for round in 0..24 {
            let backend = backends[rng.below(backends.len())];
            let method = [Method::OneByOne, Method::Auto, Method::Sum][round % 3];
            let verifier = shared.clone().backend(backend).method(method);
            check(suite, &verifier, &some(&mut rng, &pool));
            let alone = &pool[rng.below(pool.len())];
            let got = verdict(verifier.verify(&alone.claim()));
            assert_eq!(got, alone.expected, "{}: {alone:x?}", suite.name);
        }
    }
}

fn threads(suite: &Suite) {
    let pool = pool(suite);
    let shared = Verifier::new(subject(suite)).keep_keys(10);
    thread::scope(|scope| {
        for seed in 0..4 {
            let (pool, shared) = (&pool, &shared);
            scope.spawn(move || {
                let mut rng = Rng(seed);
                for _ in 0..8 {
                    check(suite, shared, &some(&mut rng, pool));
                }
            });
        }
    });
}
