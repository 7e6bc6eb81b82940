//! Blocks of a part of a chain: an iterator that fails, states that a run goes on from, and given
//! epochs.

use std::fs;
use std::iter;

use klero_audit::{Anchor, Audit, AuditError, Outcome};
use klero_cardano::{Network, WalkError};
use klero_damage::Stored;

use crate::chain::{Chain, sure};
use crate::seen::run;

/// The number of blocks, among the first `read`, whose epochs are over.
fn ended(chain: &Chain, read: usize) -> usize {
    let epoch = |block: &Stored| {
        chain
            .network
            .epoch(block.chunk * chain.network.chunk_size())
    };
    let blocks = &chain.blocks[..read];
    let last = blocks.last().map(epoch);
    blocks.partition_point(|block| Some(epoch(block)) < last)
}

/// An iterator that fails: it is not asked again, what came before is reported, and
/// another run goes on.
#[test]
fn an_error_is_no_end_of_the_chain() {
    let chain = Chain::sample();
    let network = || chain.network.clone();
    for at in [0, 1, 700, chain.blocks.len()] {
        let failing = || {
            let blocks = chain.blocks[..at].iter().map(|block| Ok(&block.bytes[..]));
            let after = iter::once_with(|| panic!("asked again"));
            blocks.chain([Err("the line is dead")]).chain(after)
        };
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state.json");
        let audit = Audit::of_blocks(network(), failing())
            .state(&state)
            .unwrap();
        let (report, findings) = run(audit, 2).unwrap();
        assert_eq!(report.outcome(), Outcome::NotAllRead);
        assert_eq!(report.totals.blocks, at as u64);
        assert_eq!(report.totals.valid, report.totals.proofs);
        assert_eq!(report.found, [("io", 1)].into());
        let text = findings.last().unwrap().to_string();
        let expected = format!("note: io: item {at}: cannot be read: the line is dead");
        assert_eq!(text, expected);
        let saved = report.state.unwrap();
        assert_eq!(saved.totals.blocks, ended(&chain, at) as u64);

        let audit = chain.audit(&chain.blocks).state(&state).unwrap();
        let (rest, _) = run(audit, 1).unwrap();
        assert_eq!(rest.outcome(), Outcome::AllValid);
        let passed = ended(&chain, chain.blocks.len());
        assert_eq!(rest.state.unwrap().totals.blocks, passed as u64);

        // It fails before the block of the state: that cannot be told from another chain.
        let audit = Audit::of_blocks(network(), failing())
            .state(&state)
            .unwrap();
        if at < passed {
            let error = run(audit, 1).unwrap_err().to_string();
            assert!(
                error.contains("cannot be read: the line is dead; "),
                "{error}"
            );
        }
    }
}

#[test]
fn state_files_are_those_of_files() {
    let chain = Chain::sample();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let whole = path("whole.json");
    let _ = run(chain.files().state(&whole).unwrap(), 2).unwrap();
    let whole = fs::read(whole).unwrap();
    let n = chain.blocks.len();
    for at in [1, 2, 5, 400, 1_111, n - 1, n] {
        // To block `at`, and on from the last epoch: wherever the blocks begin that have the block of the
        // state, or after it.
        let state = path("state.json");
        let passed = ended(&chain, at);
        for from in [0, passed / 2, passed.saturating_sub(1), passed] {
            let _ = fs::remove_file(&state);
            let (first, _) =
                run(chain.audit(&chain.blocks[..at]).state(&state).unwrap(), 1).unwrap();
            assert_eq!(first.outcome(), Outcome::AllValid, "{at}");
            let audit = chain.audit(&chain.blocks[from..]).state(&state).unwrap();
            let (rest, findings) = run(audit, 2).unwrap();
            assert_eq!(
                rest.outcome(),
                Outcome::AllValid,
                "{at} {from} {findings:?}"
            );
            assert_eq!(rest.totals.blocks, (n - passed) as u64, "{at} {from}");
            assert_eq!(rest.unread_bytes, 0);
            assert_eq!(fs::read(&state).unwrap(), whole, "{at} {from}");
        }
        // Files go on from the state of blocks.
        let _ = fs::remove_file(&state);
        let _ = run(chain.audit(&chain.blocks[..at]).state(&state).unwrap(), 2).unwrap();
        let _ = run(chain.files().state(&state).unwrap(), 1).unwrap();
        assert_eq!(fs::read(&state).unwrap(), whole);
    }
}

#[test]
fn blocks_that_do_not_go_on_from_a_state() {
    let chain = Chain::sample();
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state.json");
    let _ = run(chain.audit(&chain.blocks[..500]).state(&state).unwrap(), 1).unwrap();
    let passed = ended(&chain, 500);
    let refused = |blocks: &[Stored]| {
        let audit = chain.audit(blocks).state(&state).unwrap();
        run(audit, 2).unwrap_err().to_string()
    };
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
    let chain = Chain::sample();
    let epoch = chain.forged.epochs[9].clone();
    let nonce = epoch.nonce.unwrap();
    for from in [0, 700, 1_200] {
        let audit = chain
            .audit(&chain.blocks[from..])
            .expect([Anchor::Nonce { epoch: 9, nonce }]);
        let (report, findings) = run(audit, 2).unwrap();
        // From the first block on, all nonces are computed.
        let expected = if from == 0 {
            report.totals.proofs
        } else {
            epoch.proofs
        };
        assert_eq!(report.totals.valid, expected, "{from}: {findings:?}");
        assert!(report.faults().next().is_none());
    }
    let error = run(chain.audit(&chain.blocks[700..]), 1).unwrap_err();
    let AuditError::Walk(WalkError::NotGenesis { first, doubt: None }) = error else {
        panic!("{error}")
    };
    assert!(first.starts_with("block "), "{first}");
    let error = run(
        Audit::of_blocks(Network::mainnet(), [sure(chain.blocks[0].bytes.clone())]),
        1,
    );
    let error = error.unwrap_err();
    assert!(matches!(
        error,
        AuditError::Walk(WalkError::OtherNetwork { .. })
    ));
}
