//! Damaged files: chunks that are cut, swapped or missing, and indexes that are missing or cannot be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use klero_audit::Outcome;
use klero_cardano::{Block, Era, Fault};

use crate::db::{Chain, Copy};
use crate::run::{Ran, fails, first_in_doubt, run};

/// A block of Babbage in the window, in the middle of its chunk.
fn babbage(chain: &Chain) -> &Block {
    chain.find(|block| block.place.era == Era::Babbage && block.in_window)
}

/// Runs a test on a small chain, and on the real chain if its files exist.
fn on_both(test: impl Fn(&Chain)) {
    test(&Chain::small());
    if let Some(chain) = Chain::unknown_network() {
        test(&chain);
    }
}

#[test]
fn a_cut_chunk() {
    on_both(|chain| {
        for chunk in [chain.chunks() - 1, babbage(chain).chunk] {
            let db = chain.copy();
            let blocks = chain.in_chunk(chunk);
            let cut = blocks[blocks.len() - 3];
            let length = cut.offset + 100;
            db.change(chunk, "chunk", |bytes| bytes.truncate(length as usize))
                .unwrap();
            let ran = fails(chain.audit(&db));
            let slot = cut.place.slot;
            assert_eq!(ran.findings(), [format!("truncated at {slot}")]);
            assert_eq!(
                reason(&ran),
                format!(
                    "the file ends after {length} bytes, within the block at byte {}, and the index \
                     lists 2 more blocks",
                    cut.offset
                )
            );
            assert_eq!(ran.totals().blocks, chain.blocks.len() as u64 - 3);
            ran.in_doubt(chain, first_in_doubt(cut), slot, 0);
        }
    });
}

#[test]
fn a_missing_chunk() {
    on_both(|chain| {
        let block = babbage(chain);
        let db = chain.copy();
        db.lose(block.chunk);
        let ran = fails(chain.audit(&db));
        let chunk = block.chunk;
        assert_eq!(ran.findings(), [format!("missing-chunks in chunk {chunk}")]);
        assert_eq!(reason(&ran), "the chunk is missing");
        let lost = chain.in_chunk(chunk).len();
        assert_eq!(ran.totals().blocks, (chain.blocks.len() - lost) as u64);
        let since = chunk * chain.network.chunk_size();
        ran.in_doubt(chain, first_in_doubt(block), since, 0);
    });
}

#[test]
fn swapped_blocks() {
    on_both(|chain| {
        let a = babbage(chain);
        let b = chain.after(a);
        let next = chain.after(b);
        let [slot_a, slot_b] = [a, b].map(|block| block.place.slot);
        let db = chain.copy();
        db.change(a.chunk, "chunk", |bytes| {
            let both = a.offset as usize..(b.offset + b.size) as usize;
            bytes[both].rotate_left(a.size as usize);
        })
        .unwrap();
        // The index still lists the blocks in the old order.
        let ran = fails(chain.audit(&db));
        assert_eq!(ran.findings(), [format!("crc at {slot_b} x2 to {slot_a}")]);
        assert_eq!(ran.totals().blocks, chain.blocks.len() as u64);
        ran.in_doubt(chain, first_in_doubt(a), slot_b, 0);

        // With an index that matches, only the order of the blocks is wrong.
        swap_entries(&db, a, b);
        let ran = fails(chain.audit(&db));
        let mut found = ran.findings();
        assert!(found.remove(0).contains("the primary index is damaged"));
        assert_eq!(
            found,
            [
                format!("hash-link at {slot_b} x3 to {}", next.place.slot),
                format!("slot-order at {slot_a}"),
            ]
        );
        // Block `b` now follows the block that was before `a`, but links to `a`.
        let before = chain.blocks.iter().rfind(|of| of.place.slot < slot_a);
        let link = Fault::HashLink {
            before: before.unwrap().place.hash,
            names: Some(a.place.hash),
        };
        assert!(ran.found.iter().any(|found| found.fault == link));
        assert_eq!(ran.totals().blocks, chain.blocks.len() as u64);
        ran.in_doubt(chain, first_in_doubt(a), slot_b, 0);
    });
}

