//! Chains to audit, and copies of them to damage.

use std::convert::Infallible;
use std::fs;
use std::ops::{Deref, Range};
use std::path::Path;

use klero_audit::Audit;
use klero_cardano::{Block, Era, Network};
use klero_damage::{Database, Honest, Stored};
use klero_forge::{ForgeError, Forged, Recipe, forge};
use tempfile::TempDir;

/// The files and the blocks of a forged chain. The blocks may be wrong.
pub struct Made {
    pub dir: TempDir,
    pub forged: Forged,
    pub blocks: Vec<Stored>,
}

impl Made {
    pub fn of(recipe: &Recipe) -> Self {
        Self::forge(recipe).unwrap()
    }

    pub fn forge(recipe: &Recipe) -> Result<Self, ForgeError> {
        let dir = TempDir::new().unwrap();
        let forged = forge(recipe, dir.path(), |_, _| {})?;
        let database = Database::at(dir.path().join("immutable"));
        let chunks = (0..).take_while(|chunk| database.file(*chunk, "chunk").exists());
        let blocks = chunks.flat_map(|chunk| database.blocks(chunk).unwrap());
        Ok(Self {
            blocks: blocks.collect(),
            dir,
            forged,
        })
    }

    /// Reads the chain with a walk, which must find nothing wrong.
    pub fn honest(&self) -> Honest {
        Honest::read(self.dir.path(), self.forged.network.clone()).unwrap()
    }

    /// An audit of the chain's files.
    pub fn audit(&self) -> Audit<'static> {
        Audit::new(self.dir.path()).unwrap()
    }

    /// An audit of these blocks, in the chain's network.
    pub fn audit_of<'a>(&self, blocks: &'a [Stored]) -> Audit<'a> {
        let blocks = blocks.iter().map(|block| &block.bytes[..]);
        Audit::of_blocks(self.forged.network.clone(), blocks.map(Ok::<_, Infallible>))
    }
}

/// A valid chain, forged or real, as a walk reads it.
pub struct Chain {
    honest: Honest,
    made: Option<Made>,
}

impl Deref for Chain {
    type Target = Honest;

    fn deref(&self) -> &Honest {
        &self.honest
    }
}

impl Chain {
    /// A forged chain.
    pub fn forged(recipe: &Recipe) -> Self {
        let made = Made::of(recipe);
        Self {
            honest: made.honest(),
            made: Some(made),
        }
    }

    /// A chain from Byron to Conway, small enough for a debug build.
    pub fn small() -> Self {
        Self::forged(&Recipe::of_byron_to_conway())
    }

    /// A chain whose bodies have transactions.
    pub fn filled() -> Self {
        Self::forged(&Recipe {
            body_bytes: 10_000,
            ..Recipe::of_eras(&[(Era::Mary, 2), (Era::Conway, 2)])
        })
    }

    /// The first epochs of the preview network, if the files exist and the build is optimized.
    pub fn preview() -> Option<Self> {
        Self::of_preview(|_| Network::preview())
    }

    /// The chain of [`preview`](Self::preview), read as if it belonged to a network without built-in nonces.
    pub fn unknown_network() -> Option<Self> {
        Self::of_preview(|dir| {
            let (genesis, starts) = (dir.join("shelley-genesis.json"), Network::preview());
            let starts = starts.era_starts().clone();
            Network::read_shelley_genesis("unknown", &genesis, starts).unwrap()
        })
    }

    fn of_preview(network: impl Fn(&Path) -> Network) -> Option<Self> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/chain/preview");
        if !dir.is_dir() {
            println!("SKIPPED: no chain in {}", dir.display());
            return None;
        }
        if cfg!(debug_assertions) {
            println!("SKIPPED: 38,944 proofs are for release builds");
            return None;
        }
        Some(Self {
            honest: Honest::read(&dir, network(&dir)).unwrap(),
            made: None,
        })
    }

    /// The genesis file of a forged chain.
    pub fn genesis(&self) -> String {
        let dir = self.made.as_ref().unwrap().dir.path();
        fs::read_to_string(dir.join("shelley-genesis.json")).unwrap()
    }

    /// A copy to damage.
    pub fn copy(&self) -> Copy {
        self.part(0..self.chunks())
    }

    /// A copy without the first chunk.
    pub fn without_beginning(&self) -> Copy {
        self.part(1..self.chunks())
    }

    /// A copy of some chunks.
    pub fn part(&self, chunks: Range<u64>) -> Copy {
        let dir = TempDir::new().unwrap();
        let database = self.honest.copy(dir.path(), chunks).unwrap();
        Copy { database, dir }
    }

    /// A copy in which `change` changes one block. Indexes and links are repaired, but signatures are not. If
    /// `change` empties the block, the block is left out, but the next block still links to it.
    pub fn rewritten(&self, block: &Block, change: impl Fn(&mut Vec<u8>)) -> Copy {
        let dir = TempDir::new().unwrap();
        let database = self.honest.rewrite(dir.path(), |stored, bytes| {
            if (stored.chunk, stored.offset) == (block.chunk, block.offset) {
                change(bytes);
            }
        });
        Copy {
            database: database.unwrap(),
            dir,
        }
    }

    /// An audit of a copy of the chain.
    pub fn audit(&self, copy: &Copy) -> Audit<'static> {
        let audit = Audit::new(copy.dir.path()).unwrap();
        audit.network(self.network.clone())
    }

    pub fn find(&self, like: impl Fn(&Block) -> bool) -> &Block {
        self.honest.find(like).unwrap()
    }

    pub fn after(&self, block: &Block) -> &Block {
        self.honest.after(block).unwrap()
    }
}

/// A copy of a chain, to be damaged.
pub struct Copy {
    database: Database,
    pub dir: TempDir,
}

impl Deref for Copy {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.database
    }
}

impl Copy {
    /// Removes the three files of a chunk.
    pub fn lose(&self, chunk: u64) {
        for extension in ["chunk", "primary", "secondary"] {
            self.remove(chunk, extension).unwrap();
        }
    }

    /// Cuts the files of a chunk after `blocks` blocks, as if a node were writing the chunk. The primary
    /// index ends with the slot of the last remaining block.
    pub fn open_chunk(&self, chain: &Chain, chunk: u64, blocks: usize) {
        let first = chunk * chain.network.chunk_size();
        let last = chain.in_chunk(chunk)[blocks - 1];
        let relative = (last.place.slot - first + 1) as usize;
        for (extension, length) in [
            ("chunk", (last.offset + last.size) as usize),
            ("secondary", blocks * 56),
            ("primary", 1 + 4 * (relative + 2)),
        ] {
            let cut = |bytes: &mut Vec<u8>| bytes.truncate(length);
            self.change(chunk, extension, cut).unwrap();
        }
    }
}
