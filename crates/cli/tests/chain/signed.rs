//! Signatures, certificates and their numbers, which checks are made, and what anchors a chain.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use klero_audit::State;
use klero_cardano::{Block, Era, StateFile};
use klero_forge::{Forged, Mutant, Recipe, forge};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::db::{Chain, small};
use crate::run::{findings, report, total, verify};

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

/// The check that finds a mutant.
fn check(mutant: Mutant) -> &'static str {
    match mutant.finding() {
        "certificate-number" | "invalid-certificate" => "certificates",
        "body-hash" => "bodies",
        _ => "kes",
    }
}

#[test]
fn each_mutant_is_found_once_by_its_check() {
    for mutant in Mutant::ALL {
        let (dir, forged) = chain(BTreeMap::from([(900, mutant)]));
        let slot = *forged.mutants.keys().next().unwrap();
        let expected = [format!("{} at {slot}", mutant.finding())];
        let check = check(mutant);
        let whole = report(dir.path(), "", 1);
        assert_eq!(findings(&whole), expected, "{mutant:?}");
        assert_eq!(whole["findings"][0]["count"], 1);
        // Nothing follows from it: proofs and nonces are as they were.
        assert_eq!(total(&whole, "valid"), total(&whole, "proofs"));
        let text = verify(dir.path(), "").ends(1).stdout;
        assert!(text.contains(&format!("slot {slot}, block ")), "{text}");

        for other in ["vrf", "kes", "certificates", "bodies"] {
            let status = i32::from(other == check);
            let ran = report(dir.path(), &format!("--only {other}"), status);
            let found = findings(&ran);
            assert_eq!(
                found == expected,
                other == check,
                "{mutant:?}, {other}: {found:?}"
            );
        }
    }
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
fn a_valid_chain_counts_each_kind() {
    let (dir, forged) = chain(BTreeMap::new());
    let whole = report(dir.path(), "", 0);
    let blocks: u64 = forged.epochs.iter().map(|epoch| epoch.blocks).sum();
    let all = json!({"valid": blocks, "invalid": 0, "not_judged": 0});
    for kind in ["kes", "certificates", "certificate_numbers", "bodies"] {
        assert_eq!(whole["totals"][kind], all, "{kind}");
    }
    assert_eq!(
        whole["checks"],
        json!(["vrf", "kes", "certificates", "bodies"])
    );
    let none = json!({"valid": 0, "invalid": 0, "not_judged": 0});
    let some = report(dir.path(), "--only certificates,vrf", 0);
    assert_eq!(some["checks"], json!(["vrf", "certificates"]));
    assert_eq!(some["totals"]["kes"], none);
    assert_eq!(some["totals"]["bodies"], none);
    assert_eq!(some["totals"]["certificates"], all);
    assert_eq!(some["not_checked"][0], "KES signatures");
    assert_eq!(some["not_checked"][1], "hashes and sizes of block bodies");
    // Without proofs the nonces are the same.
    let bodies = report(dir.path(), "--only bodies", 0);
    assert_eq!(total(&bodies, "proofs"), 0);
    for (epoch, same) in bodies["epochs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(whole["epochs"].as_array().unwrap())
    {
        assert_eq!(epoch["nonce"], same["nonce"]);
    }
    let text = verify(dir.path(), "--only bodies").ends(0).stdout;
    assert!(text.contains(" blocks: all valid."), "{text}");
    let ran = verify(dir.path(), "--only vrf,stake").ends(2);
    let words = "expected one of vrf, kes, certificates, bodies";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

/// A block with the next number of its issuer, copied to before one with the last number: the
/// copy is signed, but it is not where it belongs.
#[test]
fn a_block_out_of_place_moves_no_counter() {
    let chain = Chain::forged(&Recipe::of_renewals());
    let number = |block: &Block| {
        let signed = block.signed.as_ref().unwrap();
        (signed.issuer_key, signed.signing.certificate.number)
    };
    let (before, next) = chain
        .blocks
        .iter()
        .flat_map(|next| chain.blocks.iter().map(move |before| (before, next)))
        .find(|(before, next)| {
            let ((a, last), (b, new)) = (number(before), number(next));
            before.chunk == next.chunk && a == b && last < new
        })
        .unwrap();
    let db = chain.copy(chain.chunks());
    let file = db.immutable().join(format!("{:05}.chunk", next.chunk));
    let mut bytes = fs::read(&file).unwrap();
    let copy = bytes[next.offset as usize..(next.offset + next.size) as usize].to_vec();
    let at = before.offset as usize;
    bytes.splice(at..at, copy);
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    for index in ["primary", "secondary"] {
        db.remove(next.chunk, index);
    }
    for only in ["", " --only certificates"] {
        let ran = report(db.dir.path(), &format!("{}{only}", chain.options), 1);
        let found = findings(&ran);
        assert!(
            found.iter().any(|line| line.starts_with("hash-link")),
            "{found:?}"
        );
        assert_eq!(
            ran["totals"]["certificate_numbers"]["invalid"], 0,
            "{found:?}"
        );
    }
}

#[test]
fn numbers_of_issuers_met_in_the_middle_are_recorded() {
    let (dir, forged) = chain(BTreeMap::from([(900, Mutant::NumberTooSmall)]));
    let nonce = forged.epochs[4].nonce.unwrap();
    for extension in ["chunk", "primary", "secondary"] {
        fs::remove_file(dir.path().join(format!("immutable/00000.{extension}"))).unwrap();
    }
    // The mutant is in this epoch; each issuer's first number is not judged.
    let ran = report(
        dir.path(),
        &format!("--epoch-nonce 4={nonce} --only certificates"),
        1,
    );
    assert_eq!(findings(&ran).len(), 1);
    let numbers = &ran["totals"]["certificate_numbers"];
    assert_eq!(numbers["invalid"], 1);
    assert!(numbers["not_judged"].as_u64() >= Some(3), "{numbers}");
}

/// The first chunks of a chain, and then the rest of them.
fn first_chunks(dir: &Path, chunks: u64) -> TempDir {
    let part = TempDir::new().unwrap();
    fs::create_dir(part.path().join("immutable")).unwrap();
    for name in ["shelley-genesis.json", "klero-network.json"] {
        if dir.join(name).exists() {
            fs::copy(dir.join(name), part.path().join(name)).unwrap();
        }
    }
    add_chunks(dir, part.path(), 0..chunks);
    part
}

fn add_chunks(from: &Path, to: &Path, chunks: impl Iterator<Item = u64>) -> u64 {
    let mut added = 0;
    for chunk in chunks {
        for extension in ["chunk", "primary", "secondary"] {
            let name = format!("immutable/{chunk:05}.{extension}");
            if !from.join(&name).exists() {
                return added;
            }
            fs::copy(from.join(&name), to.join(&name)).unwrap();
        }
        added += 1;
    }
    added
}

#[test]
fn a_state_carries_numbers_and_checks() {
    let (dir, _) = chain(BTreeMap::from([(900, Mutant::NumberTooSmall)]));
    let part = first_chunks(dir.path(), 6);
    let state = part.path().join("state");
    let options = format!("--state {}", state.display());
    let first = report(part.path(), &options, 0);
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
    assert!(add_chunks(dir.path(), part.path(), 6..) > 1);
    let second = report(part.path(), &options, 1);
    assert_eq!(findings(&second).len(), 1);
    assert_eq!(second["findings"][0]["finding"], "certificate-number");
    assert_eq!(second["start"]["from"], "state");

    // A run with fewer checks goes on, and later runs are held to them.
    saved.save(&state).unwrap();
    let ran = report(part.path(), &format!("{options} --only vrf"), 0);
    assert_eq!(ran["start"]["from"], "state");
    assert_eq!(ran["state"]["advanced"], true);
    let mut fewer = State::load(&state).unwrap();
    assert_eq!(fewer.checks, names(&["vrf"]));
    let words = "it covers only vrf, and this audit is to check kes, certificates, bodies as well";
    verify(part.path(), &options).refused(words);

    // Checks that this version does not know do no harm.
    fewer.checks = names(&["stake", "vrf"]);
    fewer.save(&state).unwrap();
    report(part.path(), &format!("{options} --only vrf"), 0);
}

#[test]
fn the_expected_tip() {
    let chain = Chain::forged(&small(&[(Era::Conway, 2)]));
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
        text.contains("Anchor: the chain ends with the expected block."),
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
            text.contains("Anchor: the chain does not end with block"),
            "{text}"
        );
        assert!(text.contains("1 other tip than expected"), "{text}");
    }
    let none = report(&chain.dir, &chain.options, 0);
    assert_eq!(none["anchor"]["expected_tip"], Value::Null);
    assert_eq!(none["anchor"]["anchored"], false);
    let text = verify(&chain.dir, &chain.options).ends(0).stdout;
    assert!(
        text.contains("Anchor: none; the chain is consistent with itself"),
        "{text}"
    );
    for (bad, words) in [
        ("7", "expected a slot, a colon and a hash"),
        ("x:00", "expected the number of a slot"),
        ("7:00", "64 hexadecimal digits"),
    ] {
        let ran = verify(&chain.dir, &format!("--expect-tip {bad}")).ends(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}