/// An index that exists but cannot be read is not damage. All blocks are read, and the audit reports that
/// some file was not read.
#[test]
fn an_index_that_cannot_be_read() {
    let chain = Chain::small();
    let chunk = babbage(&chain).chunk;
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    for extension in ["primary", "secondary"] {
        for obstacle in [Obstacle::Directory, Obstacle::Loop, Obstacle::Permission] {
            let db = chain.copy();
            if !obstacle.put(&db, chunk, extension) {
                println!("SKIPPED: this user may read files without the permission to");
                continue;
            }
            let ran = run(chain.audit(&db), Outcome::NotAllRead);
            assert_eq!(ran.findings()[0], format!("note: io in chunk {chunk}"));
            let reason = reason(&ran);
            let file = db.file(chunk, extension).display().to_string();
            let words = format!("the {extension} index cannot be read: {file}: ");
            assert!(reason.starts_with(&words), "{reason}");
            // Without the secondary index, CRC-32s are not checked. Everything else is.
            let warning = (extension == "secondary").then_some(("crc-unchecked", 1));
            let found = warning.into_iter().chain([("io", 1)]).collect();
            assert_eq!(ran.report.found, found);
            assert_eq!(ran.totals().valid, chain.proofs_from(0));
            assert_eq!(ran.report.unread_bytes, 0);

            // The saved state ends before the chunk whose index is unreadable. So the next audit reads this
            // chunk again, and finds the unreadable index again.
            let _ = fs::remove_file(&state);
            for _ in 0..2 {
                let audit = chain.audit(&db).state(&state).unwrap();
                let ran = run(audit, Outcome::NotAllRead);
                let after = ran.report.state.unwrap().after.unwrap();
                assert!(after.slot < chunk * chain.network.chunk_size());
            }
        }
    }
}

/// An obstacle to reading a file.
#[derive(Clone, Copy)]
enum Obstacle {
    /// A directory in place of the file.
    Directory,
    /// A symbolic link to itself.
    Loop,
    /// Missing permission, which does not hinder the superuser.
    Permission,
}

impl Obstacle {
    /// Puts the obstacle in the way of reading a file. Returns true if the file then cannot be read.
    fn put(self, db: &Copy, chunk: u64, extension: &str) -> bool {
        let file = db.file(chunk, extension);
        match self {
            Self::Permission => {
                db.change(chunk, extension, |_| {}).unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
            }
            Self::Directory => {
                db.remove(chunk, extension).unwrap();
                fs::create_dir(&file).unwrap();
            }
            Self::Loop => {
                db.remove(chunk, extension).unwrap();
                symlink(&file, &file).unwrap();
            }
        }
        fs::read(file).is_err()
    }
}

#[test]
fn no_index_at_all() {
    on_both(|chain| {
        let db = chain.copy();
        for chunk in 0..chain.chunks() {
            db.remove(chunk, "primary").unwrap();
            db.remove(chunk, "secondary").unwrap();
        }
        let ran = run(chain.audit(&db), Outcome::AllValid);
        assert_eq!(ran.totals().valid, chain.proofs_from(0));
        let found = [
            ("crc-unchecked", chain.chunks()),
            ("index", 2 * chain.chunks()),
        ];
        assert_eq!(ran.report.found, found.into());
        assert_eq!(ran.totals().invalid, 0);
    });
}

/// The text of the first finding, without its place.
fn reason(ran: &Ran) -> String {
    ran.found[0].fault.to_string()
}

/// Swaps the index entries of two successive blocks whose bytes were swapped.
fn swap_entries(copy: &Copy, a: &Block, b: &Block) {
    const ENTRY: usize = 56;
    let swap = |index: &mut Vec<u8>| {
        let mut entries = index.chunks_exact(ENTRY);
        let at = entries.position(|entry| entry[..8] == a.offset.to_be_bytes());
        let at = at.unwrap() * ENTRY;
        index[at..at + 2 * ENTRY].rotate_left(ENTRY);
        index[at..at + 8].copy_from_slice(&a.offset.to_be_bytes());
        let second = a.offset + b.size;
        index[at + ENTRY..at + ENTRY + 8].copy_from_slice(&second.to_be_bytes());
    };
    copy.change(a.chunk, "secondary", swap).unwrap();
}
