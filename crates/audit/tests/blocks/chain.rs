//! A forged chain: its blocks, and files of them.

use std::convert::Infallible;

use klero_audit::Audit;
use klero_cardano::Network;
use klero_damage::{Database, Stored};
use klero_forge::{Forged, Recipe, forge};
use tempfile::TempDir;

/// A forged chain: its files, and its blocks.
pub struct Chain {
    pub dir: TempDir,
    /// As its files say.
    pub network: Network,
    pub forged: Forged,
    pub blocks: Vec<Stored>,
}

impl Chain {
    pub fn of(recipe: &Recipe) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let forged = forge(recipe, dir.path(), |_, _| {}).unwrap();
        let database = Database::at(dir.path().join("immutable"));
        let chunks = (0..).take_while(|chunk| database.file(*chunk, "chunk").exists());
        let blocks = chunks.flat_map(|chunk| database.blocks(chunk).unwrap());
        let blocks = blocks.collect();
        Self {
            network: Network::detect(dir.path()).unwrap(),
            dir,
            forged,
            blocks,
        }
    }

    /// From Byron to Conway.
    pub fn sample() -> Self {
        Self::of(&Recipe::sample())
    }

    /// An audit of its files.
    pub fn files(&self) -> Audit<'static> {
        Audit::new(self.dir.path()).unwrap()
    }

    /// An audit of blocks of its network.
    pub fn audit<'a>(&self, blocks: &'a [Stored]) -> Audit<'a> {
        let blocks = blocks.iter().map(|block| sure(&block.bytes[..]));
        Audit::of_blocks(self.network.clone(), blocks)
    }

    /// Files of these blocks, each in its chunk and with the CRC-32 that its bytes have. No index
    /// entry is right beyond that.
    pub fn write(&self, blocks: &[Stored]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::at(dir.path());
        for chunk in 0..=blocks.last().unwrap().chunk {
            let in_chunk = blocks.iter().filter(|block| block.chunk == chunk);
            let in_chunk: Vec<Stored> = in_chunk.cloned().collect();
            database.store(chunk, &in_chunk).unwrap();
        }
        dir
    }

    /// An audit of files of these blocks.
    pub fn written(&self, dir: &TempDir) -> Audit<'static> {
        let audit = Audit::new(dir.path()).unwrap();
        audit.network(self.network.clone())
    }
}

pub fn sure<B>(block: B) -> Result<B, Infallible> {
    Ok(block)
}
