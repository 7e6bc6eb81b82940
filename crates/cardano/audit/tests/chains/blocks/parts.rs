//! Audits of a part of a chain: up to an error of the iterator, from a saved state on, and from any block on
//! with given nonces.

use std::fs;
use std::iter;

use klero_audit::{Anchor, Audit, AuditError, Outcome};
use klero_cardano::{Network, WalkError};
use klero_damage::Stored;
use klero_forge::Recipe;

use crate::db::Made;
use crate::run::{refused, run};

/// The number of blocks in completed epochs after `read` blocks. The last block's epoch is not complete.
fn ended(chain: &Made, read: usize) -> usize {
    let network = &chain.forged.network;
    let epoch = |block: &Stored| network.epoch(block.chunk * network.chunk_size());
    let blocks = &chain.blocks[..read];
    let last = blocks.last().map(epoch);
    blocks.partition_point(|block| Some(epoch(block)) < last)
}

/// An iterator that fails is not called again. The blocks before its error are reported, and another audit
/// continues from the saved state.
#[test]
fn an_error_is_no_end_of_the_chain() {
    let chain = Made::of(&Recipe::sample());
    for at in [0, 1, 700, chain.blocks.len()] {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state.json");
        let failing = || {
            let blocks = chain.blocks[..at].iter().map(|block| Ok(&block.bytes[..]));
            let after = iter::once_with(|| panic!("asked again"));
            let blocks = blocks.chain([Err("the line is dead")]).chain(after);
            let audit = Audit::of_blocks(chain.forged.network.clone(), blocks);
            audit.state(&state).unwrap()
        };
        let ran = run(failing(), Outcome::NotAllRead);
        assert_eq!(ran.totals().blocks, at as u64);
        assert_eq!(ran.totals().valid, ran.totals().proofs);
        assert_eq!(ran.report.found, [("io", 1)].into());
        let text = ran.found.last().unwrap().to_string();
        let expected = format!("note: io: item {at}: cannot be read: the line is dead");
        assert_eq!(text, expected);
        let saved = ran.report.state.unwrap();
        assert_eq!(saved.totals.blocks, ended(&chain, at) as u64);

        let audit = chain.audit_of(&chain.blocks).state(&state).unwrap();
        let rest = run(audit, Outcome::AllValid).report;
        let passed = ended(&chain, chain.blocks.len());
        assert_eq!(rest.state.unwrap().totals.blocks, passed as u64);

        // If the iterator fails before it reaches the last block of the state, the blocks may be of another
        // chain, so the audit is refused.
        if at < passed {
            let error = refused(failing()).to_string();
            let words = "cannot be read: the line is dead; ";
            assert!(error.contains(words), "{error}");
        }
    }
}

#[test]
fn state_files_are_those_of_files() {
    let chain = Made::of(&Recipe::sample());
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let files = || chain.audit().network(chain.forged.network.clone());
    let whole = path("whole.json");
    run(files().state(&whole).unwrap(), Outcome::AllValid);
    let whole = fs::read(whole).unwrap();
    let n = chain.blocks.len();
    for at in [1, 2, 5, 400, 1_111, n - 1, n] {
        // One audit reads the first `at` blocks, and the next continues from its state. The second audit's
        // blocks begin before the last block of the state, with that block, or directly after it.
        let state = path("state.json");
        let passed = ended(&chain, at);
        for from in [0, passed / 2, passed.saturating_sub(1), passed] {
            let _ = fs::remove_file(&state);
            let audit = |blocks| chain.audit_of(blocks).state(&state).unwrap();
            run(audit(&chain.blocks[..at]), Outcome::AllValid);
            let rest = run(audit(&chain.blocks[from..]), Outcome::AllValid).report;
            assert_eq!(rest.totals.blocks, (n - passed) as u64, "{at} {from}");
            assert_eq!(rest.unread_bytes, 0);
            assert_eq!(fs::read(&state).unwrap(), whole, "{at} {from}");
        }
        // An audit of files continues from the state of an audit of blocks.
        let _ = fs::remove_file(&state);
        for audit in [chain.audit_of(&chain.blocks[..at]), files()] {
            run(audit.state(&state).unwrap(), Outcome::AllValid);
        }
        assert_eq!(fs::read(&state).unwrap(), whole);
    }
}

#[test]
fn blocks_that_do_not_go_on_from_a_state() {
    let chain = Made::of(&Recipe::sample());
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state.json");
    let audit = |blocks| chain.audit_of(blocks).state(&state).unwrap();
    run(audit(&chain.blocks[..500]), Outcome::AllValid);
    let passed = ended(&chain, 500);
    let refused = |blocks| refused(audit(blocks)).to_string();
    let short = refused(&chain.blocks[..passed - 10]);
    assert!(short.contains("ends at slot"), "{short}");
    for from in [passed + 1, passed + 2, 900] {
        let late = refused(&chain.blocks[from..]);
        assert!(late.contains("no readable block"), "{late}");
    }
    let mut other = chain.blocks.clone();
    let last = &mut other[passed - 1].bytes;
    let at = last.len() / 2;
    last[at] ^= 1;
    let other = refused(&other);
    assert!(
        other.contains("has block") || other.contains("no readable"),
        "{other}"
    );
}

#[test]
fn blocks_of_given_epochs_begin_anywhere() {
    let chain = Made::of(&Recipe::sample());
    let epoch = chain.forged.epochs[9].clone();
    let nonce = epoch.nonce.unwrap();
    for from in [0, 700, 1_200] {
        let anchor = Anchor::Nonce { epoch: 9, nonce };
        let audit = chain.audit_of(&chain.blocks[from..]).expect([anchor]);
        // If the blocks begin with the chain's first block, the nonces of all epochs are computed.
        if from == 0 {
            run(audit, Outcome::AllValid);
        } else {
            let ran = run(audit, Outcome::NotAllChecked);
            assert_eq!(ran.totals().valid, epoch.proofs, "{from}");
        }
    }
    let error = refused(chain.audit_of(&chain.blocks[700..]));
    let AuditError::Walk(WalkError::NotGenesis { first, doubt: None }) = error else {
        panic!("{error}")
    };
    assert!(first.starts_with("block "), "{first}");
    let error = refused(
        chain
            .audit_of(&chain.blocks[..1])
            .network(Network::mainnet()),
    );
    let is_other = matches!(error, AuditError::Walk(WalkError::OtherNetwork { .. }));
    assert!(is_other, "{error}");
}
