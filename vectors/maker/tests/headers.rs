//! `vectors/headers.json` is what is made, has a test for each name, and is what its page describes.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::LazyLock;

use klero_reference::BigUint;
use klero_reference::header::{amount, cases, ratio};
use klero_reference::leader::{Place, Rule};
use serde_json::Value;

static FILE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../headers.json")).unwrap());

fn tests(group: &Value) -> &[Value] {
    group["tests"].as_array().unwrap()
}

/// The leader values that show a rounding, with their f.
fn roundings() -> impl Iterator<Item = (&'static Value, &'static Value)> {
    let groups = FILE["testGroups"].as_array().unwrap().iter();
    let all = groups.flat_map(|group| tests(group).iter().map(move |test| (&group["f"], test)));
    all.filter(|(_, test)| test.get("rounding").is_some())
}

fn keys(names: &'static Value) -> BTreeSet<&'static str> {
    let names = names.as_object().unwrap().keys();
    names.map(String::as_str).collect()
}

/// Byte for byte. If not: look at the difference that `cargo run --release -p klero-vectors` makes.
#[test]
fn the_file_is_what_is_made() {
    let mut check = Command::new(env!("CARGO_BIN_EXE_klero-vectors"));
    assert!(check.arg("--check").status().unwrap().success());
}

/// The names of the places where the rule rounds.
const PLACES: [(&str, Place); 8] = [
    ("coefficient", Place::Coefficient),
    ("log-product", Place::LogProduct),
    ("log-quotient", Place::LogQuotient),
    ("stake", Place::Stake),
    ("exponent", Place::Exponent),
    ("reciprocal", Place::Reciprocal),
    ("term-product", Place::TermProduct),
    ("term-quotient", Place::TermQuotient),
];

/// The verdicts on values with a rounding are the opposite with this one up instead of down.
#[test]
fn values_show_their_roundings() {
    let places = BTreeMap::from(PLACES);
    for (f, test) in roundings() {
        let value = hex::decode(test["value"].as_str().unwrap()).unwrap();
        let (value, bits) = (BigUint::from_bytes_be(&value), 8 * value.len() as u32);
        let sigma = (amount(&test["stake"]), amount(&test["total"]));
        let leads = |rule: Rule| rule.leads(&value, bits, sigma, ratio(f));
        let place = places[test["rounding"].as_str().unwrap()];
        assert_eq!(leads(Rule::EXACT), test["leads"], "{test}");
        assert_eq!(!leads(Rule::exchanged(place)), test["leads"], "{test}");
    }
}

#[test]
fn every_name_has_tests() {
    let broken = cases(&FILE).filter_map(|case| case.test.get("broken")?.as_str());
    assert_eq!(broken.collect::<BTreeSet<_>>(), keys(&FILE["rules"]));
    for digits in [64, 128] {
        let shown = roundings().filter_map(|(_, test)| {
            let is_of_length = test["value"].as_str()?.len() == digits;
            test["rounding"].as_str().filter(|_| is_of_length)
        });
        assert_eq!(shown.collect::<BTreeSet<_>>(), keys(&FILE["roundings"]));
    }
}

/// The names in the file are made of the page.
#[test]
fn the_page_has_the_count_and_no_other_names() {
    let page = include_str!("../../../docs/header-vectors.md");
    let groups = FILE["testGroups"].as_array().unwrap().iter();
    let count: usize = groups.map(|group| tests(group).len()).sum();
    let count = format!("the number of tests in all groups, {count} |");
    assert!(page.contains(&count), "the page does not say {count}");
    let names = keys(&FILE["rules"]).len() + keys(&FILE["roundings"]).len();
    assert_eq!(page.matches("\n| `").count(), names);
}
