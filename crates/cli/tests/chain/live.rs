//! Databases of a running node, of one that is newer than this version, and files that cannot be
//! read, as the command tells them.

use std::fs;
use std::os::unix::fs::symlink;

use klero_cardano::{Block, Era};
use klero_forge::{Flip, Repair};
use serde_json::json;

use crate::db::Chain;
use crate::run::{findings, report, verify};

/// The blocks of the last chunk; at least one.
fn newest(chain: &Chain) -> Vec<&Block> {
    chain.in_chunk(chain.chunks() - 1)
}

#[test]
fn a_block_that_is_half_written() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let last = blocks[blocks.len() - 1];
    let db = chain.copy(chain.chunks());
    db.change(last.chunk, "chunk", |chunk| {
        chunk.truncate(last.offset as usize + 300);
    });
    db.change(last.chunk, "secondary", |index| {
        index.truncate(index.len() - 56);
    });
    db.remove(last.chunk, "primary");
    let ran = report(db.dir.path(), &chain.options, 0);
    let note = format!("note: half-written in chunk {}", last.chunk);
    assert_eq!(findings(&ran)[1], note);
    assert_eq!(ran["result"], "all valid");
    assert_eq!(ran["totals"]["notes"], json!({"half-written": 1}));
    assert_eq!(ran["totals"]["faults"], json!({}));
    assert_eq!(ran["findings"][1]["offset"], last.offset);
    assert_eq!(ran["unread_bytes"], 300);
    let text = verify(db.dir.path(), &chain.options).ends(0).stdout;
    for words in [
        &format!(
            "note: chunk {:05}, byte {}: the last block is not complete; its 300 bytes were not \
             read",
            last.chunk, last.offset
        ),
        "All valid: ",
        " blocks, except the last block, which is not complete.",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn an_era_to_come() {
    let chain = Chain::small();
    let blocks = newest(&chain);
    let from = blocks.len() - 4;
    let db = chain.copy(chain.chunks());
    for block in &blocks[from..] {
        db.change_block(block, Repair::Crc, |bytes| bytes[1] = 9);
    }
    let ran = report(db.dir.path(), &chain.options, 2);
    let words = format!(
        "blocks of an era this version does not know (tag 9) from slot {} on; update klero",
        blocks[from].place.slot
    );
    assert_eq!(ran["findings"][0]["reason"], words);
    assert_eq!(ran["result"], "not all read");
    assert_eq!(ran["tip"]["slot"], blocks[from - 1].place.slot);
    let chunk = blocks[0].chunk;
    let text = verify(db.dir.path(), &chain.options).ends(2).stdout;
    for words in [
        &format!("note: chunk {chunk:05}, byte "),
        "Not all could be read: nothing wrong in the rest. Valid: ",
    ] {
        assert!(text.contains(words), "{text}");
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
    symlink(&file, &file).unwrap();
    let ran = report(db.dir.path(), &chain.options, 2);
    assert_eq!(
        findings(&ran),
        [format!("note: io in chunk {}", block.chunk)]
    );
    assert_eq!(ran["result"], "not all read");
    assert_eq!(ran["totals"]["faults"], json!({}));
    // Its length is not known.
    assert_eq!(ran["unread_bytes"], json!(null));
    let text = verify(db.dir.path(), &chain.options).ends(2).stdout;
    for words in [
        &format!("note: chunk {:05}: cannot be read: ", block.chunk),
        &file.display().to_string(),
        "Unread: at least ",
    ] {
        assert!(text.contains(words), "{text}");
    }

    // An invalid proof decides the result, whatever was not read.
    let first = chain.find(|block| block.place.era == Era::Alonzo);
    db.flip(first, Flip::Proof(1), Repair::CrcAndHash);
    report(db.dir.path(), &chain.options, 1);
}
