//! Audits of blocks that an iterator gives, compared with audits of files with the same blocks.

mod chain;
mod damage;
mod dijkstra;
mod found;
mod nonces;
mod parts;
mod seen;

use std::collections::BTreeMap;

use klero_audit::{Anchor, Audit, Check, Met, Outcome};
use klero_cardano::Era;
use klero_forge::{Mutant, Recipe};

use chain::{Chain, sure};
use seen::{Seen, run, seen};

/// The same in files and from an iterator, on any number of threads.
fn same(chain: &Chain) -> Seen {
    let tip = chain.forged.tip.unwrap();
    let (slot, hash) = (tip.slot, tip.hash);
    let tip = Anchor::Tip { slot, hash };
    let mut whole = None;
    for checks in [&Check::ALL[..], &[Check::Vrf], &[]] {
        let audit = |audit: Audit<'static>| audit.only(checks.iter().copied()).expect([tip]);
        let files = seen(audit(chain.files()), 2);
        for threads in [1, 2, 3] {
            let blocks = chain.blocks.clone().into_iter();
            let blocks = blocks.map(|block| sure(block.bytes));
            let blocks = Audit::of_blocks(chain.network.clone(), blocks);
            assert_eq!(seen(audit(blocks), threads), files);
        }
        whole.get_or_insert(files);
    }
    whole.unwrap().unwrap()
}

#[test]
fn honest_chains_are_valid() {
    let all_valid = |recipe| {
        let seen = same(&Chain::of(&recipe));
        assert_eq!(seen.outcome, Outcome::AllValid);
        assert_eq!(seen.anchors[0].1, Met::Yes);
        assert_eq!(seen.findings, []);
    };
    all_valid(Recipe::sample());
    all_valid(Recipe::of_renewals());
    all_valid(Recipe {
        // Chunks without blocks, and one block in several groups.
        silent: [1, 4].into(),
        body_bytes: 20_000,
        eras: vec![(Era::Mary, 2), (Era::Babbage, 4)],
        extra_entropy: BTreeMap::new(),
        ..Recipe::sample()
    });
}

#[test]
fn every_mutant_is_found() {
    let renewals = |mutants| Recipe {
        mutants,
        ..Recipe::of_renewals()
    };
    for mutant in Mutant::ALL {
        let chain = Chain::of(&renewals([(900, mutant)].into()));
        let seen = same(&chain);
        assert_eq!(seen.outcome, Outcome::SomeInvalid, "{mutant}");
        assert_eq!(seen.findings.len(), 1, "{mutant}");
    }
    let all = (800..).step_by(37).zip(Mutant::ALL).collect();
    let seen = same(&Chain::of(&renewals(all)));
    let found: u64 = seen.findings.iter().map(|finding| finding.3).sum();
    assert_eq!(found, Mutant::ALL.len() as u64);
}

#[test]
fn no_blocks_at_all() {
    let chain = Chain::sample();
    let (report, _) = run(chain.audit(&[]), 1).unwrap();
    assert_eq!(report.outcome(), Outcome::NotAllChecked);
    assert!(report.is_empty());
}
