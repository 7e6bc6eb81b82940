//! Nonces and blocks that the caller gives, and what they show.

use std::collections::BTreeMap;

use klero_audit::{AuditError, Check, ExpectedBlock, Origin, Outcome};
use klero_cardano::{Block, Era, Hash, Nonce, WalkError};
use klero_damage::{Flip, Repair};
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{fails, run};

/// The nonces of these epochs.
fn nonces(chain: &Chain, epochs: impl IntoIterator<Item = u64>) -> BTreeMap<u64, Nonce> {
    let nonce = |epoch| {
        let mut blocks = chain.blocks.iter();
        let block = blocks.find(|block| block.epoch == epoch).unwrap();
        (epoch, block.nonces.as_ref().unwrap().eta0)
    };
    epochs.into_iter().map(nonce).collect()
}

#[test]
fn nonces_stand_in_for_those_in_doubt() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Mary && block.in_window);
    let copy = chain.copy();
    // All nonces after it are wrong.
    copy.flip(block, Flip::Output(0), Repair::Nothing).unwrap();
    let epochs = chain.epochs();
    let last = *epochs.keys().last().unwrap();
    let some = [block.epoch + 1, block.epoch + 4];
    let ran = fails(chain.audit(&copy).epoch_nonces(nonces(&chain, some)));
    let unverifiable: Vec<(u64, u64)> = epochs
        .iter()
        .map(|(epoch, counts)| (*epoch, counts.1))
        .filter(|(epoch, _)| *epoch > block.epoch && !some.contains(epoch))
        .collect();
    assert_eq!(ran.by_epoch(|counts| counts.unverifiable), unverifiable);
    assert_eq!(ran.totals().invalid, 1);

    // With all of them, every proof has a verdict.
    let all = nonces(&chain, block.epoch + 1..=last);
    fails(chain.audit(&copy).epoch_nonces(all)).recovers(1);

    // One that is wrong makes no proof invalid.
    let wrong = nonces(&chain, [4]).remove(&4).unwrap();
    let wrong = BTreeMap::from([(last, wrong)]);
    let ran = fails(chain.audit(&copy).epoch_nonces(wrong));
    let unverifiable = ran.by_epoch(|counts| counts.unverifiable);
    assert_eq!(unverifiable.last(), Some(&(last, epochs[&last].1)));
    assert_eq!(ran.totals().invalid, 1);
}

#[test]
fn one_epoch_of_an_unknown_network() {
    let Some(chain) = Chain::unknown_network() else {
        return;
    };
    // Nothing ties the whole chain.
    let ran = run(chain.audit(&chain.copy()), Outcome::AllValid);
    assert_eq!((ran.report.tied, ran.report.is_anchored()), (None, false));
    let copy = chain.without_beginning();
    let first = chain.blocks.iter().filter(|block| block.chunk == 0);
    let rest = 38_944 - 2 * first.count() as u64;
    let right = nonces(&chain, [4]);
    let audit = chain.audit(&copy).epoch_nonces(right);
    let ran = run(audit, Outcome::NotAllChecked);
    assert_eq!(ran.totals().valid, 4306);
    assert_eq!(ran.totals().nonce_unknown, rest - 4306);
    let wrong = nonces(&chain, [5]).into_values().map(|nonce| (4, nonce));
    let audit = chain.audit(&copy).epoch_nonces(wrong.collect());
    let ran = run(audit, Outcome::NotAllChecked);
    assert_eq!((ran.totals().valid, ran.totals().unverifiable), (0, 4306));
    assert_eq!(ran.report.suspect_nonces().collect::<Vec<_>>(), [4]);
    assert_eq!(ran.report.epochs[&4].unexplained, 4306);
}

