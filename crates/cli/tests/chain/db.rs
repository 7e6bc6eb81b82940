//! Databases to audit and to damage.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use klero_cardano::{Block, Claims, Era, Event, Immutable, Network, Start, Walk};
use klero_forge::{Entry, ImmutableWriter, Position, Recipe, forge};
use tempfile::TempDir;

/// Bytes of an entry of a secondary index.
const ENTRY: usize = 56;

/// A valid chain, and what is in it.
pub struct Chain {
    pub network: Network,
    /// The node's directory.
    pub dir: PathBuf,
    /// Options that name the network.
    pub options: String,
    pub blocks: Vec<Block>,
    _temporary: Option<TempDir>,
}

impl Chain {
    fn new(network: Network, dir: &Path, options: String, temporary: Option<TempDir>) -> Self {
        let db = Immutable::open(dir).unwrap();
        let walk = Walk::new(&db, network.clone(), Start::Genesis).unwrap();
        let blocks = walk.map(|event| match event {
            Event::Block(block) => *block,
            Event::Finding(finding) => panic!("{finding}"),
        });
        let blocks = blocks.collect();
        Self {
            network,
            dir: dir.to_owned(),
            options,
            blocks,
            _temporary: temporary,
        }
    }

    /// A forged chain.
    pub fn forged(recipe: &Recipe) -> Self {
        let temporary = TempDir::new().unwrap();
        let dir = temporary.path().to_owned();
        let network = forge(recipe, &dir, |_, _| {}).unwrap().network;
        let starts: Vec<String> = Era::ALL[1..]
            .iter()
            .filter_map(|era| Some(format!("{era}={}", network.era_starts().of(*era)?)))
            .collect();
        let mut options = format!(
            "--shelley-genesis {} --era-start {}",
            dir.join("shelley-genesis.json").display(),
            starts.join(",").to_lowercase()
        );
        for (epoch, entropy) in &recipe.extra_entropy {
            let digits: String = entropy.iter().map(|byte| format!("{byte:02x}")).collect();
            options += &format!(" --extra-entropy {epoch}={digits}");
        }
        Self::new(network, &dir, options, Some(temporary))
    }

    /// A chain of every era, small enough for a debug build.
    pub fn small() -> Self {
        Self::forged(&small(&[
            (Era::Byron, 2),
            (Era::Shelley, 2),
            (Era::Mary, 1),
            (Era::Alonzo, 2),
            (Era::Babbage, 3),
            (Era::Conway, 3),
        ]))
    }

    /// A chain whose bodies have transactions.
    pub fn filled() -> Self {
        Self::forged(&Recipe {
            body_bytes: 10_000,
            ..small(&[(Era::Mary, 2), (Era::Conway, 2)])
        })
    }

