//! Damaged files: chunks that are cut, swapped or missing, and damaged indexes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use klero_cardano::{Block, Era};
use serde_json::json;

use crate::common::Place;
use crate::db::*;
use crate::run::{by_epoch, findings, first_in_doubt, found, in_doubt, report, total, verify};

/// The first block of Babbage in the middle of a chunk.
fn babbage(chain: &Chain) -> &Block {
    chain.find(|block| block.place.era == Era::Babbage && block.in_window)
}

fn in_chunk(chain: &Chain, chunk: u64) -> Vec<&Block> {
    let blocks = chain.blocks.iter();
    blocks.filter(|block| block.chunk == chunk).collect()
}

/// Runs a test on a small chain, and on the real one if its files exist.
fn on_both(test: impl Fn(&Chain)) {
    test(&Chain::small());
    if let Some(chain) = Chain::preview() {
        test(&chain);
    }
}

#[test]
fn a_cut_chunk() {
    on_both(|chain| {
        for chunk in [chain.chunks() - 1, babbage(chain).chunk] {
            let db = chain.copy(chain.chunks());
            let blocks = in_chunk(chain, chunk);
            let cut = blocks[blocks.len() - 3];
            let length = cut.offset + 100;
            db.change(chunk, "chunk", |bytes| bytes.truncate(length as usize));
            let ran = report(db.dir.path(), &chain.options, 1);
            let slot = cut.place.slot;
            assert_eq!(findings(&ran), [format!("truncated at {slot}")]);
            assert_eq!(
                ran["findings"][0]["reason"],
                format!(
                    "truncated at byte {length}: block starting at byte {} incomplete, \
                     2 more in the index",
                    cut.offset
                )
            );
            assert_eq!(total(&ran, "blocks"), chain.blocks.len() as u64 - 3);
            in_doubt(chain, &ran, first_in_doubt(cut), slot, 0);
        }
    });
}

#[test]
fn a_missing_chunk() {
    on_both(|chain| {
        let block = babbage(chain);
        let db = chain.copy(chain.chunks());
        for extension in ["chunk", "primary", "secondary"] {
            db.remove(block.chunk, extension);
        }
        let ran = report(db.dir.path(), &chain.options, 1);
        let chunk = block.chunk;
        assert_eq!(findings(&ran), [format!("missing-chunks in chunk {chunk}")]);
        assert_eq!(ran["findings"][0]["reason"], "is missing");
        let lost = in_chunk(chain, chunk).len();
        assert_eq!(total(&ran, "blocks"), (chain.blocks.len() - lost) as u64);
        let since = chunk * chain.network.chunk_size();
        in_doubt(chain, &ran, first_in_doubt(block), since, 0);
    });
}

#[test]
fn missing_chunks() {
    let chain = Chain::small();
    let db = chain.copy(chain.chunks());
    let (first, last) = (13, 14);
    for chunk in first..=last {
        for extension in ["chunk", "primary", "secondary"] {
            db.remove(chunk, extension);
        }
    }
    let ran = report(db.dir.path(), &chain.options, 1);
    assert_eq!(findings(&ran), [format!("missing-chunks in chunk {first}")]);
    assert_eq!(ran["findings"][0]["reason"], "to 00014 are missing");
    assert_eq!(total(&ran, "invalid"), 0);
    let epochs = ran["epochs"].as_array().unwrap();
    let since = first * chain.network.chunk_size();
    assert_eq!(epochs.last().unwrap()["unverifiable_since"], since);
}

#[test]
fn swapped_blocks() {
    on_both(|chain| {
        let a = babbage(chain);
        let b = chain.after(a);
        let next = chain.after(b);
        let [slot_a, slot_b] = [a, b].map(|block| block.place.slot);
        let db = chain.copy(chain.chunks());
        db.change(a.chunk, "chunk", |bytes| {
            let both = a.offset as usize..(b.offset + b.size) as usize;
            bytes[both].rotate_left(a.size as usize);
        });
        // The index names other places for them.
        let ran = report(db.dir.path(), &chain.options, 1);
        assert_eq!(findings(&ran), [format!("crc at {slot_b} x2 to {slot_a}")]);
        assert_eq!(total(&ran, "blocks"), chain.blocks.len() as u64);
        in_doubt(chain, &ran, first_in_doubt(a), slot_a, 0);

        // With an index that matches, only their order is wrong.
        db.swap_entries(a, b);
        let ran = report(db.dir.path(), &chain.options, 1);
        let mut found = findings(&ran);
        let primary = format!("{:05}.primary is damaged", a.chunk);
        assert!(found.remove(0).contains(&primary));
        assert_eq!(
            found,
            [
                format!("hash-link at {slot_b} x3 to {}", next.place.slot),
                format!("slot-order at {slot_a}"),
            ]
        );
        assert_eq!(total(&ran, "blocks"), chain.blocks.len() as u64);
        let before = chain.blocks.iter().rfind(|block| block.place.slot < slot_a);
        let since = before.unwrap().place.slot;
        in_doubt(chain, &ran, first_in_doubt(a), since, 0);
    });
}

