//! Databases of a running node, and of one that is newer than this version.

use std::fs;

use klero_cardano::{Block, Era};
use klero_forge::{Flip, Repair};
use serde_json::json;

use crate::common::Place;
use crate::db::*;
use crate::run::{findings, report, total, verify};

/// The blocks of the last chunk; at least one.
fn newest(chain: &Chain) -> Vec<&Block> {
    let chunk = chain.chunks() - 1;
    let blocks = chain.blocks.iter().filter(|block| block.chunk == chunk);
    blocks.collect()
}

#[test]
fn a_block_that_is_half_written() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let half = blocks.len() / 2;
    let next = blocks[half];
    for bytes in [1, 300, next.size - 1] {
        let db = chain.copy(chain.chunks());
        db.open_chunk(&chain, next.chunk, half);
        // Its index is behind by two blocks.
        db.change(next.chunk, "secondary", |index| {
            index.truncate(index.len() - 2 * 56);
        });
        let original = chain.dir.join(format!("immutable/{:05}.chunk", next.chunk));
        let original = fs::read(original).unwrap();
        db.change(next.chunk, "chunk", |chunk| {
            let start = chunk.len();
            chunk.extend(&original[start..start + bytes as usize]);
        });
        let place = Place::new();
        let state = place.path("state");
        let options = format!("{} --state {}", chain.options, state.display());
        let ran = report(db.dir.path(), &options, 0);
        let note = format!("note: half-written in chunk {}", next.chunk);
        let unchecked = format!(
            "warning: chunk {:05}: CRC-32 of 2 blocks not checked",
            next.chunk
        );
        assert_eq!(findings(&ran), [unchecked, note]);
        assert_eq!(ran["result"], "all valid");
        assert_eq!(ran["totals"]["notes"], json!({"half-written": 1}));
        assert_eq!(ran["totals"]["faults"], json!({}));
        assert_eq!(ran["findings"][1]["offset"], next.offset);
        assert_eq!(ran["unread_bytes"], bytes);
        assert_eq!(ran["tip"]["slot"], blocks[half - 1].place.slot);
        let text = verify(db.dir.path(), &chain.options).ends(0).stdout;
        let its = match bytes {
            1 => "1 byte was".to_owned(),
            _ => format!("{bytes} bytes were"),
        };
        let words = format!(
            "note: chunk {:05}, byte {}: the last block is not complete; its {its} not read",
            next.chunk, next.offset
        );
        assert!(text.contains(&words), "{text}");
        let words = ": all valid, but for the last block, which is not complete.";
        assert!(text.contains(words), "{text}");

        // Once the block is complete, the next run continues with it.
        let rest = report(&chain.dir, &options, 0);
        assert_eq!(total(&rest, "blocks") as usize, blocks.len() - half);
        assert_eq!(total(&rest, "valid"), total(&rest, "proofs"));
    }
}

#[test]
fn an_era_to_come() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let from = blocks.len() - 4;
    let db = chain.copy(chain.chunks());
    for block in &blocks[from..] {
        db.change_block(block, Repair::Crc, |bytes| bytes[1] = 8);
    }
    let place = Place::new();
    let options = format!(
        "{} --state {}",
        chain.options,
        place.path("state").display()
    );
    let ran = report(db.dir.path(), &options, 2);
    let chunk = blocks[0].chunk;
    assert_eq!(
        findings(&ran),
        [format!("note: unknown-era in chunk {chunk}")]
    );
    let words = format!(
        "blocks of an era this version does not know (tag 8) from slot {} on; update klero",
        blocks[from].place.slot
    );
    assert_eq!(ran["findings"][0]["reason"], words);
    assert_eq!(ran["result"], "not all read");
    // Everything before it was checked, and saved.
    assert_eq!(total(&ran, "blocks") as usize, chain.blocks.len() - 4);
    assert_eq!(total(&ran, "valid"), total(&ran, "proofs"));
    let unread: u64 = blocks[from..].iter().map(|block| block.size).sum();
    assert_eq!(ran["unread_bytes"], unread);
    assert_eq!(ran["tip"]["slot"], blocks[from - 1].place.slot);
    assert_eq!(ran["state"]["after"], ran["tip"]);
    let text = verify(db.dir.path(), &chain.options).ends(2).stdout;
    assert!(
        text.contains(&format!("note: chunk {chunk:05}, byte ")),
        "{text}"
    );
    assert!(
        text.contains(": nothing wrong, but not all could be read; "),
        "{text}"
    );
    // A version that knows the era continues from there.
    let rest = report(&chain.dir, &options, 0);
    assert_eq!(total(&rest, "blocks"), 4);
}

