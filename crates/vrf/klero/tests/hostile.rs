//! Tests every attack (a hostile claim) on every suite. The library must give it the model's verdict and
//! reason, alone and in batches. Also tests that some pairs of suites differ only on attacks.

mod support;

use klero::SecretKey;
use klero_reference::{SUITES, Suite};
use support::case::{Case, honest, owner};
use support::compare::{
    check_alone, check_among, check_batch, check_everywhere, position, subject,
};
use support::hostile;
use support::rng::Rng;

every_suite!(attacks, groups);

/// The step between attacks that are checked alone. Builds with every assertion are slow. So they check nine
/// of ten attacks only in batches, and each of the groups only among six neighbours.
const STEP: usize = if cfg!(debug_assertions) { 10 } else { 1 };

fn attacks(suite: &Suite) {
    let mut rng = Rng(11);
    let neighbours = honest(suite, 64);

    // The verdicts on these attacks depend on the exact rule of the suite.
    let torsion = hostile::torsion(suite);
    let accepted = torsion.iter().filter(|case| case.expected.is_ok()).count();
    assert!(
        accepted >= 50 && torsion.len() - accepted >= 150,
        "{accepted} accepted"
    );
    let sharp = [
        torsion,
        hostile::zero_nonce(suite),
        hostile::known_coefficients(suite),
    ];
    let sharp = sharp.concat();
    for case in sharp.iter().enumerate().step_by(STEP) {
        check_everywhere(suite, &neighbours, &mut rng, case);
    }
    // Checks all valid claims in one batch. Then checks every fifth invalid claim among 16 valid claims.
    let (valid, invalid): (Vec<_>, Vec<_>) =
        sharp.iter().partition(|case: &&Case| case.expected.is_ok());
    check_batch(suite, valid.iter().copied());
    for (turn, wrong) in invalid.iter().enumerate().step_by(5) {
        let (before, after) = valid[..16].split_at(position(&mut rng, turn, 16));
        check_batch(suite, before.iter().chain([wrong]).chain(after).copied());
    }

    // Every careful verifier detects these attacks.
    let blunt = hostile::plain(suite);
    for (turn, case) in blunt.iter().enumerate().step_by(STEP) {
        check_alone(suite, case);
        let count = rng.below(8);
        let position = position(&mut rng, turn, count);
        check_among(
            suite,
            &neighbours,
            count,
            position,
            std::slice::from_ref(case),
        );
    }

    // Checks batches of hostile claims only, and batches of hostile and honest claims.
    let mut cases = [sharp, blunt].concat();
    check_batch(suite, &cases);
    for turn in 0..2 {
        rng.shuffle(&mut cases);
        check_among(suite, &neighbours, 64, position(&mut rng, turn, 64), &cases);
        check_batch(suite, cases.iter().take(50).chain(&neighbours));
    }
}

/// Checks groups of claims whose errors cancel: each claim alone, each group as a batch, and each group among
/// honest claims, side by side or scattered.
fn groups(suite: &Suite) {
    let mut rng = Rng(13);
    let neighbours = honest(suite, 64);
    let groups = hostile::groups(suite);
    for group in &groups {
        group.iter().for_each(|case| check_alone(suite, case));
        check_batch(suite, group);
        let mut counts = vec![6];
        if STEP == 1 {
            counts.push(rng.below(65));
        }
        for (turn, count) in counts.into_iter().enumerate() {
            let position = position(&mut rng, turn, count);
            check_among(suite, &neighbours, count, position, group);
            let mut scattered: Vec<_> = neighbours[..count].iter().chain(group).collect();
            rng.shuffle(&mut scattered);
            check_batch(suite, scattered);
        }
    }
    check_batch(suite, groups.iter().flatten());
    check_among(suite, &neighbours, 64, 32, &groups.concat());
}

/// Pairs of suites that differ only in their rules. The documentation of the suites lists these pairs.
const PAIRS: [[&str; 2]; 3] = [
    ["praos", "praos-original"],
    ["draft13", "rfc9381-ell2"],
    ["draft13-bc", "rfc9381-ell2-bc"],
];

#[test]
fn three_pairs_of_suites_accept_each_others_honest_proofs() {
    let mut accepted = Vec::new();
    for proven in &SUITES {
        let key = SecretKey::from_seed(subject(proven), &owner(1));
        let case = Case::honest(&key, b"alpha");
        for verified in &SUITES {
            let verdict = subject(verified).verify_many(&[case.claim()])[0];
            if proven.name != verified.name && verdict.is_ok() {
                accepted.push([proven.name, verified.name]);
            }
        }
    }
    let mut expected = PAIRS.to_vec();
    expected.extend(PAIRS.map(|[one, other]| [other, one]));
    accepted.sort();
    expected.sort();
    assert_eq!(accepted, expected);
}

#[test]
fn torsion_divides_each_pair_and_large_scalars_one() {
    for pair in PAIRS {
        let suites = pair.map(|name| Suite::named(name).unwrap());
        let divide = |cases: Vec<Case>| {
            cases.iter().any(|case| {
                let verdict = |suite| subject(suite).verify_many(&[case.claim()])[0];
                let [one, other] = suites.map(verdict);
                one.is_ok() != other.is_ok()
            })
        };
        let torsion = hostile::some_torsion(suites[0], &mut Rng(17), 16);
        assert!(divide(torsion), "{pair:?}");
        let scalars = hostile::scalars(suites[0]);
        assert_eq!(divide(scalars), pair[1] == "praos-original", "{pair:?}");
    }
}
