//! Nonces and blocks that the caller expects, and the effects of these expectations on audits.

use klero_audit::{Anchor, AuditError, Check, Met, Origin, Outcome};
use klero_cardano::{Block, Era, Fault, Hash, Nonce, WalkError};
use klero_damage::{Flip, Repair};
use klero_forge::Recipe;

use crate::db::Chain;
use crate::run::{fails, refused, run};

/// The right nonce of an epoch of the chain.
fn nonce_of(chain: &Chain, epoch: u64) -> Nonce {
    let mut blocks = chain.blocks.iter();
    let block = blocks.find(|block| block.epoch == epoch).unwrap();
    block.nonces.as_ref().unwrap().eta0
}

/// The anchors for the nonces of these epochs.
fn nonces(chain: &Chain, epochs: impl IntoIterator<Item = u64>) -> Vec<Anchor> {
    let nonce = |epoch| nonce(epoch, nonce_of(chain, epoch));
    epochs.into_iter().map(nonce).collect()
}

fn nonce(epoch: u64, nonce: Nonce) -> Anchor {
    Anchor::Nonce { epoch, nonce }
}

fn at(slot: u64, hash: Hash<32>) -> Anchor {
    Anchor::Block { slot, hash }
}

fn tip(slot: u64, hash: Hash<32>) -> Anchor {
    Anchor::Tip { slot, hash }
}

fn numbered(number: u64, hash: Hash<32>) -> Anchor {
    Anchor::Number { number, hash }
}

/// The anchor that expects the block at its slot.
fn expected(block: &Block) -> Anchor {
    at(block.place.slot, block.place.hash)
}

/// The anchor that expects the block by its number.
fn checkpoint(block: &Block) -> Anchor {
    numbered(block.place.number, block.place.hash)
}

#[test]
fn nonces_stand_in_for_those_in_doubt() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Mary && block.in_window);
    let copy = chain.copy();
    // This makes the nonces of all later epochs wrong.
    copy.flip(block, Flip::Output(0), Repair::Nothing).unwrap();
    let epochs = chain.epochs();
    let last = *epochs.keys().last().unwrap();
    let some = [block.epoch + 1, block.epoch + 4];
    let ran = fails(chain.audit(&copy).expect(nonces(&chain, some)));
    let unverifiable: Vec<(u64, u64)> = epochs
        .iter()
        .map(|(epoch, counts)| (*epoch, counts.1))
        .filter(|(epoch, _)| *epoch > block.epoch && !some.contains(epoch))
        .collect();
    assert_eq!(ran.by_epoch(|counts| counts.unverifiable), unverifiable);
    assert_eq!(ran.totals().invalid, 1);

    // With the nonces of all later epochs, every proof has a verdict.
    let all = nonces(&chain, block.epoch + 1..=last);
    fails(chain.audit(&copy).expect(all.clone())).recovers(1);

    // If proofs are not verified, the given nonces do not count, and the report has none for later epochs.
    let ran = fails(chain.audit(&copy).expect(all).only([Check::Bodies]));
    let mut later = ran.report.epochs.range(block.epoch + 1..);
    assert!(later.all(|(_, epoch)| epoch.nonce.is_none()));

    // A wrong expected nonce makes no proof invalid.
    let wrong = nonce(last, nonce_of(&chain, 4));
    let ran = fails(chain.audit(&copy).expect([wrong]));
    assert_eq!(ran.report.anchors, [(wrong, Met::NotReached)]);
    let unverifiable = ran.by_epoch(|counts| counts.unverifiable);
    assert_eq!(unverifiable.last(), Some(&(last, epochs[&last].1)));
    assert_eq!(ran.totals().invalid, 1);
}

#[test]
fn nonces_tie_a_chain_or_refute_it() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Babbage, 3), (Era::Conway, 3)]));
    let (copy, place) = (chain.copy(), tempfile::tempdir().unwrap());
    let state = place.path().join("state");
    let audit = |anchors: Vec<Anchor>| chain.audit(&copy).expect(anchors).state(&state).unwrap();

    // The nonce of epoch 4 shows that the chain is of the network, up to the last block but one of epoch 2.
    let mut of_2 = chain.blocks.iter().filter(|block| block.epoch == 2);
    let tied = of_2.nth_back(1).map(|block| block.place.slot);
    let right = nonces(&chain, [4]);
    let ran = run(audit(right.clone()).require_anchor(), Outcome::AllValid);
    assert_eq!((ran.report.anchors[0].1, ran.report.tied), (Met::Yes, tied));
    // The next audit gets this slot from the state. It reads only the last epoch, whose blocks alone could
    // not show that the chain is of the network.
    let again = run(audit(right.clone()), Outcome::AllValid).report;
    assert_eq!(again.epochs.keys().collect::<Vec<_>>(), [&5]);
    assert_eq!((again.anchors[0].1, again.tied), (Met::NotReached, tied));
    std::fs::remove_file(&state).unwrap();

    // A nonce that differs from the expected one is a single finding. The saved state ends before its epoch.
    let wrong = nonce(3, Nonce::Neutral);
    let ran = fails(audit([right, vec![wrong]].concat()));
    let other = Fault::EpochNonce {
        expected: Nonce::Neutral,
        found: nonce_of(&chain, 3),
    };
    let found = &ran.found[0];
    assert_eq!((&found.fault, found.at.epoch), (&other, Some(3)));
    assert_eq!(ran.report.found, [("epoch-nonce", 1)].into());
    let met = ran.report.anchors.iter().map(|(_, met)| *met);
    assert_eq!(met.collect::<Vec<_>>(), [Met::No, Met::Yes]);
    let after = ran.report.state.unwrap().after.unwrap();
    assert!(after.slot < chain.network.first_slot(3));
}

