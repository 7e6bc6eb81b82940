//! Kinds of damage to a database.

use std::ops::Range;

use fastrand::Rng;
use klero_damage::{Database, Flip, Repair, Stored};
use klero_forge::Entry;

use crate::promises::forked::{Fork, Forked};

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// Blocks or chunks are lost.
    Drop,
    /// Blocks or chunks have exchanged their places.
    Swap,
    /// Blocks are repeated.
    Copy,
    /// Blocks of a fork are inserted between blocks of the chain.
    Insert,
    /// The end of an epoch or of the chain comes from a fork, or chunks come from forks.
    Fork,
    /// Tags of eras are altered.
    Tag,
    /// A chunk ends within a block.
    Cut,
    /// Bits are flipped.
    Bits,
    /// Two of the other kinds.
    Pair,
}

impl Damage {
    pub const ALL: [Self; 9] = [
        Self::Drop,
        Self::Swap,
        Self::Copy,
        Self::Insert,
        Self::Fork,
        Self::Tag,
        Self::Cut,
        Self::Bits,
        Self::Pair,
    ];

    /// Damages the blocks of a chain, which stay sorted by chunk.
    pub fn apply(self, chain: &Forked, blocks: &mut Vec<Stored>, random: &mut Rng) {
        if blocks.is_empty() {
            return;
        }
        match self {
            Self::Drop => drop_some(blocks, random),
            Self::Swap => swap(blocks, random),
            Self::Copy => copy(blocks, random),
            Self::Insert => insert(chain, blocks, random),
            Self::Fork => fork(chain, blocks, random),
            Self::Tag => tag(chain, blocks, random),
            Self::Cut => cut(blocks, random),
            Self::Bits => bits(chain, blocks, random),
            Self::Pair => {
                let others = Self::ALL.len() - 1;
                for _ in 0..2 {
                    Self::ALL[random.usize(..others)].apply(chain, blocks, random);
                }
            }
        }
        blocks.sort_by_key(|block| block.chunk);
    }
}

/// A random range of up to 40 successive blocks. `blocks` is the number of all blocks.
fn row(random: &mut Rng, blocks: usize) -> Range<usize> {
    let most = [1, 5, 40][random.usize(..3)];
    let start = random.usize(..blocks);
    start..blocks.min(start + random.usize(1..=most))
}

fn drop_some(blocks: &mut Vec<Stored>, random: &mut Rng) {
    let row = row(random, blocks.len());
    match random.u8(..4) {
        0 => {
            let first = blocks[row.start].chunk;
            let chunks = first..first + random.u64(1..4);
            blocks.retain(|block| !chunks.contains(&block.chunk));
        }
        1 => blocks.truncate(row.start),
        _ => drop(blocks.drain(row)),
    }
}

fn swap(blocks: &mut [Stored], random: &mut Rng) {
    let (one, two) = (row(random, blocks.len()), row(random, blocks.len()));
    let (chunk, other) = (blocks[one.start].chunk, blocks[two.start].chunk);
    match random.u8(..3) {
        0 => {
            for block in blocks {
                match block.chunk {
                    of if of == chunk => block.chunk = other,
                    of if of == other => block.chunk = chunk,
                    _ => {}
                }
            }
        }
        1 => one.zip(two).for_each(|(a, b)| exchange(blocks, a, b)),
        _ => exchange(blocks, one.start, (one.start + 1).min(blocks.len() - 1)),
    }
}

/// Exchanges two blocks. Each goes into the chunk of the other.
fn exchange(blocks: &mut [Stored], a: usize, b: usize) {
    let chunks = (blocks[a].chunk, blocks[b].chunk);
    blocks.swap(a, b);
    (blocks[a].chunk, blocks[b].chunk) = chunks;
}

fn copy(blocks: &mut Vec<Stored>, random: &mut Rng) {
    let row = row(random, blocks.len());
    let at = match random.bool() {
        true => row.end,
        false => random.usize(..=blocks.len()),
    };
    put(blocks, at, blocks[row].to_vec());
}