    /// The first epochs of the preview network, if the files exist and the build is optimized.
    pub fn preview() -> Option<Self> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chain/preview");
        if !dir.is_dir() {
            println!("SKIPPED: no chain in {}", dir.display());
            return None;
        }
        if cfg!(debug_assertions) {
            println!("SKIPPED: 38,944 proofs are for release builds");
            return None;
        }
        let options = "--network preview".to_owned();
        Some(Self::new(Network::preview(), &dir, options, None))
    }

    /// A copy to damage, with the first `chunks` chunks.
    pub fn copy(&self, chunks: u64) -> Db {
        let db = Db {
            dir: TempDir::new().unwrap(),
        };
        fs::create_dir(db.immutable()).unwrap();
        if let Some(magic) = self.network.magic() {
            fs::write(db.dir.path().join("protocolMagicId"), magic.to_string()).unwrap();
        }
        db.add(self, 0..chunks);
        db
    }

    /// A copy without the first chunk.
    pub fn without_beginning(&self) -> Db {
        let db = self.copy(0);
        db.add(self, 1..self.chunks());
        db
    }

    /// The number of chunks.
    pub fn chunks(&self) -> u64 {
        self.blocks.last().unwrap().chunk + 1
    }

    /// The first block in the middle of its chunk that satisfies `like`.
    pub fn find(&self, like: impl Fn(&Block) -> bool) -> &Block {
        let found = self.blocks.windows(5).find(|five| {
            let same = |block: &Block| (block.chunk, block.epoch, block.in_window);
            five.iter().all(|block| same(block) == same(&five[2])) && like(&five[2])
        });
        &found.unwrap()[2]
    }

    pub fn after(&self, block: &Block) -> &Block {
        let at = self
            .blocks
            .iter()
            .position(|other| other.place == block.place);
        &self.blocks[at.unwrap() + 1]
    }

    /// Blocks and proofs of each epoch.
    pub fn epochs(&self) -> BTreeMap<u64, (u64, u64)> {
        let mut epochs: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for block in &self.blocks {
            let (blocks, proofs) = epochs.entry(block.epoch).or_default();
            *blocks += 1;
            *proofs += proofs_of(block);
        }
        epochs
    }

    /// Proofs in the epochs from this one on.
    pub fn proofs_from(&self, epoch: u64) -> u64 {
        self.epochs()
            .range(epoch..)
            .map(|(_, (_, proofs))| proofs)
            .sum()
    }

    /// The same chain with one block changed and everything that names it repaired: index and
    /// links. The signatures are not.
    pub fn rewritten(&self, at: &Block, change: impl FnOnce(&mut Vec<u8>)) -> Db {
        let db = Db {
            dir: TempDir::new().unwrap(),
        };
        let mut writer =
            ImmutableWriter::create(&db.immutable(), self.network.chunk_size()).unwrap();
        let mut change = Some(change);
        let mut renamed: Option<([u8; 32], [u8; 32])> = None;
        for block in &self.blocks {
            let mut bytes = self.bytes(block);
            let before = Entry::of(&bytes).unwrap().hash;
            if block.place == at.place {
                change.take().unwrap()(&mut bytes);
            }
            if let Some((old, new)) = renamed {
                replace(&mut bytes, &old, &new);
            }
            let position = match block.place.boundary {
                true => Position::Boundary(block.epoch),
                false => Position::Slot(block.place.slot),
            };
            let after = writer.append(position, &bytes).unwrap().hash;
            renamed = (after != before).then_some((*before, *after));
        }
        writer.finish().unwrap();
        db
    }

    pub fn bytes(&self, block: &Block) -> Vec<u8> {
        let chunk = self.dir.join(format!("immutable/{:05}.chunk", block.chunk));
        let chunk = fs::read(chunk).unwrap();
        chunk[block.offset as usize..(block.offset + block.size) as usize].to_vec()
    }
}

/// A recipe with short epochs.
pub fn small(eras: &[(Era, u64)]) -> Recipe {
    Recipe {
        seed: [9; 32],
        k: 5,
        eras: eras.to_vec(),
        overlay_percent: vec![30],
        extra_entropy: BTreeMap::new(),
        ..Recipe::sample()
    }
}

pub fn proofs_of(block: &Block) -> u64 {
    match &block.claims {
        Claims::Made(claims) => claims.len() as u64,
        _ => 0,
    }
}

/// What is repaired in the index after a block was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repair {
    Nothing,
    Crc,
    CrcAndHash,
}

/// A copy of a chain. Its files are links until they are changed.
pub struct Db {
    pub dir: TempDir,
}

impl Db {
    pub fn immutable(&self) -> PathBuf {
        self.dir.path().join("immutable")
    }

    pub fn file(&self, chunk: u64, extension: &str) -> PathBuf {
        self.immutable().join(format!("{chunk:05}.{extension}"))
    }

    /// Adds chunks of a chain, over those that are there.
    pub fn add(&self, chain: &Chain, chunks: Range<u64>) {
        for chunk in chunks {
            for extension in ["chunk", "primary", "secondary"] {
                let to = self.file(chunk, extension);
                let from = chain.dir.join("immutable").join(to.file_name().unwrap());
                let _ = fs::remove_file(&to);
                symlink(fs::canonicalize(from).unwrap(), to).unwrap();
            }
        }
    }

    pub fn read(&self, chunk: u64, extension: &str) -> Vec<u8> {
        fs::read(self.file(chunk, extension)).unwrap()
    }

    pub fn write(&self, chunk: u64, extension: &str, bytes: &[u8]) {
        self.remove(chunk, extension);
        fs::write(self.file(chunk, extension), bytes).unwrap();
    }

    pub fn remove(&self, chunk: u64, extension: &str) {
        fs::remove_file(self.file(chunk, extension)).unwrap();
    }

    pub fn change(&self, chunk: u64, extension: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = self.read(chunk, extension);
        change(&mut bytes);
        self.write(chunk, extension, &bytes);
    }