/// Blocks with tags of unknown eras in the middle of the chain are damaged, as blocks of known
/// eras follow them.
#[test]
fn tags_of_eras_to_come() {
    let chain = Chain::small();
    let middle = chain.find(|block| block.place.era == Era::Babbage).chunk;
    let in_chunk: Vec<&Block> = chain.blocks.iter().filter(|b| b.chunk == middle).collect();
    let [.., a, b] = in_chunk[..] else { panic!() };
    let db = chain.copy(chain.chunks());
    db.change_block(a, Repair::Crc, |bytes| bytes[1] = 8);
    db.change_block(b, Repair::Crc, |bytes| bytes[1] = 9);
    let ran = report(db.dir.path(), &chain.options, 1);
    let line = format!("unreadable at {} x2 to {}", a.place.slot, b.place.slot);
    assert_eq!(findings(&ran), [line]);
    assert_eq!(total(&ran, "blocks") as usize, chain.blocks.len() - 2);
    assert_eq!(ran["unread_bytes"], a.size + b.size);
}

/// A tag alone is enough to name an unknown era.
#[test]
fn an_era_to_come_that_has_begun() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    for begun in [&[0x82, 0x08][..], &[0x82, 0x09, 0x85]] {
        let db = chain.copy(chain.chunks());
        db.open_chunk(&chain, blocks[0].chunk, blocks.len() / 2);
        db.change(blocks[0].chunk, "chunk", |chunk| chunk.extend(begun));
        let ran = report(db.dir.path(), &chain.options, 2);
        let note = format!("note: unknown-era in chunk {}", blocks[0].chunk);
        assert_eq!(findings(&ran), [note]);
        let read = chain.blocks.len() - blocks.len() + blocks.len() / 2;
        assert_eq!(total(&ran, "blocks") as usize, read);
    }
}

#[test]
fn a_file_that_cannot_be_read() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let db = chain.copy(chain.chunks());
    let file = db.file(block.chunk, "chunk");
    fs::remove_file(&file).unwrap();
    // Even for the superuser.
    std::os::unix::fs::symlink(&file, &file).unwrap();
    let ran = report(db.dir.path(), &chain.options, 2);
    assert_eq!(
        findings(&ran),
        [format!("note: io in chunk {}", block.chunk)]
    );
    assert_eq!(ran["result"], "not all read");
    assert_eq!(ran["totals"]["faults"], json!({}));
    let text = verify(db.dir.path(), &chain.options).ends(2).stdout;
    let words = format!("note: chunk {:05}: cannot be read: ", block.chunk);
    assert!(text.contains(&words), "{text}");
    assert!(text.contains(&file.display().to_string()), "{text}");
    // Its length is not known.
    assert_eq!(ran["unread_bytes"], json!(null));
    assert!(text.contains("; at least "), "{text}");
    assert!(text.contains(" unread."), "{text}");

    // An invalid proof decides the result, whatever was not read.
    let first = chain.find(|block| block.place.era == Era::Alonzo);
    db.flip(first, Flip::Proof(1), Repair::CrcAndHash);
    report(db.dir.path(), &chain.options, 1);
}
