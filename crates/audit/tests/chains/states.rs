//! State files: each audit reads only what is new, and stands before what is not checked.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use klero_audit::{Audit, Check, ExpectedBlock, Origin, Outcome, State};
use klero_cardano::{Block, Era, EraStarts, LastBlock, Network, StateFile as _};
use klero_forge::{Flip, Recipe, Repair};

use crate::db::{Chain, Copy};
use crate::run::{Ran, fails, run};

fn audit(chain: &Chain, copy: &Copy, state: &Path) -> Audit<'static> {
    chain.audit(copy).state(state).unwrap()
}

/// Blocks and proofs that all audits with the state have checked, and what they found wrong.
fn checked(ran: &Ran) -> (u64, u64, u64) {
    let totals = ran.report.state.as_ref().unwrap().totals;
    (totals.blocks, totals.proofs, totals.wrong)
}

fn after(ran: &Ran) -> Option<LastBlock> {
    ran.report.state.as_ref().unwrap().after.clone()
}

fn advanced(ran: &Ran) -> bool {
    ran.report.state.as_ref().unwrap().advanced
}

/// An audit every night, each with some more chunks, the last of them half written.
fn nightly(chain: &Chain, step: u64) {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state.json");
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    let mut blocks = 0;
    let mut last = None;
    let copy = chain.part(0..0);
    let mut whole = 0;
    let in_chunk = |n: u64| chain.blocks.iter().filter(move |block| block.chunk == n);
    while whole < chain.chunks() {
        let open = (whole + step).min(chain.chunks() - 1);
        copy.link(&chain.database, whole..open + 1).unwrap();
        let half = in_chunk(open).count().div_ceil(2);
        if open + 1 < chain.chunks() {
            copy.open_chunk(chain, open, half);
            whole = open;
        } else {
            whole = open + 1;
        }
        let ran = run(audit(chain, &copy, &state), Outcome::AllValid);
        assert_eq!(ran.findings(), Vec::<String>::new());
        let origin = last.map_or(Origin::Genesis, Origin::After);
        assert_eq!(ran.origin, Some(origin));
        for (epoch, proofs) in ran.by_epoch(|counts| counts.valid) {
            *sums.entry(epoch).or_default() += proofs;
        }
        blocks += ran.totals().blocks;
        let newest = LastBlock::from(&chain.blocks[blocks as usize - 1].place);
        assert_eq!(after(&ran), Some(newest));
        assert!(advanced(&ran));
        assert_eq!(checked(&ran), (blocks, sums.values().sum(), 0));
        last = after(&ran);
    }
    let proofs = chain.epochs().into_iter();
    let proofs = proofs.filter(|(_, counts)| counts.1 > 0);
    let proofs: BTreeMap<_, _> = proofs.map(|(epoch, counts)| (epoch, counts.1)).collect();
    assert_eq!(sums, proofs);
    assert_eq!(blocks, chain.blocks.len() as u64);

    // A night without new blocks: nothing is read again, nothing written.
    let before = fs::read(&state).unwrap();
    let ran = run(audit(chain, &copy, &state), Outcome::AllValid);
    assert_eq!((ran.totals().blocks, ran.totals().proofs), (0, 0));
    assert!(!advanced(&ran));
    assert_eq!(after(&ran), last);
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn night_after_night() {
    let chain = Chain::small();
    // The first of these nights end in Byron.
    nightly(&chain, 1);
    nightly(&chain, 4);
}

#[test]
fn night_after_night_on_preview() {
    if let Some(chain) = Chain::preview() {
        nightly(&chain, 27);
    }
}

#[test]
fn a_chunk_that_cannot_be_read() {
    let chain = Chain::small();
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let last = chain.chunks() - 1;
    run(
        audit(&chain, &chain.part(0..last), &state),
        Outcome::AllValid,
    );
    // The chunk of the state: the newest one, or one with a chunk after it.
    for chunks in [last, chain.chunks()] {
        let copy = chain.part(0..chunks);
        let file = copy.file(last - 1, "chunk");
        fs::remove_file(&file).unwrap();
        symlink(&file, &file).unwrap();
        let error = audit(&chain, &copy, &state).run(|_| panic!("it began"));
        let error = error.unwrap_err().to_string();
        let words = format!(", but chunk {:05}: cannot be read: ", last - 1);
        assert!(error.contains(&words), "{error}");
        assert!(error.contains(&file.display().to_string()), "{error}");
    }
}

/// A block in the window of Babbage, and its number among all.
fn babbage(chain: &Chain) -> (&Block, usize) {
    let block = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let blocks = &mut chain.blocks.iter();
    let at = blocks.position(|other| other.place == block.place);
    (block, at.unwrap())
}

#[test]
fn it_passes_a_wrong_body_and_remembers_it() {
    let chain = Chain::small();
    let (block, _) = babbage(&chain);
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    for repair in [Repair::Nothing, Repair::Crc] {
        let _ = fs::remove_file(&state);
        let damaged = |chunks: u64| {
            let copy = chain.part(0..chunks);
            copy.flip(block, Flip::Body, repair).unwrap();
            copy
        };
        let first = fails(audit(&chain, &damaged(block.chunk + 1), &state));
        let copy = damaged(chain.chunks());
        let second = fails(audit(&chain, &copy, &state));
        let mut found = second.findings();
        // An index is read again from the chunk of the state on.
        found.retain(|line| !line.starts_with("warning: "));
        assert_eq!(found, Vec::<String>::new(), "{repair:?}");
        for ran in [&first, &second] {
            assert_eq!(ran.totals().valid, ran.totals().proofs, "{repair:?}");
        }
        let blocks = first.totals().blocks + second.totals().blocks;
        assert_eq!(blocks, chain.blocks.len() as u64);
        let last = LastBlock::from(&chain.blocks.last().unwrap().place);
        assert_eq!(after(&second), Some(last));
        assert_eq!(checked(&second), (blocks, chain.proofs_from(0), 1));
        let saved = fs::read(&state).unwrap();

        // The next audit has nothing to read, and still says that something is wrong.
        let again = fails(audit(&chain, &copy, &state));
        assert_eq!(again.totals().blocks, 0);
        assert!(!advanced(&again));
        assert_eq!(again.report.wrong_before, 1);
        assert_eq!(fs::read(&state).unwrap(), saved);
    }

    // The first chunk is missing: there is no block to save.
    let _ = fs::remove_file(&state);
    let copy = chain.copy();
    copy.remove(0, "chunk").unwrap();
    assert!(
        audit(&chain, &copy, &state)
            .run(|_| panic!("it began"))
            .is_err()
    );
    assert!(!state.exists());
}

/// The block itself may be one of another chain, and so may the block before a fault.
#[test]
fn it_stands_before_a_header_in_doubt() {
    let chain = Chain::small();
    let (block, at) = babbage(&chain);
    for flip in [Flip::Output(0), Flip::Kes, Flip::Slot] {
        for repair in [Repair::Nothing, Repair::Crc, Repair::CrcAndHash] {
            it_stands_before(&chain, (block, at), flip, repair);
        }
    }
}

fn it_stands_before(chain: &Chain, (block, at): (&Block, usize), flip: Flip, repair: Repair) {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let copy = chain.copy();
    copy.flip(block, flip, repair).unwrap();
    let tip = &chain.blocks.last().unwrap().place;
    let ran = fails(audit(chain, &copy, &state).expect_block(ExpectedBlock {
        slot: tip.slot,
        hash: tip.hash,
    }));
    // An expected block beyond the state is found by this audit alone.
    assert_eq!(ran.report.expected_blocks[0].1, Some(true));
    assert!(State::load(&state).unwrap().found.is_empty());
    assert_eq!(
        after(&ran),
        Some(LastBlock::from(&chain.blocks[at - 2].place))
    );
    let saved = fs::read(&state).unwrap();

    // The next audit finds the same, and does not move the state.
    let again = fails(audit(chain, &copy, &state));
    let found = |ran: &Ran| {
        let mut found = ran.findings();
        found.retain(|line| !line.starts_with("warning: "));
        found
    };
    assert_eq!(found(&again), found(&ran));
    let verdicts = |ran: &Ran| (ran.totals().unverifiable, ran.totals().invalid);
    assert_eq!(verdicts(&again), verdicts(&ran));
    assert!(!advanced(&again));
    assert_eq!(fs::read(&state).unwrap(), saved);
}

/// What comes after a block shows it to be the chain's. A fault does not.
#[test]
fn it_stands_before_a_block_that_a_fault_follows() {
    let chain = Chain::small();
    let [.., before, _, cut] = &chain.blocks[..] else {
        panic!("a chain of three blocks")
    };
    let copy = chain.copy();
    let end = cut.offset as usize + 100;
    copy.change(cut.chunk, "chunk", |bytes| bytes.truncate(end))
        .unwrap();
    let place = tempfile::tempdir().unwrap();
    let ran = fails(audit(&chain, &copy, &place.path().join("state")));
    assert_eq!(after(&ran), Some(LastBlock::from(&before.place)));
}

/// Where the first epochs of eras are not known, no nonce counts before a proof; a state has one.
#[test]
fn a_nonce_that_was_shown_counts_after_a_state() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 2)]));
    let (genesis, starts) = (chain.genesis(), EraStarts::default());
    let network = Network::from_shelley_genesis("forged", genesis.as_bytes(), starts).unwrap();
    let block = chain.in_chunk(3)[0];
    let flip = |bytes: &mut Vec<u8>| Flip::Proof(0).apply(block, bytes).unwrap();
    let damaged = chain.rewritten(block, flip);
    let place = tempfile::tempdir().unwrap();
    let audit = |copy: &Copy| {
        let audit = chain.audit(copy).network(network.clone());
        let audit = audit.only([Check::Vrf]);
        audit.state(&place.path().join("state")).unwrap()
    };
    run(audit(&chain.part(0..3)), Outcome::AllValid);
    let ran = fails(audit(&damaged));
    let slot = block.place.slot;
    assert_eq!(
        ran.findings(),
        [format!("praos at {slot}: challenge mismatch")]
    );
}
