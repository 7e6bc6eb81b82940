//! Audits of blocks from an iterator, compared with audits of files with the same blocks.

mod damage;
mod dijkstra;
mod found;
mod parts;
mod seen;

use std::collections::BTreeMap;

use klero_audit::{Anchor, Check, Met, Outcome};
use klero_cardano::Era;
use klero_forge::{Mutant, Recipe};

use crate::db::Made;
use crate::run::run;
use seen::{Seen, seen};

/// Asserts that an audit of files and audits of an iterator, on one to three threads, have equal reports.
/// Returns the report of the audits with all checks.
fn same(chain: &Made) -> Seen {
    let tip = chain.forged.tip.as_ref().unwrap();
    let (slot, hash) = (tip.slot, tip.hash);
    let tip = Anchor::Tip { slot, hash };
    let mut whole = None;
    for checks in [&Check::ALL[..], &[Check::Vrf], &[]] {
        let checks = || checks.iter().copied();
        let files = seen(chain.audit().only(checks()).expect([tip]), 2);
        for threads in [1, 2, 3] {
            let audit = chain.audit_of(&chain.blocks).only(checks());
            assert_eq!(seen(audit.expect([tip]), threads), files);
        }
        whole.get_or_insert(files);
    }
    whole.unwrap().unwrap()
}

#[test]
fn honest_chains_are_valid() {
    let all_valid = |recipe| {
        let seen = same(&Made::of(&recipe));
        assert_eq!(seen.outcome, Outcome::AllValid);
        assert_eq!(seen.anchors[0].1, Met::Yes);
        assert_eq!(seen.findings, []);
    };
    all_valid(Recipe::sample());
    all_valid(Recipe::of_renewals());
    all_valid(Recipe {
        // Chunks without blocks, and chunks that are read in several groups.
        silent: [1, 4].into(),
        body_bytes: 20_000,
        eras: vec![(Era::Mary, 2), (Era::Babbage, 4)],
        extra_entropy: BTreeMap::new(),
        ..Recipe::sample()
    });
}

#[test]
fn every_mutant_is_found() {
    let seen = same(&Made::of(&Recipe {
        mutants: (800..).step_by(37).zip(Mutant::ALL).collect(),
        ..Recipe::of_renewals()
    }));
    assert_eq!(seen.outcome, Outcome::SomeInvalid);
    let found: u64 = seen.findings.iter().map(|finding| finding.3).sum();
    assert_eq!(found, Mutant::ALL.len() as u64);
}

#[test]
fn no_blocks_at_all() {
    let chain = Made::of(&Recipe::sample());
    let ran = run(chain.audit_of(&[]), Outcome::NotAllChecked);
    assert!(ran.report.is_empty());
}
