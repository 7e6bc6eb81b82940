//! Tests of signatures, certificates, certificate numbers and bodies, and of audits with fewer checks.

use std::collections::{BTreeMap, BTreeSet};

use klero_audit::{Anchor, Check, Checked, Origin, Outcome, State};
use klero_cardano::Block;
use klero_forge::{Mutant, Recipe};
use tempfile::TempDir;

use crate::db::{Chain, Copy, Made};
use crate::run::{Ran, fails, refused, run};

/// A chain with these mutants. Its keys evolve. Its certificates expire and are renewed. In TPraos, which
/// allows it, some new certificates skip a number.
fn chain(mutants: BTreeMap<u64, Mutant>) -> Made {
    Made::of(&Recipe {
        mutants,
        ..Recipe::of_renewals()
    })
}

/// The check that finds a mutant.
fn check(mutant: Mutant) -> Check {
    match mutant.finding() {
        "certificate-number" | "invalid-certificate" => Check::Certificates,
        "body-hash" => Check::Bodies,
        _ => Check::Kes,
    }
}

/// The counts of signatures, certificates, certificate numbers and bodies.
fn kinds(ran: &Ran) -> [Checked; 4] {
    let totals = ran.totals();
    let numbers = totals.certificate_numbers;
    [totals.kes, totals.certificates, numbers, totals.bodies]
}

#[test]
fn each_mutant_is_found_once_by_its_check() {
    for mutant in Mutant::ALL {
        let chain = chain(BTreeMap::from([(900, mutant)]));
        let slot = *chain.forged.mutants.keys().next().unwrap();
        let expected = [format!("{} at {slot}", mutant.finding())];
        let whole = fails(chain.audit());
        assert_eq!(whole.findings(), expected, "{mutant:?}");
        assert_eq!(whole.found[0].count, 1);
        // The mutant has no other effect: all proofs are valid.
        assert_eq!(whole.totals().valid, whole.totals().proofs);
        let text = whole.found[0].to_string();
        assert!(text.contains(&format!("slot {slot}, block ")), "{text}");

        for other in Check::ALL {
            let is_its = other == check(mutant);
            let outcome = match is_its {
                true => Outcome::SomeInvalid,
                false => Outcome::AllValid,
            };
            let found = run(chain.audit().only([other]), outcome).findings();
            assert_eq!(found == expected, is_its, "{mutant:?}, {other}: {found:?}");
        }
    }
}

#[test]
fn all_mutants_at_once() {
    let mutants: BTreeMap<u64, Mutant> = (800..).step_by(37).zip(Mutant::ALL).collect();
    let chain = chain(mutants);
    assert_eq!(chain.forged.mutants.len(), Mutant::ALL.len());
    let ran = fails(chain.audit());
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for mutant in Mutant::ALL {
        *expected.entry(mutant.finding()).or_default() += 1;
    }
    for finding in &ran.found {
        let slot = finding.at.slot.unwrap();
        assert!(chain.forged.mutants.contains_key(&slot), "{finding}");
    }
    assert_eq!(ran.report.found, expected);
    let invalid = kinds(&ran).map(|checked| checked.invalid);
    assert_eq!(invalid, [6, 1, 2, 1]);
    // After a fault, the upper bound of each issuer's next number is in doubt. Such a number is not judged.
    assert!(ran.totals().certificate_numbers.not_judged > 0);
}

#[test]
fn a_valid_chain_counts_each_kind() {
    let chain = chain(BTreeMap::new());
    let whole = run(chain.audit(), Outcome::AllValid);
    let all = Checked {
        valid: chain.forged.epochs.iter().map(|epoch| epoch.blocks).sum(),
        ..Checked::default()
    };
    assert_eq!(kinds(&whole), [all; 4]);
    let some = chain.audit().only([Check::Certificates, Check::Vrf]);
    let some = run(some, Outcome::AllValid);
    let checks = BTreeSet::from([Check::Vrf, Check::Certificates]);
    assert_eq!(some.report.checks, checks);
    assert_eq!(some.totals().kes, Checked::default());
    assert_eq!(some.totals().bodies, Checked::default());
    assert_eq!(some.totals().certificates, all);
    // The nonces are the same if proofs are not checked.
    let bodies = run(chain.audit().only([Check::Bodies]), Outcome::AllValid);
    assert_eq!(bodies.totals().proofs, 0);
    let same = whole.report.epochs.values();
    for (epoch, same) in bodies.report.epochs.values().zip(same) {
        assert_eq!(epoch.nonce, same.nonce);
    }
}