#[test]
fn one_epoch_of_an_unknown_network() {
    let Some(chain) = Chain::unknown_network() else {
        return;
    };
    // The whole chain is valid, but nothing shows that it belongs to its network.
    let ran = run(chain.audit(&chain.copy()), Outcome::AllValid);
    assert_eq!((ran.report.tied, ran.report.is_anchored()), (None, false));
    let copy = chain.without_beginning();
    let rest = 38_944 - 2 * chain.in_chunk(0).len() as u64;
    let right = nonces(&chain, [4]);
    let audit = chain.audit(&copy).expect(right);
    let ran = run(audit, Outcome::NotAllChecked);
    assert_eq!(ran.totals().valid, 4306);
    assert_eq!(ran.totals().nonce_unknown, rest - 4306);
    let wrong = nonce(4, nonce_of(&chain, 5));
    let audit = chain.audit(&copy).expect([wrong]);
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
    // The nonce of epoch 5 depends on all blocks of epoch 3 except the last.
    let mut of_3 = chain.blocks.iter().filter(|block| block.epoch == 3);
    let tied = of_3.nth_back(1).map(|block| block.place.slot);
    assert!(tied.is_some() && ran.report.tied == tied, "{tied:?}");

    // An expected nonce that contradicts a built-in one is an error.
    let wrong = nonce(4, Nonce::Neutral);
    let error = refused(chain.audit(&chain.copy()).expect([wrong]));
    let AuditError::Contradiction(why) = error else {
        panic!("{error}")
    };
    let known = chain.network.known_nonce(4).unwrap();
    assert!(
        why.contains(&format!("known to be {known}: another")),
        "{why}"
    );
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
        let error = refused(audit);
        let is_part = matches!(error, AuditError::Walk(WalkError::NotGenesis { .. }));
        assert!(is_part, "{error}");
    }
}

#[test]
fn a_range_of_preview_alone() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    // The part is from the middle of epoch 2 to the middle of epoch 4.
    let part = chain.part(50..90);
    let blocks: Vec<&Block> = chain
        .blocks
        .iter()
        .filter(|block| (50..90).contains(&block.chunk))
        .collect();
    let ran = run(chain.audit(&part), Outcome::AllValid);
    assert_eq!(ran.origin, Some(Origin::Anywhere));
    ran.recovers(0);
    assert_eq!(ran.totals().blocks, blocks.len() as u64);
    for (epoch, found) in &ran.report.epochs {
        assert_eq!(found.nonce, chain.network.known_nonce(*epoch));
    }
    // Proofs for public nonces can be forged, so only known blocks show that the part is of the network.
    assert_eq!((ran.report.tied, ran.report.is_anchored()), (None, false));
    run(chain.audit(&part).require_anchor(), Outcome::NotAllChecked);
    let last = blocks[blocks.len() - 1];
    let checkpoints = [blocks[7], last].map(checkpoint);
    let audit = chain.audit(&part).expect(checkpoints);
    let ran = run(audit.require_anchor(), Outcome::AllValid);
    assert_eq!(ran.report.tied, Some(last.place.slot));
    assert_eq!(ran.report.anchors, checkpoints.map(|one| (one, Met::Yes)));

    // A damaged header affects nothing else. No state file can be used without the beginning of the chain.
    part.flip(blocks[1000], Flip::Kes, Repair::Nothing).unwrap();
    let ran = fails(chain.audit(&part));
    ran.recovers(0);
    assert_eq!(ran.totals().kes.invalid, 1);
    let place = tempfile::tempdir().unwrap();
    let audit = chain.audit(&part).state(&place.path().join("state"));
    let error = refused(audit.unwrap());
    assert!(matches!(error, AuditError::Walk(_)), "{error}");
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
    let checkpoint = checkpoint(before);
    let ran = run(chain.audit(&copy).expect([checkpoint]), Outcome::AllValid);
    assert_eq!(ran.report.anchors, [(checkpoint, Met::Yes)]);
    // Each of the two can be expected at its slot, even if both have the same slot.
    let both = [expected(before), expected(boundary)];
    let ran = run(chain.audit(&copy).expect(both), Outcome::AllValid);
    assert!(ran.report.anchors.iter().all(|(_, met)| *met == Met::Yes));
}

