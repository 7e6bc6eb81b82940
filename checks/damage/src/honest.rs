//! A valid chain that was read, to take blocks from and to make damaged copies of.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::{Result, bail};
use klero_cardano::{Block, Event, Immutable, Network, Start, Walk};

use crate::database::{Database, Extent, Stored};

/// A valid chain: its files, and its blocks as a walk returns them.
#[derive(Clone, Debug)]
pub struct Honest {
    /// Its network.
    pub network: Network,
    /// Its files.
    pub database: Database,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

impl Honest {
    /// Reads a chain from a node's directory, or from the directory of the chunk files. Nothing may be wrong
    /// with it.
    pub fn read(dir: &Path, network: Network) -> Result<Self> {
        let db = Immutable::open(dir)?;
        let walk = Walk::new(&db, network.clone(), Start::Genesis)?;
        let blocks = walk.map(|event| match event {
            Event::Block(block) => Ok(*block),
            Event::Finding(finding) => bail!("the chain is not valid: {finding}"),
        });
        Ok(Self {
            network,
            database: Database::at(db.dir()),
            blocks: blocks.collect::<Result<_>>()?,
        })
    }

    /// The number of chunks.
    pub fn chunks(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.chunk + 1)
    }

    /// The first block in the middle of its chunk that satisfies `like`: the two before and the two
    /// after it are of the same chunk and epoch, and on the same side of the slot from which on the
    /// candidate nonce stays.
    pub fn find(&self, like: impl Fn(&Block) -> bool) -> Option<&Block> {
        let found = self.blocks.windows(5).find(|five| {
            let same = |block: &Block| (block.chunk, block.epoch, block.in_window);
            five.iter().all(|block| same(block) == same(&five[2])) && like(&five[2])
        });
        found.map(|five| &five[2])
    }

    /// The blocks of a chunk.
    pub fn in_chunk(&self, chunk: u64) -> Vec<&Block> {
        let blocks = self.blocks.iter();
        blocks.filter(|block| block.chunk == chunk).collect()
    }

    /// The block after a block of the chain.
    pub fn after(&self, block: &Block) -> Option<&Block> {
        let mut blocks = self.blocks.iter();
        blocks.find(|other| other.place == block.place)?;
        blocks.next()
    }

    /// Blocks and proofs of each epoch.
    pub fn epochs(&self) -> BTreeMap<u64, (u64, u64)> {
        let mut epochs: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for block in &self.blocks {
            let (blocks, proofs) = epochs.entry(block.epoch).or_default();
            *blocks += 1;
            *proofs += block.claims.len() as u64;
        }
        epochs
    }

    /// Proofs in the epochs from this one on.
    pub fn proofs_from(&self, epoch: u64) -> u64 {
        let epochs = self.epochs();
        epochs.range(epoch..).map(|(_, (_, proofs))| proofs).sum()
    }

    /// A copy of some chunks in another directory, to be damaged.
    pub fn copy(&self, to: &Path, chunks: Range<u64>) -> Result<Database> {
        let copy = Database::create(to)?;
        copy.link(&self.database, chunks)?;
        Ok(copy)
    }

    /// The same chain in another directory, with blocks changed and repaired as by
    /// [`Database::rewrite`].
    pub fn rewrite(
        &self,
        to: &Path,
        change: impl FnMut(&Stored, &mut Vec<u8>),
    ) -> Result<Database> {
        let slots = self.network.chunk_size();
        self.database.rewrite(0..self.chunks(), slots, to, change)
    }

    /// The bytes of one of its blocks.
    pub fn bytes(&self, block: &Block) -> Result<Vec<u8>> {
        let blocks = self.database.blocks(block.chunk)?;
        let found = blocks
            .into_iter()
            .find(|other| other.offset == block.offset);
        let found = found.map(|block| block.bytes);
        found.ok_or_else(|| Extent::from(block).missing())
    }
}