#[test]
fn index_files() {
    each_index(&Chain::small(), usize::MAX);
    // Each takes a run over the whole chain.
    if let Some(chain) = Chain::preview() {
        each_index(&chain, 1);
    }
}

/// The index files of a chunk missing, and the first `damages` kinds of damage to them.
fn each_index(chain: &Chain, damages: usize) {
    let chunk = babbage(chain).chunk;
    let blocks = in_chunk(chain, chunk).len();
    let warning = |db: &Db| {
        let ran = report(db.dir.path(), &chain.options, 0);
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
        assert_eq!(ran["result"], "all valid");
        assert_eq!(ran["totals"]["warnings"], found(&ran));
        assert_eq!(ran["findings"][0]["chunk"], chunk);
        findings(&ran).join(", ")
    };
    for extension in ["primary", "secondary"] {
        let db = chain.copy(chain.chunks());
        db.remove(chunk, extension);
        let said = warning(&db);
        let name = format!("{chunk:05}.{extension}");
        assert!(said.starts_with(&format!("warning: {name} is missing")));
        assert_eq!(said.contains("not checked"), extension == "secondary");

        for damage in [
            |bytes: &mut Vec<u8>| bytes[20] ^= 0x40,
            |bytes: &mut Vec<u8>| bytes.truncate(50),
            |bytes: &mut Vec<u8>| bytes.clear(),
            |bytes: &mut Vec<u8>| bytes.fill(0xff),
            |bytes: &mut Vec<u8>| bytes.extend([0; 300]),
        ]
        .into_iter()
        .take(damages)
        {
            let db = chain.copy(chain.chunks());
            db.change(chunk, extension, damage);
            let said = warning(&db);
            let words = match db.read(chunk, extension).len() {
                0 if extension == "secondary" => {
                    format!("CRC-32 of {blocks} blocks not checked")
                }
                _ => format!("{name} is damaged"),
            };
            assert!(said.contains(&words), "{said}");
        }
    }
}

/// An index that is there and cannot be read is no damage: all blocks are read, and the run says
/// that not all files were.
#[test]
fn an_index_that_cannot_be_read() {
    let chain = Chain::small();
    let chunk = babbage(&chain).chunk;
    let place = Place::new();
    let state = place.path("state");
    for extension in ["primary", "secondary"] {
        for obstacle in [Obstacle::Directory, Obstacle::Loop, Obstacle::Permission] {
            let db = chain.copy(chain.chunks());
            if !obstacle.put(&db, chunk, extension) {
                println!("SKIPPED: this user may read files without the permission to");
                continue;
            }
            let ran = report(db.dir.path(), &chain.options, 2);
            assert_eq!(ran["result"], "not all read");
            assert_eq!(
                findings(&ran)[0],
                format!("note: unread-index in chunk {chunk}")
            );
            assert_eq!(ran["totals"]["notes"], json!({"unread-index": 1}));
            let reason = ran["findings"][0]["reason"].as_str().unwrap();
            let file = db.file(chunk, extension).display().to_string();
            let words = format!("its {extension} index cannot be read: {file}: ");
            assert!(reason.starts_with(&words), "{reason}");
            // Only what the secondary index says of the blocks is missing.
            let warnings = u64::from(extension == "secondary");
            assert_eq!(total(&ran, "warnings"), warnings);
            assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
            assert_eq!(ran["unread_bytes"], 0);

            // No state is saved beyond it, and from one before it, the next run meets it again.
            let _ = fs::remove_file(&state);
            let options = format!("{} --state {}", chain.options, state.display());
            for _ in 0..2 {
                let ran = report(db.dir.path(), &options, 2);
                let after = ran["state"]["after"]["slot"].as_u64().unwrap();
                assert!(after < chunk * chain.network.chunk_size());
            }
        }
    }
}

/// What keeps a file from being read.
#[derive(Clone, Copy)]
enum Obstacle {
    /// A directory in its place.
    Directory,
    /// A link to itself.
    Loop,
    /// No permission, which does not hinder the superuser.
    Permission,
}

impl Obstacle {
    /// Puts it in the way; whether it is one.
    fn put(self, db: &Db, chunk: u64, extension: &str) -> bool {
        let file = db.file(chunk, extension);
        match self {
            Self::Permission => {
                db.change(chunk, extension, |_| {});
                fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
            }
            Self::Directory => {
                db.remove(chunk, extension);
                fs::create_dir(&file).unwrap();
            }
            Self::Loop => {
                db.remove(chunk, extension);
                symlink(&file, &file).unwrap();
            }
        }
        fs::read(file).is_err()
    }
}

#[test]
fn no_index_at_all() {
    on_both(|chain| {
        let db = chain.copy(chain.chunks());
        for chunk in 0..chain.chunks() {
            db.remove(chunk, "primary");
            db.remove(chunk, "secondary");
        }
        let ran = report(db.dir.path(), &chain.options, 0);
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
        assert_eq!(ran["totals"]["warnings"], 3 * chain.chunks());
        assert_eq!(by_epoch(&ran, "invalid"), []);
        let text = verify(db.dir.path(), &chain.options).ends(0).stdout;
        assert!(text.contains("about index files; the blocks themselves were read."));
    });
}
