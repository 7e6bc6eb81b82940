//! Tests with bytes inserted into a chunk or deleted from it. Later offsets in the chunk's index are wrong.

use std::fs;

use klero_cardano::{Block, Era, Start};
use klero_forge::Recipe;

use crate::checks::{make, small};
use crate::walk::walk;

/// A walk returns all blocks before the damage, and all blocks of other chunks. The first fault is at the
/// first damaged block. Every block that is returned belongs to the chain or has a fault.
#[test]
fn what_follows_inserted_or_deleted_bytes_is_reported() {
    let chain = make(Recipe {
        k: 12,
        body_bytes: 3_000,
        ..small(&[(Era::Mary, 1), (Era::Conway, 2)])
    });
    let read = || walk(&chain.dir, &chain.forged.network, Start::Genesis);
    let whole = read().blocks;
    let path = chain.dir.path().join("immutable/00001.chunk");
    let bytes = fs::read(&path).unwrap();
    let in_chunk: Vec<_> = whole.iter().filter(|block| block.chunk == 1).collect();
    let mut random = fastrand::Rng::with_seed(11);
    for block in [in_chunk[0], in_chunk[3], in_chunk[in_chunk.len() - 1]] {
        let within = [0, 1, 5, 40, 700, block.size / 2 + 500, block.size - 1];
        for at in within.map(|byte| (block.offset + byte) as usize) {
            for (length, junk) in [
                (1, true),
                (7, true),
                (64 << 10, true),
                (1, false),
                (100, false),
            ] {
                let mut changed = bytes.clone();
                if junk {
                    changed.splice(at..at, (0..length).map(|_| random.u8(..)));
                } else {
                    changed.drain(at..(at + length).min(bytes.len()));
                }
                fs::write(&path, changed).unwrap();
                let walked = read();
                let what = format!("{length} at {at}, inserted: {junk}: {:?}", walked.faults);
                let faults = walked.faults.iter().filter_map(|fault| fault.at.offset);
                let faults: Vec<u64> = faults.collect();
                assert_eq!(faults.first(), Some(&block.offset), "{what}");
                let is_before =
                    |other: &&Block| other.chunk != 1 || other.offset + other.size <= block.offset;
                for other in whole.iter().filter(is_before) {
                    let is_it = |found: &Block| found.place == other.place;
                    assert!(walked.blocks.iter().any(is_it), "{what}");
                }
                for found in &walked.blocks {
                    let is_it = |other: &Block| other.place.hash == found.place.hash;
                    let is_known = whole.iter().any(is_it);
                    assert!(is_known || faults.contains(&found.offset), "{what}");
                }
            }
        }
    }
}
