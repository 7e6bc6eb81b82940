//! Copies of the chain, which tests can damage.

use std::ops::Range;
use std::path::{Path, PathBuf};

use klero_cardano::{Block, Event, Finding, Immutable, Network, Severity, Start, Walk};
use klero_damage::{Database, Repair, Stored};
use tempfile::TempDir;

/// The directory of the chain. If it does not exist, prints a line and returns `None`.
pub fn chain() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/chain/preview");
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no chain at {}", dir.display());
    None
}

/// The blocks and findings that a walk returns.
#[derive(Default)]
pub struct Walked {
    pub blocks: Vec<Block>,
    pub faults: Vec<Finding>,
    pub warnings: Vec<Finding>,
    pub notes: Vec<Finding>,
    /// The number of bytes that are in none of the blocks.
    pub unread: u64,
}

impl Walked {
    pub fn new(mut walk: Walk) -> Walked {
        let mut walked = Walked::default();
        for event in walk.by_ref() {
            match event {
                Event::Block(block) => walked.blocks.push(*block),
                Event::Finding(finding) => match finding.fault.severity() {
                    Severity::Fault => walked.faults.push(*finding),
                    Severity::Warning => walked.warnings.push(*finding),
                    Severity::Note => walked.notes.push(*finding),
                },
            }
        }
        walked.unread = walk.unread();
        walked
    }

    /// The slots of the blocks that are not linked to the block before them.
    pub fn unlinked(&self) -> Vec<u64> {
        let blocks = self.blocks.iter().filter(|block| !block.linked);
        blocks.map(|block| block.place.slot).collect()
    }

    /// The slot of the first block in `chunk` or in a later chunk.
    pub fn first_from(&self, chunk: u64) -> u64 {
        let mut blocks = self.blocks.iter();
        blocks
            .find(|block| block.chunk >= chunk)
            .unwrap()
            .place
            .slot
    }

    pub fn faults(&self) -> Vec<String> {
        self.faults.iter().map(Finding::to_string).collect()
    }

    pub fn notes(&self) -> Vec<String> {
        self.notes.iter().map(Finding::to_string).collect()
    }

    pub fn warnings(&self) -> Vec<String> {
        self.warnings.iter().map(Finding::to_string).collect()
    }
}

/// A directory with copies of some chunks of the chain.
pub struct Copy {
    dir: TempDir,
    database: Database,
}

impl Copy {
    pub fn of(chunks: Range<u64>) -> Option<Copy> {
        let chain = Database::at(chain()?.join("immutable"));
        let dir = tempfile::tempdir().unwrap();
        let database = Database::at(dir.path());
        database.link(&chain, chunks).unwrap();
        Some(Copy { dir, database })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self, chunk: u64, extension: &str) -> PathBuf {
        self.database.file(chunk, extension)
    }

    pub fn read(&self, chunk: u64, extension: &str) -> Vec<u8> {
        self.database.read(chunk, extension).unwrap()
    }

    pub fn write(&self, chunk: u64, extension: &str, bytes: &[u8]) {
        self.database.write(chunk, extension, bytes).unwrap();
    }

    pub fn remove(&self, chunk: u64, extension: &str) {
        self.database.remove(chunk, extension).unwrap();
    }

    pub fn edit(&self, chunk: u64, extension: &str, change: impl FnOnce(&mut Vec<u8>)) {
        self.database.change(chunk, extension, change).unwrap();
    }

    /// The byte range of each block in a chunk file.
    pub fn blocks(&self, chunk: u64) -> Vec<Range<usize>> {
        let blocks = self.database.blocks(chunk).unwrap();
        let range = |block: &Stored| {
            let start = block.offset as usize;
            start..start + block.bytes.len()
        };
        blocks.iter().map(range).collect()
    }

    /// Writes the CRC-32 of a block's present bytes to the index entry of that block.
    pub fn repair(&self, chunk: u64, block: usize) {
        let block = self.database.blocks(chunk).unwrap().swap_remove(block);
        self.database.repair(&block, Repair::Crc).unwrap();
    }

    pub fn walk(&self) -> Walked {
        self.walk_from(Start::Genesis)
    }

    pub fn walk_from(&self, start: Start) -> Walked {
        let db = Immutable::open(self.path()).unwrap();
        Walked::new(Walk::new(&db, Network::preview(), start).unwrap())
    }
}

/// Asserts that two walks have the same blocks, links, claims and nonces.
pub fn assert_same(found: &Walked, expected: &Walked) {
    assert_eq!(found.blocks.len(), expected.blocks.len());
    for (found, expected) in found.blocks.iter().zip(&expected.blocks) {
        assert_eq!(found.place, expected.place);
        assert_eq!(found.linked, expected.linked);
        assert_eq!(found.claims, expected.claims);
        assert_eq!(found.nonces, expected.nonces);
    }
}
