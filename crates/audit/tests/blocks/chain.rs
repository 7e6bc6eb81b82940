//! A forged chain: its blocks, and files of them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;

use klero_audit::Audit;
use klero_cardano::{Hash, Network};
use klero_forge::{Forged, Recipe, forge};
use tempfile::TempDir;

/// Bytes of an entry of the secondary index.
const ENTRY: usize = 56;

/// A forged chain: its files, and its blocks.
pub struct Chain {
    pub dir: TempDir,
    /// As its files say.
    pub network: Network,
    pub forged: Forged,
    pub blocks: Vec<Stored>,
}

/// A block, the number of its chunk, and its entry in the index.
#[derive(Clone)]
pub struct Stored {
    pub chunk: u64,
    entry: [u8; ENTRY],
    pub bytes: Vec<u8>,
}

impl Stored {
    pub fn hash(&self) -> Hash<32> {
        Hash::from(&self.entry[16..48])
    }

    pub fn slot(&self) -> u64 {
        u64::from_be_bytes(self.entry[48..].try_into().unwrap())
    }
}

impl Chain {
    pub fn of(recipe: &Recipe) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let forged = forge(recipe, dir.path(), |_, _| {}).unwrap();
        let mut blocks = Vec::new();
        for chunk in 0.. {
            let file = |extension: &str| {
                let name = format!("immutable/{chunk:05}.{extension}");
                fs::read(dir.path().join(name))
            };
            let (Ok(bytes), Ok(index)) = (file("chunk"), file("secondary")) else {
                break;
            };
            let entries = index.as_chunks::<ENTRY>().0;
            let start =
                |entry: &[u8; ENTRY]| u64::from_be_bytes(entry[..8].try_into().unwrap()) as usize;
            let ends = entries.iter().skip(1).map(start).chain([bytes.len()]);
            blocks.extend(entries.iter().zip(ends).map(|(entry, end)| Stored {
                chunk,
                entry: *entry,
                bytes: bytes[start(entry)..end].to_vec(),
            }));
        }
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
        let mut files: BTreeMap<u64, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
        for chunk in 0..=blocks.last().unwrap().chunk {
            files.entry(chunk).or_default();
        }
        for block in blocks {
            let (chunk, index) = files.get_mut(&block.chunk).unwrap();
            let mut entry = block.entry;
            entry[..8].copy_from_slice(&(chunk.len() as u64).to_be_bytes());
            entry[12..16].copy_from_slice(&crc32fast::hash(&block.bytes).to_be_bytes());
            index.extend(entry);
            chunk.extend(&block.bytes);
        }
        for (number, (chunk, index)) in files {
            fs::write(dir.path().join(format!("{number:05}.chunk")), chunk).unwrap();
            fs::write(dir.path().join(format!("{number:05}.secondary")), index).unwrap();
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
