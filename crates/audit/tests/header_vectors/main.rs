//! The vectors of Cardano's headers in `vectors/headers.json`: they are made again, byte for byte, and
//! the library gives the verdicts in them, alone and in batches.
//!
//! Every verdict is stated by the code that makes the header, and compared with that of a second judge.

mod headers;

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use klero_cardano::Turn as NodeTurn;
use klero_leader::{ActiveSlots, LeaderValue, Stake, Threshold};
use klero_reference::BigUint;
use klero_reference::leader::{Place, Rule};
use serde_json::Value;

use headers::context::Turn;
use headers::format::{Group, Vectors};
use headers::names::{ROUNDINGS, RULES};
use headers::{library, thresholds, twin, vectors};

static VECTORS: LazyLock<Vectors> = LazyLock::new(vectors::make);

#[test]
fn the_file_is_what_is_made() {
    VECTORS.compare(RULES, ROUNDINGS);
}

#[test]
fn the_library_judges_each_header_alone() {
    library::agrees_alone(&VECTORS);
}

#[test]
fn the_library_judges_headers_together() {
    for (context, tests) in VECTORS.headers() {
        for stake in &VECTORS.stakes {
            let of_stake = tests.iter().filter(|test| test.stake == stake.name);
            let mut of_stake: Vec<_> = of_stake.collect();
            for _ in 0..2 {
                library::agrees_together(context, stake, &of_stake);
                of_stake.reverse();
            }
        }
    }
}

/// The second judge reads nothing but the file.
#[test]
fn the_twin_judges_the_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/headers.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let made = VECTORS.headers().map(|(_, tests)| tests.len());
    assert_eq!(twin::agrees(&file, 0, 1), made.sum::<usize>());
}

#[test]
fn the_library_has_the_thresholds() {
    for group in &VECTORS.groups {
        let Group::Thresholds { f, tests } = group else {
            continue;
        };
        let slots = ActiveSlots::new(f.0, f.1).unwrap();
        for test in tests {
            let stake = Stake::new(test.sigma.0, test.sigma.1).unwrap();
            let value = match test.value.len() {
                32 => LeaderValue::Praos(test.value[..].try_into().unwrap()),
                _ => LeaderValue::TPraos(test.value[..].try_into().unwrap()),
            };
            let what = format!("{f:?} {:?} {}", test.sigma, test.comment);
            assert_eq!(
                Threshold::new(stake, &slots).leads(&value),
                test.leads,
                "{what}"
            );
            let bits = 8 * test.value.len() as u32;
            let number = BigUint::from_bytes_be(&test.value);
            let leads = |rule: Rule| rule.leads(&number, bits, test.sigma, *f);
            assert_eq!(leads(Rule::EXACT), test.leads, "{what}");
            // Which exchanges of floor and ceiling a test shows.
            for place in Place::ALL {
                if test.rounding == Some(thresholds::name(place)) {
                    assert_eq!(leads(Rule::exchanged(place)), !test.leads, "{what}");
                }
            }
        }
    }
}

#[test]
fn the_library_has_the_turns() {
    for group in &VECTORS.groups {
        let Group::Turns {
            d,
            f,
            delegates,
            tests,
        } = group
        else {
            continue;
        };
        let context = vectors::with_turns(*d, *f, *delegates);
        let network = library::network(&context);
        for test in tests {
            let found = network
                .turn(context.first_slot() + test.slot, library::d(*d))
                .unwrap();
            let expected = match test.turn {
                Turn::Lottery => NodeTurn::Pools,
                Turn::Reserved => NodeTurn::Nobody,
                Turn::Delegate(at) => {
                    let (genesis_key, _) = &context.delegates[at];
                    let of = network.delegations().unwrap();
                    NodeTurn::Delegate(of[&klero_cardano::Hash::new(*genesis_key)])
                }
            };
            assert_eq!(found, expected, "d = {d:?}, slot {}", test.slot);
        }
    }
}

/// Each name has a test, and stands in the page as in the file.
#[test]
fn names_are_described() {
    let used: BTreeSet<_> = VECTORS
        .headers()
        .flat_map(|(_, tests)| tests)
        .filter_map(|test| test.broken)
        .collect();
    assert_eq!(used, RULES.iter().map(|rule| rule.name).collect());
    for bytes in [32, 64] {
        let tests = VECTORS.groups.iter().flat_map(|group| match group {
            Group::Thresholds { tests, .. } => &tests[..],
            _ => &[],
        });
        let of_length = tests.filter(|test| test.value.len() == bytes);
        let used: BTreeSet<_> = of_length.filter_map(|test| test.rounding).collect();
        assert_eq!(used, ROUNDINGS.iter().map(|name| name.name).collect());
    }

    let page = include_str!("../../../../docs/header-vectors.md");
    let tests = VECTORS.groups.iter().map(|group| match group {
        Group::Headers { tests, .. } => tests.len(),
        Group::Thresholds { tests, .. } => tests.len(),
        Group::Turns { tests, .. } => tests.len(),
    });
    let count = format!(
        "the number of tests in all groups, {} |",
        tests.sum::<usize>()
    );
    assert!(page.contains(&count), "the page does not say {count}");
    for name in RULES.iter().chain(ROUNDINGS) {
        let row = format!(
            "| `{}` | {} | {} |\n",
            name.name, name.description, name.decided_by
        );
        assert!(page.contains(&row), "the page has no row {row}");
    }
    assert_eq!(page.matches("\n| `").count(), RULES.len() + ROUNDINGS.len());
}