#[test]
fn every_nonce_of_preview_is_compared() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let ran = run(
        chain.audit(&chain.copy()).require_anchor(),
        Outcome::AllValid,
    );
    for (epoch, found) in &ran.report.epochs {
        assert_eq!(found.nonce, chain.network.known_nonce(*epoch), "{epoch}");
    }
    // The nonce of epoch 5 depends on all of epoch 3 but its last block.
    let mut of_3 = chain.blocks.iter().filter(|block| block.epoch == 3);
    let tied = of_3.nth_back(1).map(|block| block.place.slot);
    assert!(tied.is_some() && ran.report.tied == tied, "{tied:?}");

    // One that is given cannot contradict it.
    let wrong = BTreeMap::from([(4, Nonce::Neutral)]);
    let audit = chain.audit(&chain.copy()).epoch_nonces(wrong);
    let error = audit.run(|_| std::ops::ControlFlow::Continue(()));
    let Err(AuditError::EpochNonce { known, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!(Some(known), chain.network.known_nonce(4));
}

#[test]
fn checks_that_need_no_nonce_ask_for_none() {
    let chain = Chain::small();
    let part = chain.without_beginning();
    let without = [Check::Kes, Check::Certificates, Check::Bodies];
    for checks in [
        &without[..],
        &without[..1],
        &without[1..2],
        &without[2..],
        &[],
    ] {
        let audit = chain.audit(&part).only(checks.iter().copied());
        let ran = run(audit, Outcome::AllValid);
        assert!(ran.totals().blocks > 0 && ran.totals().proofs == 0);
    }
    for checks in [&[Check::Vrf][..], &Check::ALL] {
        let audit = chain.audit(&part).only(checks.iter().copied());
        let error = audit.run(|_| std::ops::ControlFlow::Continue(()));
        let Err(AuditError::Walk(WalkError::NotGenesis { .. })) = error else {
            panic!("{error:?}")
        };
    }
}

#[test]
fn a_range_of_preview_alone() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    // From the middle of epoch 2 to the middle of epoch 4.
    let part = chain.part(50..90);
    let blocks: Vec<&Block> = chain
        .blocks
        .iter()
        .filter(|block| (50..90).contains(&block.chunk))
        .collect();
    let ran = run(chain.audit(&part), Outcome::AllValid);
    let Some(Origin::EpochNonces(given)) = &ran.origin else {
        panic!("{:?}", ran.origin)
    };
    assert!(given.is_empty());
    ran.recovers(0);
    assert_eq!(ran.totals().blocks, blocks.len() as u64);
    for (epoch, found) in &ran.report.epochs {
        assert_eq!(found.nonce, chain.network.known_nonce(*epoch));
    }
    // The nonces are public: proofs for them tie nothing. A block that is known does.
    assert_eq!((ran.report.tied, ran.report.is_anchored()), (None, false));
    run(chain.audit(&part).require_anchor(), Outcome::NotAllChecked);
    let last = blocks[blocks.len() - 1];
    let checkpoints = [blocks[7], last].map(|block| (block.place.number, block.place.hash));
    let audit = chain.audit(&part).checkpoints(checkpoints.into());
    let ran = run(audit.require_anchor(), Outcome::AllValid);
    assert_eq!(ran.report.tied, Some(last.place.slot));
    assert_eq!(ran.report.checkpoints_met, 2);

    // A damaged header costs nothing but itself, and a state needs the beginning.
    part.flip(blocks[1000], Flip::Kes, Repair::Nothing).unwrap();
    let ran = fails(chain.audit(&part));
    ran.recovers(0);
    assert_eq!(ran.totals().kes.invalid, 1);
    let place = tempfile::tempdir().unwrap();
    let audit = chain.audit(&part).state(&place.path().join("state"));
    let error = audit.unwrap().run(|_| std::ops::ControlFlow::Continue(()));
    assert!(matches!(error, Err(AuditError::Walk(_))), "{error:?}");
}

/// A chunk of mainnet, which begins at slot 10,800,000, in epoch 222.
#[test]
fn a_chunk_of_mainnet_alone() {
    let dir = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/chain/mainnet-222"
    );
    if !std::path::Path::new(dir).is_dir() || cfg!(debug_assertions) {
        println!("SKIPPED: needs a release build and the chunk in {dir}");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(
        format!("{dir}/00500.chunk"),
        place.path().join("00500.chunk"),
    )
    .unwrap();
    let audit = klero_audit::Audit::new(place.path()).unwrap();
    let audit = audit.network(klero_cardano::Network::mainnet());
    let ran = run(audit, Outcome::AllValid);
    assert_eq!((ran.totals().blocks, ran.totals().valid), (1078, 2156));
    let epochs: Vec<u64> = ran.report.epochs.keys().copied().collect();
    assert_eq!(epochs, [222]);
}