    /// Changes the bytes of a block, and repairs its index entry as `repair` says.
    pub fn change_block(&self, block: &Block, repair: Repair, change: impl FnOnce(&mut [u8])) {
        let range = block.offset as usize..(block.offset + block.size) as usize;
        let mut new = None;
        self.change(block.chunk, "chunk", |chunk| {
            let bytes = &mut chunk[range];
            change(bytes);
            new = Some(Entry::of(bytes).unwrap());
        });
        let new = new.unwrap();
        if repair == Repair::Nothing {
            return;
        }
        self.change(block.chunk, "secondary", |secondary| {
            let entry = secondary
                .chunks_exact_mut(ENTRY)
                .find(|entry| entry[..8] == block.offset.to_be_bytes())
                .unwrap();
            entry[12..16].copy_from_slice(&new.crc.to_be_bytes());
            if repair == Repair::CrcAndHash {
                entry[16..48].copy_from_slice(&*new.hash);
            }
        });
    }

    /// Swaps the index entries of two blocks that were swapped, the first with the second.
    pub fn swap_entries(&self, a: &Block, b: &Block) {
        self.change(a.chunk, "secondary", |secondary| {
            let at = secondary
                .chunks_exact(ENTRY)
                .position(|entry| entry[..8] == a.offset.to_be_bytes());
            let at = at.unwrap() * ENTRY;
            secondary[at..at + 2 * ENTRY].rotate_left(ENTRY);
            secondary[at..at + 8].copy_from_slice(&a.offset.to_be_bytes());
            let second = a.offset + b.size;
            secondary[at + ENTRY..at + ENTRY + 8].copy_from_slice(&second.to_be_bytes());
        });
    }

    /// Cuts a chunk as it is while a node writes it: it has `blocks` blocks, and its primary
    /// index ends with the last.
    pub fn open_chunk(&self, chain: &Chain, chunk: u64, blocks: usize) {
        let first = chunk * chain.network.chunk_size();
        let mut in_chunk = chain.blocks.iter().filter(|block| block.chunk == chunk);
        let last = in_chunk.nth(blocks - 1).unwrap();
        let relative = (last.place.slot - first + 1) as usize;
        for (extension, length) in [
            ("chunk", (last.offset + last.size) as usize),
            ("secondary", blocks * ENTRY),
            ("primary", 1 + 4 * (relative + 2)),
        ] {
            self.change(chunk, extension, |bytes| bytes.truncate(length));
        }
    }
}

/// Replaces the first occurrence, which must be there.
pub fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes.windows(old.len()).position(|window| window == old);
    let at = at.unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// Flips a bit of a claim's proof.
pub fn flip_proof(block: &Block, claim: usize) -> impl FnOnce(&mut [u8]) {
    let Claims::Made(claims) = &block.claims else {
        panic!("no claims")
    };
    let old = claims[claim].proof;
    let mut new = old;
    new[70] ^= 1;
    move |bytes| replace(bytes, &old, &new)
}

/// Flips a bit of a claim's output.
pub fn flip_output(block: &Block, claim: usize) -> impl FnOnce(&mut [u8]) {
    let Claims::Made(claims) = &block.claims else {
        panic!("no claims")
    };
    let old = claims[claim].output;
    let mut new = old;
    new[50] ^= 4;
    move |bytes| replace(bytes, &old, &new)
}

/// Flips the last bit of the slot, which follows the block number in the header.
pub fn flip_slot(block: &Block) -> impl FnOnce(&mut [u8]) {
    let (number, slot) = (block.place.number, block.place.slot);
    move |bytes| {
        let before = [cbor(number), cbor(slot)].concat();
        let after = [cbor(number), cbor(slot ^ 1)].concat();
        replace(bytes, &before, &after);
    }
}

/// Flips a bit of the KES signature, which ends the header.
pub fn flip_kes(_block: &Block) -> impl FnOnce(&mut [u8]) {
    |bytes| {
        let entry = Entry::of(bytes).unwrap();
        let end = usize::from(entry.header_offset + entry.header_size);
        bytes[end - 200] ^= 16;
    }
}

/// Flips a bit after the header that leaves the shape of the CBOR.
pub fn flip_body(_block: &Block) -> impl FnOnce(&mut [u8]) {
    |bytes| {
        let entry = Entry::of(bytes).unwrap();
        let end = usize::from(entry.header_offset + entry.header_size);
        // Empty bodies are an empty array or map: the first becomes the other.
        bytes[end] ^= 0x20;
    }
}

/// An unsigned number in CBOR.
fn cbor(n: u64) -> Vec<u8> {
    match n {
        0..=23 => vec![n as u8],
        24..=0xff => vec![0x18, n as u8],
        0x100..=0xffff => [&[0x19][..], &(n as u16).to_be_bytes()].concat(),
        _ => [&[0x1a][..], &(n as u32).to_be_bytes()].concat(),
    }
}
