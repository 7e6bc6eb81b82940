//! Bytes inserted into a chunk, or deleted: what they hit is lost, and nothing after it.

use std::fs;
use std::ops::Range;

use klero_cardano::{Block, Era, Finding, Start};
use klero_forge::Recipe;

use crate::checks::{Chain, make, small};
use crate::walk::{Walked, walk};

/// A chain whose blocks have bodies, and one of its chunks.
struct Target {
    chain: Chain,
    blocks: Vec<Block>,
    chunk: u64,
    bytes: Vec<u8>,
}

impl Target {
    fn new() -> Self {
        let chain = make(Recipe {
            k: 12,
            body_bytes: 3_000,
            ..small(&[(Era::Mary, 1), (Era::Conway, 2)])
        });
        let mut target = Self {
            chain,
            blocks: Vec::new(),
            chunk: 0,
            bytes: Vec::new(),
        };
        let whole = target.walk();
        assert_eq!((whole.faults, whole.warnings), (vec![], 0));
        target.blocks = whole.blocks;
        let blocks = &target.blocks;
        let in_chunk = |chunk| blocks.iter().filter(move |b| b.chunk == chunk).count();
        let last = target.blocks.last().unwrap().chunk;
        target.chunk = (1..last).max_by_key(|chunk| in_chunk(*chunk)).unwrap();
        assert!(in_chunk(target.chunk) > 30, "{}", in_chunk(target.chunk));
        target.bytes = fs::read(target.file()).unwrap();
        target
    }

    fn file(&self) -> std::path::PathBuf {
        let name = format!("immutable/{:05}.chunk", self.chunk);
        self.chain.dir.path().join(name)
    }

    fn walk(&self) -> Walked {
        walk(&self.chain.dir, &self.chain.forged.network, Start::Genesis)
    }

    /// Walks with these bytes in place of the chunk's.
    fn walk_with(&self, bytes: &[u8]) -> Walked {
        fs::write(self.file(), bytes).unwrap();
        let walked = self.walk();
        fs::write(self.file(), &self.bytes).unwrap();
        walked
    }

    /// The blocks of the chunk, and where they are.
    fn places(&self) -> Vec<(&Block, Range<usize>)> {
        let place = |block: &Block| block.offset as usize..(block.offset + block.size) as usize;
        let blocks = self.blocks.iter();
        let blocks = blocks.filter(|block| block.chunk == self.chunk);
        blocks.map(|block| (block, place(block))).collect()
    }

    /// Asserts that of all blocks at most those that overlap with `hit` are lost, and that faults
    /// name these and no others, from the first byte on.
    fn check(&self, walked: &Walked, hit: &Range<usize>, what: &str) {
        let overlaps = |place: &Range<usize>| place.start < hit.end && hit.start < place.end;
        let slot = |block: &Block| block.place.slot;
        let mut hit = self.places();
        hit.retain(|(_, place)| overlaps(place));
        let hits: Vec<u64> = hit.iter().map(|(block, _)| slot(block)).collect();
        let others = self.blocks.iter();
        for block in others.filter(|block| !hits.contains(&slot(block))) {
            let mut found = walked.blocks.iter();
            let found = found.find(|other| slot(other) == slot(block));
            let found = found.unwrap_or_else(|| panic!("{what}: slot {} is lost", slot(block)));
            assert_eq!(found.place, block.place, "{what}");
            // Its CRC-32 and its body hold.
            assert_eq!(found.body, block.body, "{what}");
        }
        let faults: Vec<String> = walked.faults.iter().map(Finding::to_string).collect();
        // What was the end of a block may be left of it, alone.
        assert!(
            (1..=hits.len() + 1).contains(&faults.len()),
            "{what}: {faults:?}"
        );
        let first = hit.first().map(|(block, _)| block.offset);
        let offset = walked.faults[0].at.offset;
        assert_eq!(offset, first, "{what}: {faults:?}");
        // A header that cannot be decoded does not name its slot.
        let named = walked.faults.iter().filter_map(|fault| fault.at.slot);
        let strange: Vec<u64> = named.filter(|slot| !hits.contains(slot)).collect();
        assert_eq!(strange, [0; 0], "{what}: {faults:?}");
        let mut faults = walked.faults.iter();
        assert!(faults.all(|fault| fault.at.chunk == self.chunk));
        assert_eq!(walked.warnings, 0, "{what}");
    }
}

