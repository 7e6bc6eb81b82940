//! Tests that an audit saves the state at the end of the last complete epoch before any fault.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use klero_audit::{Anchor, Audit, Met, Origin, Outcome, State};
use klero_cardano::{Block, Era, Hash, LastBlock};
use klero_damage::{Flip, Repair};

use crate::db::{Chain, Copy};
use crate::run::{Ran, fails, refused, run};

fn audit(chain: &Chain, copy: &Copy, state: &Path) -> Audit<'static> {
    chain.audit(copy).state(state).unwrap()
}

fn after(ran: &Ran) -> Option<LastBlock> {
    ran.report.state.as_ref().unwrap().after.clone()
}

/// All of `blocks` except those of the last epoch, which is perhaps not over.
fn ended(blocks: &[Block]) -> &[Block] {
    let last = blocks.last().map(|block| block.epoch);
    &blocks[..blocks.partition_point(|block| Some(block.epoch) < last)]
}

/// The last of `blocks`, in the form that a state has.
fn last(blocks: &[Block]) -> Option<LastBlock> {
    blocks.last().map(|block| LastBlock::from(&block.place))
}

/// Asserts that the state of an audit is the state after these blocks.
#[track_caller]
fn stands_after(ran: &Ran, blocks: &[Block]) {
    assert_eq!(after(ran), last(blocks));
    let totals = ran.report.state.as_ref().unwrap().totals;
    let proofs = blocks.iter().map(|block| block.claims.len() as u64);
    let proofs: u64 = proofs.sum();
    assert_eq!(totals.blocks, blocks.len() as u64);
    assert_eq!((totals.proofs, totals.valid), (proofs, proofs));
}

/// The findings without warnings. An audit that continues does not repeat warnings about earlier indexes.
fn found(ran: &Ran) -> Vec<String> {
    let mut found = ran.findings();
    found.retain(|line| !line.starts_with("warning: "));
    found
}

/// Audits a growing chain every night. Each night, `step` chunks become complete, and the next one has half
/// of its blocks. In the last night, all chunks are complete.
fn nightly(chain: &Chain, step: u64) {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state.json");
    let copy = chain.part(0..0);
    let (mut whole, mut passed) = (0, &chain.blocks[..0]);
    while whole < chain.chunks() {
        let open = (whole + step).min(chain.chunks() - 1);
        copy.link(&chain.database, whole..open + 1).unwrap();
        let mut there = chain.blocks.partition_point(|block| block.chunk <= open);
        whole = open + 1;
        if whole < chain.chunks() {
            let half = chain.in_chunk(open).len().div_ceil(2);
            copy.open_chunk(chain, open, half);
            there -= chain.in_chunk(open).len() - half;
            whole = open;
        }
        let ran = run(audit(chain, &copy, &state), Outcome::AllValid);
        assert_eq!(ran.findings(), Vec::<String>::new());
        let origin = last(passed).map_or(Origin::Genesis, Origin::After);
        assert_eq!(ran.origin, Some(origin));
        assert_eq!(ran.totals().blocks, (there - passed.len()) as u64);
        passed = ended(&chain.blocks[..there]);
        stands_after(&ran, passed);
    }

    // If a night brings no new blocks, the audit reads the last epoch again, and writes nothing.
    let before = fs::read(&state).unwrap();
    let ran = run(audit(chain, &copy, &state), Outcome::AllValid);
    let (number, newest) = ran.report.epochs.last_key_value().unwrap();
    assert_eq!(ran.report.epochs.len(), 1);
    let epochs = chain.epochs();
    assert_eq!((newest.counts.blocks, newest.counts.valid), epochs[number]);
    stands_after(&ran, passed);
    assert_eq!(fs::read(&state).unwrap(), before);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn night_after_night() {
    let chain = Chain::small();
    // In the first of these nights, the chain still ends in Byron.
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
    let ran = run(audit(&chain, &chain.copy(), &state), Outcome::AllValid);
    let LastBlock { slot, .. } = after(&ran).unwrap();
    let chunk = slot / chain.network.chunk_size();
    // At first the state's chunk is the newest one. Then there are chunks after it.
    for chunks in [chunk + 1, chain.chunks()] {
        let copy = chain.part(0..chunks);
        let file = copy.file(chunk, "chunk");
        fs::remove_file(&file).unwrap();
        symlink(&file, &file).unwrap();
        let error = refused(audit(&chain, &copy, &state)).to_string();
        let words = format!("cannot go on from slot {slot}: chunk {chunk:05}: cannot be read: ");
        assert!(error.contains(&words), "{error}");
        assert!(error.contains(&file.display().to_string()), "{error}");
    }
}

/// Each audit finds the fault again until it is repaired. The next audit continues from the same state file.
#[test]
fn nothing_wrong_is_passed() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let before = chain
        .blocks
        .partition_point(|other| other.epoch < block.epoch);
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    for flip in [Flip::Body, Flip::Output(0), Flip::Kes, Flip::Slot] {
        for repair in [Repair::Nothing, Repair::Crc, Repair::CrcAndHash] {
            let copy = chain.copy();
            copy.flip(block, flip, repair).unwrap();
            let ran = fails(audit(&chain, &copy, &state));
            stands_after(&ran, &chain.blocks[..before]);
            let saved = fs::read(&state).unwrap();

            let again = fails(audit(&chain, &copy, &state));
            assert_eq!(found(&again), found(&ran), "{flip:?}, {repair:?}");
            let verdicts = |ran: &Ran| (ran.totals().unverifiable, ran.totals().invalid);
            assert_eq!(verdicts(&again), verdicts(&ran));
            assert_eq!(fs::read(&state).unwrap(), saved);

            let ran = run(audit(&chain, &chain.copy(), &state), Outcome::AllValid);
            stands_after(&ran, ended(&chain.blocks));
            fs::remove_file(&state).unwrap();
        }
    }

    // If the first chunk is missing, the audit does not start and saves no state.
    let copy = chain.copy();
    copy.remove(0, "chunk").unwrap();
    refused(audit(&chain, &copy, &state));
    assert!(!state.exists());
}