#[test]
fn checkpoints() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 1), (Era::Conway, 3)]));
    let copy = chain.copy();
    let byron = chain.find(|block| block.place.era == Era::Byron && block.place.number > 3);
    let block = chain.find(|block| block.epoch == 2);
    let other = |block: &Block| numbered(block.place.number, Hash::new([7; 32]));
    // A checkpoint that the chain does not reach has no effect.
    let late = numbered(1 << 40, Hash::new([7; 32]));
    let audit = |anchors: &[Anchor]| {
        let audit = chain.audit(&copy).expect(anchors.iter().copied());
        audit.require_anchor()
    };
    for (anchors, tied) in [
        (&[checkpoint(block)][..], block),
        (&[checkpoint(byron), checkpoint(block)], block),
        (&[checkpoint(block), late], block),
        (&[checkpoint(byron)], byron),
    ] {
        let ran = run(audit(anchors), Outcome::AllValid);
        assert_eq!(ran.report.tied, Some(tied.place.slot));
        for (anchor, met) in ran.report.anchors {
            let expected = if anchor == late {
                Met::NotReached
            } else {
                Met::Yes
            };
            assert_eq!(met, expected);
        }
    }
    assert_eq!(
        run(audit(&[late]), Outcome::NotAllChecked).report.tied,
        None
    );

    // Another block with the number of a checkpoint is a fault, even if a later checkpoint is met.
    let last = chain.blocks.last().unwrap();
    for block in [byron, block] {
        let ran = fails(audit(&[other(block), checkpoint(last)]));
        assert_eq!(
            ran.findings(),
            [format!("expected-block at {}", block.place.slot)]
        );
        assert!(!ran.report.is_anchored());
    }

    // Two checkpoints with the same number contradict each other.
    let error = refused(audit(&[other(block), checkpoint(block)]));
    let words = format!("two blocks of number {} are expected", block.place.number);
    assert_eq!(error.to_string(), words);
}

/// An expected block must be at its slot, and an expected tip at the end of the chain. If the chain has
/// another block or none there, that is a finding.
#[test]
fn expected_blocks_and_tips() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Byron, 1), (Era::Conway, 3)]));
    let copy = chain.copy();
    let last = chain.blocks.last().unwrap();
    let (end, hash) = (last.place.slot, last.place.hash);
    let wrong = Hash::new([7; 32]);
    let slots: Vec<u64> = chain.blocks.iter().map(|block| block.place.slot).collect();
    let empty = (1..end).find(|slot| !slots.contains(slot)).unwrap();
    for (anchor, met) in [
        (at(end, hash), Met::Yes),
        (tip(end, hash), Met::Yes),
        (at(0, wrong), Met::No),
        (at(empty, wrong), Met::No),
        (at(empty, hash), Met::No),
        (at(end, wrong), Met::No),
        (at(end + 1, hash), Met::NotReached),
        (tip(end, wrong), Met::No),
        (tip(empty, wrong), Met::No),
        // The whole chain was read, so a later tip is missing.
        (tip(end + 1, hash), Met::No),
    ] {
        let (outcome, tied) = match met {
            Met::Yes => (Outcome::AllValid, Some(end)),
            Met::No => (Outcome::SomeInvalid, None),
            Met::NotReached => (Outcome::NotAllChecked, None),
        };
        let ran = run(chain.audit(&copy).expect([anchor]), outcome);
        assert_eq!(ran.report.anchors, [(anchor, met)]);
        assert_eq!(ran.report.tied, tied);
        let expected = match anchor {
            Anchor::Block { slot, hash } if met == Met::No => vec![(slot, hash)],
            Anchor::Tip { hash, .. } if met == Met::No => vec![(end, hash)],
            _ => Vec::new(),
        };
        let found = ran.found.iter().map(|found| match found.fault {
            Fault::ExpectedBlock { expected } => (found.at.slot.unwrap(), expected),
            ref other => panic!("{other}"),
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    // Without its last chunk, the chain ends with another block. If the chunk is unreadable, the end is not
    // known.
    let newest = chain.chunks() - 1;
    let part = chain.part(0..newest);
    let both = [at(end, hash), tip(end, hash)];
    let ran = fails(chain.audit(&part).expect([both[1]]));
    assert_eq!(ran.report.tied, None);
    std::fs::create_dir(part.dir.path().join(format!("{newest:05}.chunk"))).unwrap();
    let ran = run(chain.audit(&part).expect(both), Outcome::NotAllRead);
    assert_eq!(ran.report.anchors, both.map(|one| (one, Met::NotReached)));

    // Two blocks are too early in the chunk. Expected blocks before their late slots do not count as missed.
    let copy = chain.copy();
    let mut blocks = copy.blocks(newest).unwrap();
    let strays = blocks[blocks.len() - 2..].to_vec();
    blocks.splice(1..1, strays);
    copy.store(newest, &blocks).unwrap();
    let mut in_chunk = chain.blocks.iter().filter(|block| block.chunk == newest);
    let anchor = expected(in_chunk.nth(2).unwrap());
    let ran = fails(chain.audit(&copy).expect([anchor]));
    assert_eq!(ran.report.anchors, [(anchor, Met::Yes)]);
    assert!(!ran.report.found.contains_key("expected-block"));
}
