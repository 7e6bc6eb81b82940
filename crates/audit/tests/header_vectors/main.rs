//! The vectors of Cardano's headers in `vectors/headers.json`: they are made again, byte for byte, and
//! the library gives the verdicts in them, alone and in batches.
//!
//! Every verdict is stated by the code that makes the header, and compared with that of a second judge.

mod context;
mod format;
mod group;
mod header;
mod library;
mod lottery;
mod names;
mod overlay;
mod signatures;
mod small_order;
mod thresholds;
mod twin;
mod vectors;

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use klero_cardano::Turn as NodeTurn;
use klero_leader::{ActiveSlots, LeaderValue, Stake, Threshold};
use klero_reference::BigUint;
use klero_reference::leader::{Place, Rule};
use serde_json::Value;

use context::{Context, Turn};
use format::{Group, HeaderTest, Vectors};
use names::{ROUNDINGS, RULES};

static VECTORS: LazyLock<Vectors> = LazyLock::new(vectors::make);

/// The groups of headers.
fn groups() -> impl Iterator<Item = (&'static Context, &'static [HeaderTest])> {
    VECTORS.groups.iter().filter_map(|group| match group {
        Group::Headers { context, tests, .. } => Some((&**context, &tests[..])),
        _ => None,
    })
}

fn broken(test: &HeaderTest) -> BTreeSet<&'static str> {
    test.broken.into_iter().collect()
}

#[test]
fn the_file_is_what_is_made() {
    VECTORS.compare(RULES, ROUNDINGS);
}

/// A header breaks the rule that is named, and no other.
#[test]
fn the_library_judges_each_header_alone() {
    for (context, tests) in groups() {
        for test in tests {
            let found = library::alone(context, VECTORS.stake(&test.stake), test);
            assert_eq!(
                found,
                broken(test),
                "{}: {}",
                context.era.name,
                test.comment
            );
        }
    }
}

/// Whatever is beside a header: what depends on the headers before it is left out.
#[test]
fn the_library_judges_headers_together() {
    let depends = |rule: &str| rule.starts_with("opcert-number") || rule == "two-vrf-keys";
    for (context, tests) in groups() {
        for stake in &VECTORS.stakes {
            let of_stake = tests.iter().filter(|test| test.stake == stake.name);
            let mut of_stake: Vec<_> = of_stake.collect();
            for _ in 0..2 {
                let found = library::together(context, stake, &of_stake);
                for (test, mut found) in of_stake.iter().zip(found) {
                    found.retain(|rule| !depends(rule));
                    let mut expected = broken(test);
                    expected.retain(|rule| !depends(rule));
                    assert_eq!(found, expected, "{}", test.comment);
                }
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
    let mut judged = 0;
    for group in file["testGroups"].as_array().unwrap() {
        if group["type"] != "headers" {
            continue;
        }
        for test in group["tests"].as_array().unwrap() {
            let found: Vec<_> = twin::judge(&file, group, test).into_iter().collect();
            let expected: Vec<_> = test
                .get("broken")
                .and_then(Value::as_str)
                .into_iter()
                .collect();
            assert_eq!(found, expected, "{}", test["comment"]);
            assert_eq!(test["result"] == "valid", expected.is_empty());
            judged += 1;
        }
    }
    let made = groups().map(|(_, tests)| tests.len());
    assert_eq!(judged, made.sum::<usize>());
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
                klero_leader::leads(&value, stake, &slots),
                test.leads,
                "{what}"
            );
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
    let used: BTreeSet<_> = groups()
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
