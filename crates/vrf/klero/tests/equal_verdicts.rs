//! Tests that a claim's verdict does not depend on how it is verified. Random claims (honest, spoiled and
//! forged) must get the oracle's verdict from every backend, alone and at any position in groups of any size.
//!
//! The environment variable `KLERO_TEST_CLAIMS` sets the number of claims for each suite, as
//! in `KLERO_TEST_CLAIMS=1000000 cargo test --release -p klero --test equal_verdicts`.

mod support;

use klero_reference::Suite;
use support::compare::check_group;
use support::source::Source;

every_suite!(random_claims);

/// The number of claims for each suite, from the environment or a default.
fn count() -> usize {
    match std::env::var("KLERO_TEST_CLAIMS") {
        Ok(count) => count.parse().expect("KLERO_TEST_CLAIMS is a number"),
        Err(_) if cfg!(debug_assertions) => 1_000,
        Err(_) => 5_000,
    }
}

fn random_claims(suite: &'static Suite) {
    let mut source = Source::new(suite, 0xe9a1);
    let (mut tried, mut valid) = (0, 0);
    while tried < count() {
        let cases = source.judged();
        check_group(suite, &mut source.rng, &cases);
        tried += cases.len();
        valid += cases.iter().filter(|case| case.expected.is_ok()).count();
    }
    assert!(
        tried / 4 < valid && valid < tried,
        "{valid} of {tried} valid"
    );
}