/// Damage to an epoch's last block may be noticed only at the next block, so that block must be clean too.
#[test]
fn the_first_block_of_the_next_epoch_is_needed() {
    let chain = Chain::small();
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let last = chain.blocks.last().unwrap().epoch;
    let first = chain.blocks.partition_point(|block| block.epoch < last);
    let cut = &chain.blocks[first];
    let damages: [&dyn Fn(&Copy); 3] = [
        &|copy| {
            let end = cut.offset as usize + 100;
            let cut_off = |bytes: &mut Vec<u8>| bytes.truncate(end);
            copy.change(cut.chunk, "chunk", cut_off).unwrap();
        },
        &|copy| copy.flip(cut, Flip::Body, Repair::Crc).unwrap(),
        &|copy| copy.flip(cut, Flip::Kes, Repair::CrcAndHash).unwrap(),
    ];
    for damage in damages {
        let copy = chain.copy();
        damage(&copy);
        let ran = fails(audit(&chain, &copy, &state));
        stands_after(&ran, ended(&chain.blocks[..first]));
    }
}

/// A state remembers which expected blocks were found. If one is not found, no later state is saved.
#[test]
fn expected_blocks_are_remembered() {
    let chain = Chain::small();
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let block = chain.find(|block| block.place.era == Era::Babbage);
    let expected = |block: &Block| {
        let (slot, hash) = (block.place.slot, block.place.hash);
        Anchor::Block { slot, hash }
    };
    let copy = chain.copy();
    let before = chain
        .blocks
        .partition_point(|other| other.epoch < block.epoch);
    let before = &chain.blocks[..before];
    let (slot, number, hash) = (block.place.slot, block.place.number, Hash::new([7; 32]));
    for other in [
        Anchor::Block { slot, hash },
        Anchor::Block { slot, hash },
        Anchor::Number { number, hash },
    ] {
        let ran = fails(audit(&chain, &copy, &state).expect([other]));
        assert_eq!(ran.report.anchors, [(other, Met::No)]);
        assert_eq!(ran.findings(), [format!("expected-block at {slot}")]);
        stands_after(&ran, before);
    }
    let tip = chain.blocks.last().unwrap();
    for expects in [&[block, tip][..], &[block, tip], &[tip]] {
        let anchors: Vec<Anchor> = expects.iter().map(|block| expected(block)).collect();
        let ran = run(
            audit(&chain, &copy, &state).expect(anchors),
            Outcome::AllValid,
        );
        assert!(ran.report.anchors.iter().all(|(_, met)| *met == Met::Yes));
        let saved = State::load(&state).unwrap().unwrap();
        assert_eq!(saved.met, [expected(block)].into());
        assert_eq!(saved.tied, Some(block.place.slot));
    }
    // An audit that continues from a state finds no block up to the state's end, except the last one, whose
    // hash is in the state.
    let stands = ended(&chain.blocks).last().unwrap();
    let ran = run(
        audit(&chain, &copy, &state).expect([expected(stands)]),
        Outcome::AllValid,
    );
    assert_eq!(ran.report.tied, Some(stands.place.slot));
    let early = expected(&chain.blocks[3]);
    let ran = run(
        audit(&chain, &copy, &state).expect([early]),
        Outcome::NotAllChecked,
    );
    assert_eq!(ran.report.anchors, [(early, Met::NotReached)]);
}