/// Places in a block: its frame, its header, its signature, its body, its last byte.
fn within(place: &Range<usize>) -> [usize; 6] {
    [1, 5, 40, 700, place.len() / 2 + 500, place.len() - 1].map(|byte| place.start + byte)
}

const LENGTHS: [usize; 4] = [1, 7, 100, 64 << 10];

#[test]
fn inserted_bytes_cost_one_block() {
    let target = Target::new();
    let mut random = fastrand::Rng::with_seed(11);
    let places = target.places();
    for n in [0, 1, places.len() / 2, places.len() - 2, places.len() - 1] {
        for at in within(&places[n].1) {
            for length in LENGTHS {
                for fill in [None, Some(0), Some(0x82)] {
                    let mut junk = || fill.unwrap_or_else(|| random.u8(..));
                    let junk: Vec<u8> = (0..length).map(|_| junk()).collect();
                    let mut bytes = target.bytes.clone();
                    bytes.splice(at..at, junk);
                    let walked = target.walk_with(&bytes);
                    let what = format!("{length} of {fill:?} into block {n} at {at}");
                    target.check(&walked, &(at..at + 1), &what);
                }
            }
        }
    }
}

#[test]
fn deleted_bytes_cost_the_blocks_that_they_were_of() {
    let target = Target::new();
    let places = target.places();
    for n in [0, 1, places.len() / 2, places.len() - 2] {
        for at in within(&places[n].1) {
            for length in LENGTHS {
                let hit = at..(at + length).min(target.bytes.len());
                let mut bytes = target.bytes.clone();
                bytes.drain(hit.clone());
                let walked = target.walk_with(&bytes);
                let what = format!("{length} out of block {n} at {at}");
                if hit.end < places[places.len() - 1].1.start {
                    target.check(&walked, &hit, &what);
                } else {
                    // The chunk ends in the middle of a block.
                    assert!(!walked.faults.is_empty(), "{what}");
                }
            }
        }
    }
}

/// Junk between two blocks is a fault, and no block is lost.
#[test]
fn inserted_bytes_between_blocks_cost_none() {
    let target = Target::new();
    let places = target.places();
    for n in [0, 1, places.len() / 2, places.len() - 1] {
        for length in LENGTHS {
            let at = places[n].1.start;
            let mut bytes = target.bytes.clone();
            bytes.splice(at..at, vec![0xe5; length]);
            let walked = target.walk_with(&bytes);
            let what = format!("{length} before block {n}");
            assert_eq!(walked.faults.len(), 1, "{what}");
            assert_eq!(walked.faults[0].at.offset, Some(at as u64), "{what}");
            assert_eq!(walked.blocks.len(), target.blocks.len(), "{what}");
            assert_eq!(walked.warnings, 0, "{what}");
        }
    }
}

/// Bytes inserted here and deleted there: the blocks between the two have moved, the others not.
#[test]
fn several_wounds() {
    let target = Target::new();
    let places = target.places();
    let middle = |n: usize| places[n].1.start + 300;
    let mut bytes = target.bytes.clone();
    let (first, second, third) = (middle(4), middle(9), middle(15));
    bytes.drain(third..third + 50);
    bytes.splice(second..second, [7; 20]);
    bytes.splice(first..first, [7; 30]);
    let walked = target.walk_with(&bytes);
    let offsets: Vec<_> = walked.faults.iter().map(|f| f.at.offset).collect();
    let hit = [(4, 0), (9, 30), (15, 50)].map(|(n, by)| Some(places[n].0.offset + by));
    assert_eq!(offsets, hit);
    assert!(walked.blocks.len() >= target.blocks.len() - 3);
    assert_eq!(walked.warnings, 0);
}
