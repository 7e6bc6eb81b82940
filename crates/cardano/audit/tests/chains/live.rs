//! Databases of a running node, and of a node that knows an era which this version does not know.

use std::fs;
use std::os::unix::fs::symlink;

use klero_audit::Outcome;
use klero_cardano::{Block, Era, LastBlock};
use klero_damage::{Flip, Repair};

use crate::db::Chain;
use crate::run::{fails, run};

/// The blocks of the last chunk, which is never empty.
fn newest(chain: &Chain) -> Vec<&Block> {
    chain.in_chunk(chain.chunks() - 1)
}

#[test]
fn a_block_that_is_half_written() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let half = blocks.len() / 2;
    let next = blocks[half];
    for bytes in [1, 300, next.size - 1] {
        let copy = chain.copy();
        copy.open_chunk(&chain, next.chunk, half);
        // The secondary index lacks the last two blocks.
        let behind = |index: &mut Vec<u8>| index.truncate(index.len() - 2 * 56);
        copy.change(next.chunk, "secondary", behind).unwrap();
        let original = chain.database.read(next.chunk, "chunk").unwrap();
        let begin = |chunk: &mut Vec<u8>| {
            let start = chunk.len();
            chunk.extend(&original[start..start + bytes as usize]);
        };
        copy.change(next.chunk, "chunk", begin).unwrap();
        let place = tempfile::tempdir().unwrap();
        let state = place.path().join("state");
        let audit = chain.audit(&copy).state(&state).unwrap();
        let ran = run(audit, Outcome::AllValid);
        let note = format!("note: half-written in chunk {}", next.chunk);
        let unchecked = "warning: crc-unchecked: CRC-32 of 2 blocks not checked";
        assert_eq!(ran.findings(), [unchecked, &note]);
        assert!(ran.report.half_written);
        let found = [("crc-unchecked", 1), ("half-written", 1)];
        assert_eq!(ran.report.found, found.into());
        assert_eq!(ran.report.unread_bytes, bytes);
        let tip = LastBlock::from(&blocks[half - 1].place);
        assert_eq!(ran.report.tip, Some(tip));
        let its = match bytes {
            1 => "1 byte".to_owned(),
            _ => format!("{bytes} bytes"),
        };
        let words = format!(
            "note: half-written: chunk {:05}, byte {}: the last block is not complete; not read: {its}",
            next.chunk, next.offset
        );
        assert_eq!(ran.found[1].to_string(), words);

        // Once the block is complete, the next audit reads it with the other blocks of the epoch.
        let whole = chain.copy();
        let audit = chain.audit(&whole).state(&state).unwrap();
        let rest = run(audit, Outcome::AllValid);
        let (_, of_epoch) = chain.epochs().pop_last().unwrap();
        assert_eq!((rest.totals().blocks, rest.totals().proofs), of_epoch);
        assert_eq!(rest.totals().valid, rest.totals().proofs);
    }
}

/// Bytes after the last block of a chunk can begin like a block. They are a half-written block if the chunk
/// is the newest and they link to that last block. Otherwise, they are damage.
#[test]
fn beginnings_that_are_damage() {
    let chain = Chain::small();
    let newest = chain.chunks() - 1;
    for (chunk, names_last, is_damage) in [
        (newest, true, false),
        (newest, false, true),
        (newest - 1, true, true),
    ] {
        let blocks = chain.in_chunk(chunk);
        let half = blocks.len() / 2;
        let (last, next) = (blocks[half - 1].place.hash, blocks[half]);
        let copy = chain.copy();
        copy.open_chunk(&chain, chunk, half);
        let mut bytes = chain.bytes(next).unwrap();
        bytes.pop();
        if !names_last {
            let at = bytes.windows(32).position(|window| window == &last[..]);
            bytes[at.unwrap() + 31] ^= 1;
        }
        copy.change(chunk, "chunk", |file| file.extend(&bytes))
            .unwrap();
        let outcome = match is_damage {
            true => Outcome::SomeInvalid,
            false => Outcome::AllValid,
        };
        let found = run(chain.audit(&copy), outcome).findings();
        let expected = match is_damage {
            true => format!("truncated in chunk {chunk}"),
            false => format!("note: half-written in chunk {chunk}"),
        };
        assert!(found.contains(&expected), "{found:?}");
    }
}

