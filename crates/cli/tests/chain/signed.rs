//! Signatures, certificates and their numbers, which checks are made, and what anchors a chain.

use std::collections::BTreeMap;

use klero_audit::State;
use klero_cardano::{Era, StateFile};
use klero_forge::{Forged, Mutant, Recipe, forge};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::Place;
use crate::db::Chain;
use crate::run::{findings, report, verify};

/// A chain in which keys evolve, and certificates expire, are renewed, and skip numbers where
/// that is allowed; with these mutants.
fn chain(mutants: BTreeMap<u64, Mutant>) -> (TempDir, Forged) {
    let dir = TempDir::new().unwrap();
    let recipe = Recipe {
        mutants,
        ..Recipe::of_renewals()
    };
    let forged = forge(&recipe, dir.path(), |_, _| {}).unwrap();
    (dir, forged)
}

#[test]
fn all_mutants_at_once() {
    let mutants: BTreeMap<u64, Mutant> = (800..).step_by(37).zip(Mutant::ALL).collect();
    let (dir, forged) = chain(mutants);
    assert_eq!(forged.mutants.len(), Mutant::ALL.len());
    let ran = report(dir.path(), "", 1);
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for mutant in Mutant::ALL {
        *expected.entry(mutant.finding()).or_default() += 1;
    }
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in ran["findings"].as_array().unwrap() {
        let name = match finding["finding"].as_str().unwrap() {
            "fault" => finding["kind"].as_str().unwrap(),
            name => name,
        };
        let slot = finding["slot"].as_u64().unwrap();
        assert!(forged.mutants.contains_key(&slot), "{finding}");
        *found.entry(name).or_default() += finding["count"].as_u64().unwrap();
    }
    assert_eq!(found, expected);
    let invalid = |name: &str| ran["totals"][name]["invalid"].as_u64().unwrap();
    let counts = ["kes", "certificates", "certificate_numbers", "bodies"].map(invalid);
    assert_eq!(counts, [6, 1, 2, 1]);
    // After something wrong the upper bounds of certificate numbers are not judged for a while.
    assert!(ran["totals"]["certificate_numbers"]["not_judged"].as_u64() > Some(0));
}

#[test]
fn which_checks_are_made() {
    let (dir, _) = chain(BTreeMap::new());
    let whole = report(dir.path(), "", 0);
    assert_eq!(
        whole["checks"],
        json!(["vrf", "kes", "certificates", "bodies"])
    );
    let some = report(dir.path(), "--only certificates,vrf", 0);
    assert_eq!(some["checks"], json!(["vrf", "certificates"]));
    assert_eq!(
        some["totals"]["kes"],
        json!({"valid": 0, "invalid": 0, "not_judged": 0})
    );
    assert_eq!(some["not_checked"][0], "KES signatures");
    assert_eq!(some["not_checked"][1], "hashes and sizes of block bodies");
    let text = verify(dir.path(), "--only bodies").ends(0).stdout;
    assert!(text.contains("\nAll valid: "), "{text}");
    let ran = verify(dir.path(), "--only vrf,stake").ends(2);
    let words = "[possible values: vrf, kes, certificates, bodies]";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn a_state_carries_numbers_and_checks() {
    let chain = Chain::forged(&Recipe {
        mutants: BTreeMap::from([(900, Mutant::NumberTooSmall)]),
        ..Recipe::of_renewals()
    });
    let part = chain.copy(6);
    let place = Place::new();
    let state = place.path("state");
    let options = format!("{} --state {}", chain.options, state.display());
    let part_dir = part.dir.path();
    let first = report(part_dir, &options, 0);
    let checked = &first["state"]["checked"];
    assert_eq!(checked["kes"], checked["certificates"]);
    assert_eq!(checked["kes"], checked["bodies"]);
    let saved = State::load(&state).unwrap();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        saved.checks,
        names(&["bodies", "certificates", "kes", "vrf"])
    );
    assert!(saved.certificate_numbers.len() >= 3);

    // The number is too small for what the state knows.
    assert!(chain.chunks() > 7);
    part.add(&chain, 6..chain.chunks());
    let second = report(part_dir, &options, 1);
    assert_eq!(findings(&second).len(), 1);
    assert_eq!(second["findings"][0]["finding"], "certificate-number");
    assert_eq!(second["start"]["from"], "state");

    // A run with fewer checks goes on, and later runs are held to them.
    saved.save(&state).unwrap();
    let ran = report(part_dir, &format!("{options} --only vrf"), 0);
    assert_eq!(ran["start"]["from"], "state");
    assert_eq!(ran["state"]["advanced"], true);
    let mut fewer = State::load(&state).unwrap();
    assert_eq!(fewer.checks, names(&["vrf"]));
    let words = "it covers only vrf, and this audit is to check kes, certificates, bodies as well";
    verify(part_dir, &options).refused(words);

    // Checks that this version does not know do no harm.
    fewer.checks = names(&["stake", "vrf"]);
    fewer.save(&state).unwrap();
    report(part_dir, &format!("{options} --only vrf"), 0);
}

#[test]
fn the_expected_tip() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let last = &chain.blocks.last().unwrap().place;
    let before = &chain.blocks[chain.blocks.len() - 2].place;
    let expecting = |slot: u64, hash: &dyn std::fmt::Display| {
        format!("{} --expect-tip {slot}:{hash}", chain.options)
    };
    let right = expecting(last.slot, &last.hash);
    let ran = report(&chain.dir, &right, 0);
    assert_eq!(ran["anchor"]["anchored"], true);
    assert_eq!(ran["anchor"]["expected_tip"]["found"], true);
    let text = verify(&chain.dir, &right).ends(0).stdout;
    assert!(
        text.contains("Tied to the network: yes. The chain ends with the expected block.\n"),
        "{text}"
    );

    for wrong in [
        expecting(before.slot, &before.hash),
        expecting(last.slot, &before.hash),
        expecting(last.slot + 1, &last.hash),
    ] {
        let ran = report(&chain.dir, &wrong, 1);
        assert_eq!(ran["anchor"]["anchored"], false);
        assert_eq!(ran["anchor"]["expected_tip"]["found"], false);
        let text = verify(&chain.dir, &wrong).ends(1).stdout;
        assert!(
            text.contains("Tied to the network: no. The chain does not end with block"),
            "{text}"
        );
        assert!(text.contains("1 other tip than expected"), "{text}");
    }
    let none = report(&chain.dir, &chain.options, 0);
    assert_eq!(none["anchor"]["expected_tip"], Value::Null);
    assert_eq!(none["anchor"]["anchored"], false);
    let text = verify(&chain.dir, &chain.options).ends(0).stdout;
    assert!(
        text.contains("Tied to the network: no. Nothing shows that this is the chain of network"),
        "{text}"
    );
    let advice = format!("pass --expect-block {}:HASH.\n", last.slot);
    assert!(text.contains(&advice), "{text}");
    for (bad, words) in [
        ("7", "expected a slot, a colon and a hash"),
        ("x:00", "expected the number of a slot"),
        ("7:00", "64 hexadecimal digits"),
    ] {
        let ran = verify(&chain.dir, &format!("--expect-tip {bad}")).ends(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}