/// Inserts blocks before the block at `at`. Their chunk numbers are moved into the range from that of the
/// block before them to that of the block after them.
fn put(blocks: &mut Vec<Stored>, at: usize, mut row: Vec<Stored>) {
    let after = blocks.get(at).or(blocks.last());
    let after = after.map_or(0, |block| block.chunk);
    let before = blocks[..at].last().map_or(after, |block| block.chunk);
    for block in &mut row {
        block.chunk = block.chunk.min(after).max(before);
    }
    blocks.splice(at..at, row);
}

/// Inserts blocks of a fork, most often after the block to which they link. Sometimes they also replace the
/// chain's blocks up to the slot of the last inserted block.
fn insert(chain: &Forked, blocks: &mut Vec<Stored>, random: &mut Rng) {
    let fork = &chain.forks[random.usize(..chain.forks.len())];
    let mut new = fork.blocks[fork.from..].to_vec();
    let at = match random.u8(..3) {
        0 => {
            new = new[row(random, new.len())].to_vec();
            random.usize(..=blocks.len())
        }
        _ => {
            new.truncate(random.usize(1..70));
            fork.from.min(blocks.len())
        }
    };
    if random.bool() {
        let last = new[new.len() - 1].listed;
        let passed = blocks[at..].iter().take_while(|block| block.listed <= last);
        let passed = passed.count();
        blocks.drain(at..at + passed);
    }
    put(blocks, at, new);
}

/// Replaces the blocks in these slots by the fork's blocks in the same slots.
pub fn graft(blocks: &mut Vec<Stored>, fork: &Fork, slots: Range<u64>) {
    let inside = |block: &Stored| slots.contains(&block.listed);
    let at = blocks.iter().position(|block| block.listed >= slots.start);
    let new = fork.blocks.iter().filter(|block| inside(block)).cloned();
    let at = at.unwrap_or(blocks.len());
    blocks.retain(|block| !inside(block));
    let at = at.min(blocks.len());
    blocks.splice(at..at, new);
}

fn fork(chain: &Forked, blocks: &mut Vec<Stored>, random: &mut Rng) {
    let [fork, other] = [(); 2].map(|()| &chain.forks[random.usize(..chain.forks.len())]);
    if random.u8(..4) == 0 {
        for chunk in 0..chain.files.len() as u64 {
            match random.u8(..4) {
                0 => graft(blocks, fork, chain.chunk(chunk)),
                1 => graft(blocks, other, chain.chunk(chunk)),
                _ => {}
            }
        }
        return;
    }
    let first = chain.network().epoch(fork.first_slot());
    let mut slots = chain.epoch(random.u64(first..chain.epochs()));
    slots.start = match random.bool() {
        true => slots.start.max(fork.first_slot()),
        false => random.u64(slots.clone()),
    };
    if random.u8(..5) == 0 {
        slots.end = u64::MAX;
    }
    graft(blocks, fork, slots);
}

/// Alters the tags of some blocks, or of all blocks in an epoch. The new tag is most often of the same
/// protocol.
fn tag(chain: &Forked, blocks: &mut [Stored], random: &mut Rng) {
    let row = row(random, blocks.len());
    let epoch = |block: &Stored| chain.network().epoch(block.listed);
    let of_epoch = random.bool().then(|| epoch(&blocks[row.start]));
    let by = random.u8(1..4);
    let any = random.u8(..8) == 0;
    for (at, block) in blocks.iter_mut().enumerate() {
        let is_one = of_epoch.map_or(row.contains(&at), |of| epoch(block) == of);
        if let (true, Some(tag)) = (is_one, block.bytes.get_mut(1)) {
            *tag = match *tag {
                tag if any => tag ^ by,
                tag @ 2..=5 => 2 + (tag - 2 + by) % 4,
                tag => tag ^ 1,
            };
        }
    }
}

fn cut(blocks: &mut Vec<Stored>, random: &mut Rng) {
    let at = random.usize(..blocks.len());
    let chunk = blocks[at].chunk;
    let length = random.usize(1..=blocks[at].bytes.len());
    blocks[at].bytes.truncate(length);
    let of_chunk = blocks.iter().rposition(|block| block.chunk == chunk);
    let end = match random.bool() {
        true => blocks.len(),
        false => of_chunk.unwrap_or(at) + 1,
    };
    blocks.drain(at + 1..end);
}

