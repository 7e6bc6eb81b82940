//! The recipe of a chain to forge.

use std::collections::{BTreeMap, BTreeSet};

use klero_cardano::{Era, KesPeriods};
use klero_leader::ActiveSlots;

use crate::error::ForgeError;
use crate::mutant::Mutant;

/// The maximum number of slots in all epochs of a recipe: about 95 years of mainnet.
pub(crate) const MOST_SLOTS: u64 = 3_000_000_000;

/// A made-up network and its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The seed of everything random.
    pub seed: [u8; 32],
    /// The network magic.
    pub magic: u32,
    /// The security parameter. A Byron epoch and a chunk have 10k slots each; a later epoch has 10k/f slots.
    pub k: u64,
    /// The active slots coefficient, a decimal number below 1. The quotient 10k/f must be whole.
    pub f: ActiveSlots,
    /// The eras and their numbers of epochs, oldest first. Eras may be left out. A chain without Byron begins
    /// with a block 0 that has no hash of a previous header.
    pub eras: Vec<(Era, u64)>,
    /// The stake of each pool, in any unit.
    pub stakes: Vec<u32>,
    /// For each epoch, from the first after Byron on: the percentage of its slots that are not in the lottery
    /// (100·d). Later epochs than the list has, and all epochs from Babbage on, have 0 percent.
    pub overlay_percent: Vec<u32>,
    /// The extra entropy that is added to epoch nonces, by epoch. The epochs must be of Shelley to Alonzo.
    pub extra_entropy: BTreeMap<u64, [u8; 32]>,
    /// The epochs without blocks.
    pub silent: BTreeSet<u64>,
    /// The approximate length in bytes of each body since Shelley. Transactions fill the bodies.
    pub body_bytes: usize,
    /// The periods of KES keys. Makers renew their certificates when the certificates end.
    pub kes: KesPeriods,
    /// The headers of Dijkstra.
    pub dijkstra: DijkstraHeaders,
    /// The faults of blocks to make wrong, by block number. Entries for blocks of Byron have no effect.
    pub mutants: BTreeMap<u64, Mutant>,
}

/// The form of Dijkstra's headers. The final form is not settled yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DijkstraHeaders {
    /// The ten fields of Praos.
    Praos,
    /// The ten fields of Praos and two fields of Leios, as in the ledger's CDDL. Some headers announce
    /// endorser blocks.
    #[default]
    Leios,
}

impl Recipe {
    /// The recipe of the demonstration: about 3,000 blocks and 4,000 proofs from Byron to Conway, with an
    /// overlay at the start and extra entropy once. f is 1/2 so that short epochs have many blocks. KES
    /// periods are short so that keys evolve and certificates are renewed.
    pub fn sample() -> Self {
        Self {
            seed: *b"kleroterion: one lot per citizen",
            magic: 508,
            k: 20,
            f: ActiveSlots::new(1, 2).expect("a half is a coefficient"),
            eras: vec![
                (Era::Byron, 2),
                (Era::Shelley, 3),
                (Era::Allegra, 1),
                (Era::Mary, 1),
                (Era::Alonzo, 2),
                (Era::Babbage, 3),
                (Era::Conway, 3),
            ],
            stakes: vec![3, 2, 1],
            overlay_percent: vec![100, 40],
            extra_entropy: BTreeMap::from([(6, [0x5a; 32])]),
            silent: BTreeSet::new(),
            body_bytes: 0,
            kes: KesPeriods {
                slots: 20,
                evolutions: 62,
            },
            dijkstra: DijkstraHeaders::default(),
            mutants: BTreeMap::new(),
        }
    }

    /// A recipe for about 1,200 blocks of Alonzo, Babbage and Conway. Every certificate ends after 200 slots,
    /// which is half an epoch, and is renewed.
    pub fn of_renewals() -> Self {
        Self {
            eras: vec![(Era::Alonzo, 2), (Era::Babbage, 2), (Era::Conway, 2)],
            overlay_percent: vec![40],
            extra_entropy: BTreeMap::new(),
            kes: KesPeriods {
                slots: 10,
                evolutions: 20,
            },
            ..Self::sample()
        }
    }

    /// A recipe for short epochs of these eras, small enough for a debug build. `eras` has the number of
    /// epochs of each era.
    pub fn of_eras(eras: &[(Era, u64)]) -> Self {
        Self {
            seed: [9; 32],
            k: 5,
            eras: eras.to_vec(),
            overlay_percent: vec![30],
            extra_entropy: BTreeMap::new(),
            ..Self::sample()
        }
    }

    /// A recipe for thirteen short epochs from Byron to Conway, made by [`of_eras`](Self::of_eras).
    pub fn of_byron_to_conway() -> Self {
        Self::of_eras(&[
            (Era::Byron, 2),
            (Era::Shelley, 2),
            (Era::Mary, 1),
            (Era::Alonzo, 2),
            (Era::Babbage, 3),
            (Era::Conway, 3),
        ])
    }

    /// The number of slots in an epoch of Shelley or a later era: 10k/f.
    ///
    /// # Errors
    /// [`ForgeError::Recipe`] if k is 0 or too large, f is 1, or the result is not whole.
    pub fn epoch_length(&self) -> Result<u64, ForgeError> {
        let f = &self.f;
        let slots = 10 * u128::from(self.k) * u128::from(f.denominator());
        let whole = slots % u128::from(f.numerator()) == 0;
        match u64::try_from(slots / u128::from(f.numerator())) {
            Ok(slots @ 1..=MOST_SLOTS) if whole && f.numerator() < f.denominator() => Ok(slots),
            _ => Err(ForgeError::Recipe(format!(
                "k = {} and f = {}: expected f below 1 and 10k/f whole, 1 to {MOST_SLOTS}",
                self.k, self.f
            ))),
        }
    }
}