/// A boundary block of Byron shares its number with the block before it.
#[test]
fn a_checkpoint_is_no_boundary_block() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 2), (Era::Conway, 2)]));
    let mut blocks = chain.blocks.iter();
    let boundary = blocks.find(|block| block.place.boundary && block.epoch == 1);
    let boundary = boundary.unwrap();
    let number = boundary.place.number;
    let mut blocks = chain.blocks.iter();
    let before = blocks.find(|block| block.place.number == number && !block.place.boundary);
    let before = before.unwrap();
    assert_ne!(before.place.hash, boundary.place.hash);
    let copy = chain.copy();
    let checkpoints = [(number, before.place.hash)];
    let ran = run(
        chain.audit(&copy).checkpoints(checkpoints.into()),
        Outcome::AllValid,
    );
    assert_eq!(ran.report.checkpoints_met, 1);
}

#[test]
fn checkpoints() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 1), (Era::Conway, 3)]));
    let copy = chain.copy();
    let byron = chain.find(|block| block.place.era == Era::Byron && block.place.number > 3);
    let block = chain.find(|block| block.epoch == 2);
    let wrong = Hash::new([7; 32]);
    let number = |block: &Block| block.place.number;
    let audit = |checkpoints: &[(u64, Hash<32>)]| {
        let checkpoints = checkpoints.iter().copied().collect();
        chain.audit(&copy).checkpoints(checkpoints).require_anchor()
    };
    let of = |block: &Block| (number(block), block.place.hash);
    for checkpoints in [
        &[of(block)][..],
        &[of(byron), of(block)],
        &[of(block), (1 << 40, wrong)],
    ] {
        let ran = run(audit(checkpoints), Outcome::AllValid);
        assert_eq!(ran.report.tied, Some(block.place.slot));
        let met = checkpoints.iter().filter(|(_, hash)| *hash != wrong);
        assert_eq!(ran.report.checkpoints_met, met.count() as u64);
    }
    let ran = run(audit(&[of(byron)]), Outcome::AllValid);
    assert_eq!(ran.report.tied, Some(byron.place.slot));

    // One that the chain does not reach shows nothing.
    let ran = run(audit(&[(1 << 40, wrong)]), Outcome::NotAllChecked);
    assert_eq!((ran.report.checkpoints_met, ran.report.tied), (0, None));

    // Another block of that number, whatever comes after it.
    let last = chain.blocks.last().unwrap();
    for other in [byron, block] {
        let ran = fails(audit(&[(number(other), wrong), of(last)]));
        let expected = format!("expected-block at {}", other.place.slot);
        assert!(ran.findings().contains(&expected), "{:?}", ran.findings());
        assert_eq!(ran.report.found["expected-block"], 1);
        assert!(!ran.report.is_anchored());
    }

    // The state stays before it, and what was tied stays tied.
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let saved = |checkpoints: &[(u64, Hash<32>)], outcome| {
        let report = run(audit(checkpoints).state(&state).unwrap(), outcome).report;
        (report.state.unwrap().after.unwrap().slot, report.tied)
    };
    let (after, tied) = saved(&[of(byron), (number(block), wrong)], Outcome::SomeInvalid);
    assert!(after < block.place.slot && tied == Some(byron.place.slot));
    let (after, tied) = saved(&[], Outcome::AllValid);
    let passed = chain.blocks.iter().rfind(|block| block.epoch < last.epoch);
    let passed = passed.unwrap().place.slot;
    assert_eq!((after, tied), (passed, Some(byron.place.slot)));
}

#[test]
fn a_state_remembers_expected_blocks() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 4)]));
    let copy = chain.copy();
    let block = chain.find(|block| block.epoch == 1);
    let last = chain.blocks.iter().rfind(|block| block.epoch == 2).unwrap();
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let expecting = |block: &Block, outcome: Outcome| {
        let audit = chain.audit(&copy).state(&state).unwrap();
        let audit = audit.require_anchor().expect_block(ExpectedBlock {
            slot: block.place.slot,
            hash: block.place.hash,
        });
        let report = run(audit, outcome).report;
        (report.tied, report.expected_blocks[0].1)
    };
    for _ in 0..2 {
        let tied = (Some(block.place.slot), Some(true));
        assert_eq!(expecting(block, Outcome::AllValid), tied);
    }
    // The block of the state is there, and one before it was not looked for.
    let (tied, _) = expecting(last, Outcome::AllValid);
    assert_eq!(tied, Some(last.place.slot));
    let earlier = chain.find(|block| block.epoch == 2);
    let (_, found) = expecting(earlier, Outcome::NotAllChecked);
    assert_eq!(found, None);
}