fn bits(chain: &Forked, blocks: &mut [Stored], random: &mut Rng) {
    let flips = [
        Flip::Proof(0),
        Flip::Proof(1),
        Flip::Output(0),
        Flip::Output(1),
        Flip::Slot,
        Flip::Kes,
        Flip::Body,
    ];
    for _ in 0..random.u8(1..4) {
        // This often chooses the last block, to which no other block links.
        let first = if random.u8(..4) == 0 {
            blocks.len() - 1
        } else {
            0
        };
        let at = random.usize(first..blocks.len());
        let bytes = &mut blocks[at].bytes;
        let block = chain.place(bytes).map(|place| &chain.honest.blocks[place]);
        let flip = flips[random.usize(..flips.len())];
        if random.bool() && block.is_some_and(|block| flip.apply(block, bytes).is_ok()) {
            continue;
        }
        // Random bits rarely hit the VRF key, so it is sometimes chosen on purpose.
        let key = block.and_then(|block| Some(block.lottery.as_ref()?.vrf_key));
        let key = key.and_then(|key| bytes.windows(32).position(|window| window == key));
        let key = key.filter(|_| random.u8(..3) == 0);
        let byte = key.unwrap_or_else(|| random.usize(..bytes.len()));
        bytes[byte] ^= 1 << random.u8(..8);
    }
}

/// The indexes of a damaged database.
#[derive(Clone, Copy, Debug)]
pub struct Indexes {
    /// The repair of the secondary indexes of altered chunks; `None` if all indexes are removed.
    pub repair: Option<Repair>,
    /// True if altered chunks keep their primary indexes. Otherwise they have none.
    pub primary: bool,
}

impl Indexes {
    pub fn random(random: &mut Rng) -> Self {
        let repair = match random.u8(..6) {
            0 => None,
            1 => Some(Repair::Nothing),
            2 => Some(Repair::Crc),
            _ => Some(Repair::CrcAndHash),
        };
        Self {
            repair,
            primary: random.bool(),
        }
    }

    /// Writes these blocks as the files of a database. Files that are already right are not written again,
    /// because making thousands of files takes longer than auditing them.
    pub fn write(self, chain: &Forked, database: &Database, blocks: &[Stored]) {
        for (chunk, [original, primary, secondary]) in (0..).zip(&chain.files) {
            let of_chunk = blocks.iter().filter(|block| block.chunk == chunk);
            let blocks: Vec<Stored> = of_chunk.cloned().collect();
            let bytes: Vec<u8> = blocks
                .iter()
                .flat_map(|block| block.bytes.clone())
                .collect();
            let is_altered = bytes != *original;
            let has_indexes = self.repair.is_some() && !blocks.is_empty();
            let has_primary = has_indexes && (self.primary || !is_altered);
            put_file(database, chunk, "primary", has_primary.then_some(primary));
            match self.repair {
                _ if !has_indexes || !is_altered => {
                    put_file(
                        database,
                        chunk,
                        "secondary",
                        has_indexes.then_some(secondary),
                    );
                }
                Some(Repair::Crc) => database.store(chunk, &blocks).unwrap(),
                Some(Repair::CrcAndHash) => {
                    database.store(chunk, &whole(&blocks)).unwrap();
                }
                _ => put_file(database, chunk, "secondary", Some(secondary)),
            }
            let is_there = !blocks.is_empty();
            put_file(database, chunk, "chunk", is_there.then_some(&bytes));
        }
    }
}

/// Writes a file with these bytes. Removes the file if `bytes` is `None`.
fn put_file(database: &Database, chunk: u64, extension: &str, bytes: Option<&Vec<u8>>) {
    let before = database.read(chunk, extension).ok();
    match bytes {
        _ if before.as_ref() == bytes => {}
        Some(bytes) => database.write(chunk, extension, bytes).unwrap(),
        None => database.remove(chunk, extension).unwrap(),
    }
}

/// The blocks that are complete, with right index entries.
fn whole(blocks: &[Stored]) -> Vec<Stored> {
    let whole = blocks.iter().filter_map(|block| {
        Some(Stored {
            entry: Entry::of(&block.bytes).ok()?,
            ..block.clone()
        })
    });
    whole.collect()
}
