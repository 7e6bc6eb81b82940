//! The model on `vectors/headers.json`: each header breaks the rule that the file names, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use klero_reference::BigUint;
use klero_reference::header::{Header, Turn, agrees, amount, broken, cases, ratio, turn};
use klero_reference::leader::Rule;
use serde_json::Value;

static FILE: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/headers.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
});

/// The tests of the groups of this type, with their groups. There are some.
fn tests(of_type: &str) -> Vec<(&'static Value, &'static Value)> {
    let groups = FILE["testGroups"].as_array().unwrap().iter();
    let groups = groups.filter(|group| group["type"] == of_type);
    let tests = groups.flat_map(|group| {
        let tests = group["tests"].as_array().unwrap().iter();
        tests.map(move |test| (group, test))
    });
    let tests: Vec<_> = tests.collect();
    assert!(!tests.is_empty());
    tests
}

#[test]
fn the_model_judges_each_header() {
    cases(&FILE).for_each(agrees);
    assert_eq!(cases(&FILE).count(), tests("headers").len());
}

/// Each rule has headers that a judge without it accepts.
#[test]
fn without_a_rule_the_model_accepts_what_breaks_it_and_nothing_else() {
    let rules: BTreeSet<_> = FILE["rules"].as_object().unwrap().keys().collect();
    let mut accepted = BTreeSet::new();
    for case in cases(&FILE) {
        let header = Header::decode(case);
        let stated = case.test.get("broken").and_then(Value::as_str);
        for rule in &rules {
            let broken = broken(header.as_ref(), Some(rule));
            let left = stated.filter(|stated| stated != rule);
            let comment = &case.test["comment"];
            assert_eq!(broken, Vec::from_iter(left), "{comment}, without {rule}");
        }
        accepted.extend(stated);
    }
    assert!(accepted.into_iter().eq(rules));
}

#[test]
fn the_last_leading_value_leads_and_the_next_one_does_not() {
    let mut edges = 0;
    for case in cases(&FILE) {
        let Some(last) = case.test.get("lastLeading").and_then(Value::as_str) else {
            continue;
        };
        let header = Header::decode(case).unwrap();
        let last = hex::decode(last).unwrap();
        assert_eq!(header.leads(&last), Some(true), "{}", case.test["comment"]);
        edges += 1;
        if last.iter().all(|byte| *byte == 0xff) {
            continue;
        }
        let next = (BigUint::from_bytes_be(&last) + 1u8).to_bytes_be();
        let mut padded = vec![0; last.len() - next.len()];
        padded.extend(next);
        assert_eq!(
            header.leads(&padded),
            Some(false),
            "{}",
            case.test["comment"]
        );
    }
    assert!(edges > 100);
}

#[test]
fn the_model_has_the_thresholds() {
    for (group, test) in tests("thresholds") {
        let value = hex::decode(test["value"].as_str().unwrap()).unwrap();
        let (value, bits) = (BigUint::from_bytes_be(&value), 8 * value.len() as u32);
        let sigma = (amount(&test["stake"]), amount(&test["total"]));
        let leads = Rule::EXACT.leads(&value, bits, sigma, ratio(&group["f"]));
        assert_eq!(test["leads"], leads, "{test}");
    }
}

#[test]
fn the_model_has_the_turns() {
    for (group, test) in tests("overlay") {
        let delegates = group["delegates"].as_u64().unwrap();
        let slot = test["slot"].as_u64().unwrap();
        let stated = match (test["turn"].as_str().unwrap(), test["delegate"].as_u64()) {
            ("lottery", None) => Turn::Lottery,
            ("reserved", None) => Turn::Reserved,
            ("delegate", Some(delegate)) => Turn::Delegate(delegate),
            other => panic!("{other:?}"),
        };
        let (d, f) = (ratio(&group["d"]), ratio(&group["f"]));
        assert_eq!(turn(slot, d, f, delegates), stated, "{test}");
    }
}