/// After lost blocks, even an honest number may be two above the last known one, so it is not judged.
#[test]
fn numbers_are_forgotten_where_blocks_are_lost() {
    let chain = Chain::forged(&Recipe::of_renewals());
    let copy = chain.copy();
    (3..6).for_each(|chunk| copy.lose(chunk));
    let ran = fails(chain.audit(&copy));
    assert_eq!(ran.findings(), ["missing-chunks in chunk 3"]);
    let numbers = ran.totals().certificate_numbers;
    assert!(
        numbers.invalid == 0 && numbers.not_judged > 0,
        "{numbers:?}"
    );
}

/// Copies a block in which an issuer has a new certificate number to a place where it is too early: before a
/// block in which that issuer still has the old number. Then copies the next block to this place as well.
#[test]
fn a_block_out_of_place_moves_no_counter() {
    let chain = Chain::forged(&Recipe::of_renewals());
    let number = |block: &Block| {
        let signed = block.signed.as_ref().unwrap();
        let issuer = block.lottery.as_ref().unwrap().issuer_key;
        (issuer, signed.signing.certificate.number)
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
    for blocks in [vec![next], vec![next, chain.after(next)]] {
        let copy = chain.copy();
        let copied = blocks.iter().map(|block| chain.bytes(block).unwrap());
        let copied = copied.collect::<Vec<_>>().concat();
        let at = before.offset as usize;
        let insert = |bytes: &mut Vec<u8>| drop(bytes.splice(at..at, copied));
        copy.change(next.chunk, "chunk", insert).unwrap();
        for index in ["primary", "secondary"] {
            copy.remove(next.chunk, index).unwrap();
        }
        for only in [&Check::ALL[..], &[Check::Certificates]] {
            let ran = fails(chain.audit(&copy).only(only.iter().copied()));
            let found = ran.findings();
            assert!(ran.report.found.contains_key("hash-link"), "{found:?}");
            assert_eq!(ran.totals().certificate_numbers.invalid, 0, "{found:?}");
        }
    }
}

#[test]
fn numbers_of_issuers_met_in_the_middle_are_recorded() {
    let chain = chain(BTreeMap::from([(900, Mutant::NumberTooSmall)]));
    let nonce = chain.forged.epochs[4].nonce.unwrap();
    let database = klero_damage::Database::at(chain.dir.path().join("immutable"));
    for extension in ["chunk", "primary", "secondary"] {
        database.remove(0, extension).unwrap();
    }
    // The mutant is in epoch 4. For each issuer, the first number that the audit meets is not judged.
    let audit = chain.audit().expect([Anchor::Nonce { epoch: 4, nonce }]);
    let ran = fails(audit.only([Check::Certificates]));
    assert_eq!(ran.findings().len(), 1);
    let numbers = ran.totals().certificate_numbers;
    assert_eq!(numbers.invalid, 1);
    assert!(numbers.not_judged >= 3, "{numbers:?}");
}

#[test]
fn a_state_carries_numbers_and_checks() {
    let chain = Chain::forged(&Recipe {
        mutants: BTreeMap::from([(900, Mutant::NumberTooSmall)]),
        ..Recipe::of_renewals()
    });
    let place = TempDir::new().unwrap();
    let state = place.path().join("state");
    let audit = |copy: &Copy| chain.audit(copy).state(&state).unwrap();
    run(audit(&chain.part(0..6)), Outcome::AllValid);
    let saved = State::load(&state).unwrap().unwrap();
    assert_eq!(saved.checks, Check::ALL.into());

    // The mutant's number is smaller than the last number of its issuer in the state.
    let whole = chain.copy();
    let ran = fails(audit(&whole));
    assert!(matches!(ran.origin, Some(Origin::After(_))));
    assert_eq!(ran.findings().len(), 1);
    assert_eq!(ran.found[0].fault.name(), "certificate-number");

    // An audit with fewer checks continues from the state and saves a new one. The new state is refused by an
    // audit with more checks.
    saved.save(&state).unwrap();
    run(audit(&whole).only([Check::Vrf]), Outcome::AllValid);
    let fewer = State::load(&state).unwrap().unwrap();
    assert_eq!(fewer.checks, [Check::Vrf].into());
    let error = refused(audit(&whole));
    let words = "it covers only vrf, and this audit is to check kes, certificates, bodies as well";
    assert!(error.to_string().contains(words), "{error}");
}
