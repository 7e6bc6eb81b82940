//! Small chains and forks of them. A fork begins with blocks of the chain, and continues with other blocks
//! that could have been made instead.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use fastrand::Rng;
use klero_cardano::{Era, EraStarts, Hash, KesPeriods, Network, Nonce};
use klero_damage::{Honest, Stored};
use klero_forge::{Entry, ForgeError, Forged, Mutant, Recipe};

use crate::db::Made;

/// The number of forks of each chain.
const FORKS: usize = 10;

/// A valid chain with its files, and forks of it.
pub struct Forked {
    pub name: &'static str,
    pub honest: Honest,
    pub forged: Forged,
    pub blocks: Vec<Stored>,
    pub nonces: BTreeMap<u64, Nonce>,
    pub forks: Vec<Fork>,
    /// The chunk file, primary index and secondary index of each chunk.
    pub files: Vec<[Vec<u8>; 3]>,
    /// The network, as if the first epochs of its eras were not known.
    pub without_starts: Network,
    /// The index of each block in `blocks`, by the hash of the block.
    places: HashMap<Hash<32>, usize>,
}

/// A chain that begins with the blocks of another chain, and is valid if stake is not checked.
pub struct Fork {
    /// The index of the first block that is not in the other chain.
    pub from: usize,
    pub blocks: Vec<Stored>,
    pub nonces: BTreeMap<u64, Nonce>,
}

/// A recipe for about 210 blocks in seven epochs of two chunks. Certificates are renewed every two epochs.
fn recipe(stakes: &[u32]) -> Recipe {
    let eras = [
        (Era::Shelley, 2),
        (Era::Alonzo, 1),
        (Era::Babbage, 2),
        (Era::Conway, 2),
    ];
    Recipe {
        k: 3,
        stakes: stakes.to_vec(),
        extra_entropy: BTreeMap::from([(2, [0x5a; 32])]),
        kes: KesPeriods {
            slots: 10,
            evolutions: 12,
        },
        ..Recipe::of_eras(&eras)
    }
}

impl Forked {
    /// A chain of one pool. Its forks are made by a pool that is not in the stake.
    pub fn of_one_pool() -> Self {
        Self::forge("one pool", &recipe(&[1]), Mutant::UnknownPool)
    }

    /// A chain of many pools. Its forks are made by one of the pools, in slots in which that pool does not
    /// lead.
    pub fn of_many_pools() -> Self {
        Self::forge("many pools", &recipe(&[3, 2, 2, 1, 1, 1]), Mutant::NoLeader)
    }

    fn forge(name: &'static str, recipe: &Recipe, mutant: Mutant) -> Self {
        let made = Made::of(recipe);
        let honest = made.honest();
        let Made {
            dir,
            forged,
            blocks,
        } = made;
        let files = (0..honest.chunks()).map(|chunk| {
            let read = |extension| honest.database.read(chunk, extension).unwrap();
            ["chunk", "primary", "secondary"].map(read)
        });
        let places = blocks.iter().map(|block| block.entry.hash);
        let mut chain = Self {
            name,
            files: files.collect(),
            places: places.zip(0..).collect(),
            without_starts: without_starts(dir.path(), &forged),
            forks: Vec::new(),
            nonces: nonces(&forged),
            honest,
            forged,
            blocks,
        };
        let mut random = Rng::with_seed(5);
        while chain.forks.len() < FORKS {
            let number = chain.begin_of_fork(&mut random);
            let mutants = BTreeMap::from([(number as u64, mutant)]);
            let recipe = Recipe {
                mutants,
                ..recipe.clone()
            };
            // The forge cannot turn every block into this mutant. If it fails, another block is chosen.
            if let Ok(fork) = Fork::forge(&recipe, number) {
                assert_eq!(fork.blocks[..number], chain.blocks[..number]);
                assert_ne!(fork.blocks[number].bytes, chain.blocks[number].bytes);
                chain.forks.push(fork);
            }
        }
        chain
    }

    /// Chooses where the next fork begins: in the window of an epoch, after it, or near the end of the epoch.
    fn begin_of_fork(&self, random: &mut Rng) -> usize {
        let epoch = random.u64(..self.epochs() - 1);
        let blocks = self.of_slots(self.epoch(epoch));
        let window = self.honest.blocks[blocks.clone()].iter();
        let frozen = blocks.start + window.filter(|block| block.in_window).count();
        match self.forks.len() % 3 {
            0 => random.usize(blocks.start..frozen),
            1 => random.usize(frozen..blocks.end),
            _ => random.usize(blocks.end - 2..blocks.end + 2),
        }
    }

    pub fn network(&self) -> &Network {
        &self.honest.network
    }

    /// The number of epochs of the chain.
    pub fn epochs(&self) -> u64 {
        self.forged.epochs.len() as u64
    }

    /// The slots of an epoch of the chain.
    pub fn epoch(&self, number: u64) -> Range<u64> {
        self.network().first_slot(number)..self.network().first_slot(number + 1)
    }

    /// The slots of a chunk.
    pub fn chunk(&self, number: u64) -> Range<u64> {
        let size = self.network().chunk_size();
        number * size..(number + 1) * size
    }

    /// The indexes of the blocks in these slots.
    pub fn of_slots(&self, slots: Range<u64>) -> Range<usize> {
        let before = |slot| self.blocks.partition_point(|block| block.listed < slot);
        before(slots.start)..before(slots.end)
    }

    /// The index of the chain's block with the same hash as this block, even if other bytes differ.
    pub fn place(&self, bytes: &[u8]) -> Option<usize> {
        let hash = Entry::of(bytes).ok()?.hash;
        self.places.get(&hash).copied()
    }

    /// True if these are the bytes of a block of the chain.
    pub fn has(&self, bytes: &[u8]) -> bool {
        let place = self.place(bytes);
        place.is_some_and(|place| self.blocks[place].bytes == bytes)
    }
}

impl Fork {
    fn forge(recipe: &Recipe, from: usize) -> Result<Self, ForgeError> {
        let made = Made::forge(recipe)?;
        Ok(Self {
            from,
            nonces: nonces(&made.forged),
            blocks: made.blocks,
        })
    }

    /// The slot of the first block that is not in the other chain.
    pub fn first_slot(&self) -> u64 {
        self.blocks[self.from].listed
    }
}

fn nonces(forged: &Forged) -> BTreeMap<u64, Nonce> {
    let epochs = forged.epochs.iter();
    epochs
        .map(|epoch| (epoch.epoch, epoch.nonce.unwrap()))
        .collect()
}

/// The network without the starts of its eras, but with the chain's extra entropy and d, which votes set.
fn without_starts(dir: &Path, forged: &Forged) -> Network {
    let genesis = dir.join("shelley-genesis.json");
    let starts = EraStarts::default();
    let mut network = Network::read_shelley_genesis("forged", &genesis, starts).unwrap();
    for epoch in 0..forged.epochs.len() as u64 {
        network.set_extra_entropy(epoch, forged.network.extra_entropy(epoch));
        let d = forged.network.decentralization(epoch).unwrap();
        network.set_decentralization(epoch, d);
    }
    network
}