#[test]
fn an_era_to_come() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let from = blocks.len() - 4;
    let copy = chain.copy();
    for block in &blocks[from..] {
        let change = |bytes: &mut [u8]| bytes[1] = 9;
        copy.change_block(*block, Repair::Crc, change).unwrap();
    }
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let audit = chain.audit(&copy).state(&state).unwrap();
    let ran = run(audit, Outcome::NotAllRead);
    let chunk = blocks[0].chunk;
    assert_eq!(
        ran.findings(),
        [format!("note: unknown-era in chunk {chunk}")]
    );
    let words = format!(
        "note: unknown-era: chunk {chunk:05}, byte {}: blocks of an era this version does not know \
         (tag 9) from slot {} on; update klero",
        blocks[from].offset, blocks[from].place.slot
    );
    assert_eq!(ran.found[0].to_string(), words);
    // Everything before that era was checked.
    let totals = ran.totals();
    assert_eq!(totals.blocks as usize, chain.blocks.len() - 4);
    assert_eq!(totals.valid, totals.proofs);
    let unread: u64 = blocks[from..].iter().map(|block| block.size).sum();
    assert_eq!(ran.report.unread_bytes, unread);
    let tip = LastBlock::from(&blocks[from - 1].place);
    assert_eq!(ran.report.tip, Some(tip));
    // A version that knows the era continues with the first block of the epoch in which the era begins.
    let after = ran.report.state.unwrap().after.unwrap();
    let passed = chain.blocks.iter();
    let passed = passed
        .filter(|block| block.place.slot <= after.slot)
        .count();
    assert_eq!(chain.blocks[passed].epoch, blocks[from].epoch);
    let whole = chain.copy();
    let audit = chain.audit(&whole).state(&state).unwrap();
    let rest = run(audit, Outcome::AllValid);
    assert_eq!(rest.totals().blocks as usize, chain.blocks.len() - passed);
}

/// The tag alone is enough to recognize an unknown era.
#[test]
fn an_era_to_come_that_has_begun() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    for begun in [&[0x82, 0x09][..], &[0x82, 0x0a, 0x85]] {
        let copy = chain.copy();
        copy.open_chunk(&chain, blocks[0].chunk, blocks.len() / 2);
        let begin = |chunk: &mut Vec<u8>| chunk.extend(begun);
        copy.change(blocks[0].chunk, "chunk", begin).unwrap();
        let ran = run(chain.audit(&copy), Outcome::NotAllRead);
        let note = format!("note: unknown-era in chunk {}", blocks[0].chunk);
        assert_eq!(ran.findings(), [note]);
        let read = chain.blocks.len() - blocks.len() + blocks.len() / 2;
        assert_eq!(ran.totals().blocks as usize, read);
    }
}

#[test]
fn a_file_that_cannot_be_read() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let copy = chain.copy();
    let file = copy.file(block.chunk, "chunk");
    fs::remove_file(&file).unwrap();
    // The link points to itself, so not even the superuser can read the file.
    symlink(&file, &file).unwrap();
    let ran = run(chain.audit(&copy), Outcome::NotAllRead);
    let note = format!("note: io in chunk {}", block.chunk);
    assert_eq!(ran.findings(), [note]);
    // The length of the file is not known, so only `unread_files` shows that something was not read.
    assert!(ran.report.faults().next().is_none() && ran.report.unread_files);
    let text = ran.found[0].to_string();
    let words = format!("note: io: chunk {:05}: cannot be read: ", block.chunk);
    assert!(text.starts_with(&words), "{text}");
    assert!(text.contains(&file.display().to_string()), "{text}");

    // An invalid proof decides the outcome, even if something was not read.
    let first = chain.find(|block| block.place.era == Era::Alonzo);
    copy.flip(first, Flip::Proof(1), Repair::CrcAndHash)
        .unwrap();
    fails(chain.audit(&copy));
}
