//! The fixed facts of a network: where epochs and eras begin, how blocks are spread, who its
//! first block makers are.
//!
//! They come from the Shelley genesis file, whose hash is also the first nonce; the eras' first
//! epochs are not in any file of the node and are given beside it. The three public networks
//! are built in.

mod genesis;
mod local;
mod public;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use klero_files::ReadError;
use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::era::Era;
use crate::leader::{ActiveSlots, NotAFraction};
use crate::nonce::Nonce;

pub(crate) use public::{built_ins, read_magic};

/// Upper bound for k, the epoch length and era starts: far above any network, and low enough
/// that no sum of slots overflows.
const LIMIT: u64 = 1 << 28;

/// The first epochs of the eras, and the one number of the Byron genesis that matters here.
///
/// An era that is not named is not checked; two eras with the same start mean that the earlier
/// one never was.
///
/// ```
/// use klero_cardano::EraStarts;
/// // A network that was born in Conway.
/// let starts = EraStarts { conway: Some(0), ..EraStarts::default() };
/// assert_eq!(starts.shelley, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EraStarts {
    /// First epoch that is not Byron: 0 for a network without Byron blocks.
    pub shelley: u64,
    /// First epoch of Allegra.
    pub allegra: Option<u64>,
    /// First epoch of Mary.
    pub mary: Option<u64>,
    /// First epoch of Alonzo.
    pub alonzo: Option<u64>,
    /// First epoch of Babbage.
    pub babbage: Option<u64>,
    /// First epoch of Conway.
    pub conway: Option<u64>,
    /// The security parameter of the Byron genesis, where it differs from Shelley's. Ten times
    /// this is the length of a Byron epoch and of a chunk file, in slots.
    pub byron_k: Option<u64>,
}

/// A Cardano network.
///
/// ```
/// use klero_cardano::{Era, Network};
/// let mainnet = Network::mainnet();
/// assert_eq!(mainnet.epoch(4_492_800), 208);
/// assert_eq!(mainnet.first_slot(365), 72_316_800);
/// assert_eq!(mainnet.window(Era::Babbage), 129_600);
/// assert_eq!(mainnet.window(Era::Conway), 172_800);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    name: String,
    genesis: Hash<32>,
    magic: Option<u32>,
    k: u64,
    f: ActiveSlots,
    epoch_length: u64,
    byron_epoch_length: u64,
    starts: EraStarts,
    extra_entropy: BTreeMap<u64, Nonce>,
    delegates: Option<BTreeSet<Hash<28>>>,
}

/// Why a network could not be made or recognised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The genesis file is not JSON of the expected form.
    #[error("Shelley genesis: {0}")]
    Json(serde_json::Error),
    /// `activeSlotsCoeff` is out of its range.
    #[error("Shelley genesis: {0}")]
    Coefficient(#[from] NotAFraction),
    /// A number is out of its range.
    #[error("{name} is {value}, expected {least} to {LIMIT}")]
    Range {
        /// The number's name.
        name: &'static str,
        /// What it is.
        value: u64,
        /// The least it may be.
        least: u64,
    },
    /// A genesis delegate is not a 28-byte hash.
    #[error("Shelley genesis: delegate {0:?} is not 56 hexadecimal digits")]
    Delegate(String),
    /// An era begins before the one it follows.
    #[error("{era} is said to begin in epoch {start}, before {before} in epoch {before_start}")]
    Order {
        /// The era.
        era: Era,
        /// Its first epoch.
        start: u64,
        /// The era before it.
        before: Era,
        /// The first epoch of that.
        before_start: u64,
    },
    /// A file that describes a network cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file that describes a network cannot be used.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<NetworkError>,
    },
    /// The file that `klero chain demo` writes beside a genesis file is not of its form.
    #[error("not the eras' first epochs and the extra entropy: {0}")]
    Description(serde_json::Error),
    /// The file that should say which network a database is of cannot be read.
    #[error("cannot tell the network: {0}")]
    Magic(ReadError),
    /// No file says which network a database is of.
    #[error(
        "cannot tell the network: there is no protocolMagicId or shelley-genesis.json in or \
         beside {}",
        dir.display()
    )]
    Unknown {
        /// The directory of the database.
        dir: PathBuf,
    },
    /// The file that should say which network a database is of says something else.
    #[error("cannot tell the network: {}: {found:?} is not a network magic", path.display())]
    NotAMagic {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// The node's directory is of a network that is not built in.
    #[error(
        "{} says network magic {magic}, which is not built in: give its Shelley genesis file",
        path.display()
    )]
    UnknownMagic {
        /// The file that says it.
        path: PathBuf,
        /// The magic.
        magic: u32,
    },
}

impl NetworkError {
    /// Whether there is no file that says which network a database is of.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, NetworkError::Magic(error) if error.is_not_found())
    }
}

impl Network {
    /// Adds the extra entropy that the chain's own votes put on `epoch`'s nonce.
    pub fn set_extra_entropy(&mut self, epoch: u64, extra: Nonce) {
        self.extra_entropy.insert(epoch, extra);
    }

    /// The name it was made with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// BLAKE2b-256 of the Shelley genesis file: identifies the network, and is its first nonce.
    pub fn genesis_hash(&self) -> Hash<32> {
        self.genesis
    }

    /// The network magic, where the genesis file names it.
    pub fn magic(&self) -> Option<u32> {
        self.magic
    }

    /// The security parameter k of Shelley: blocks after which the chain is settled.
    pub fn security_param(&self) -> u64 {
        self.k
    }

    /// The active slots coefficient f.
    pub fn active_slots(&self) -> ActiveSlots {
        self.f
    }

    /// Slots of an epoch since Shelley.
    pub fn epoch_length(&self) -> u64 {
        self.epoch_length
    }

    /// Slots of a Byron epoch.
    pub fn byron_epoch_length(&self) -> u64 {
        self.byron_epoch_length
    }

    /// Slots of a chunk file.
    pub fn chunk_size(&self) -> u64 {
        self.byron_epoch_length
    }

    /// The first epochs of the eras, as far as they are known.
    pub fn era_starts(&self) -> &EraStarts {
        &self.starts
    }

    /// First slot of the first epoch that is not Byron.
    pub fn shelley_slot(&self) -> u64 {
        self.starts.shelley * self.byron_epoch_length
    }

    /// The extra entropy of an epoch: neutral but for rare votes.
    pub fn extra_entropy(&self, epoch: u64) -> Nonce {
        self.extra_entropy
            .get(&epoch)
            .copied()
            .unwrap_or(Nonce::Neutral)
    }

    /// Hashes (BLAKE2b-224) of the keys of the genesis delegates, who made blocks in overlay
    /// slots before Babbage without any lottery. `None` when the genesis file names none.
    ///
    /// The chain can replace a delegate by a certificate; this is the list of the beginning.
    pub fn delegates(&self) -> Option<&BTreeSet<Hash<28>>> {
        self.delegates.as_ref()
    }

    /// The epoch of a slot.
    pub fn epoch(&self, slot: u64) -> u64 {
        match slot.checked_sub(self.shelley_slot()) {
            Some(since) => self.starts.shelley + since / self.epoch_length,
            None => slot / self.byron_epoch_length,
        }
    }

    /// The first slot of an epoch (`u64::MAX` where it would be beyond).
    pub fn first_slot(&self, epoch: u64) -> u64 {
        match epoch.checked_sub(self.starts.shelley) {
            Some(since) => since
                .saturating_mul(self.epoch_length)
                .saturating_add(self.shelley_slot()),
            None => epoch.saturating_mul(self.byron_epoch_length),
        }
    }

    /// The stability window of an era in slots, 3k/f or 4k/f rounded up: how long before the
    /// end of an epoch its candidate nonce is frozen.
    pub fn window(&self, era: Era) -> u64 {
        let slots =
            u128::from(era.stability_multiple() * self.k) * u128::from(self.f.denominator());
        slots
            .div_ceil(u128::from(self.f.numerator()))
            .try_into()
            .unwrap_or(u64::MAX)
    }

    /// Whether a block of `era` at `slot` still moves the candidate nonce.
    ///
    /// ```
    /// use klero_cardano::{Era, Network};
    /// let preview = Network::preview();
    /// assert!(preview.feeds_candidate(Era::Alonzo, 86_400 - 25_920 - 1));
    /// assert!(!preview.feeds_candidate(Era::Alonzo, 86_400 - 25_920));
    /// ```
    pub fn feeds_candidate(&self, era: Era, slot: u64) -> bool {
        let next = self.first_slot(self.epoch(slot).saturating_add(1));
        slot.saturating_add(self.window(era)) < next
    }

    /// Whether a block of `era` may stand in `epoch`, as far as the eras' starts are known.
    pub fn admits(&self, era: Era, epoch: u64) -> bool {
        Era::ALL
            .into_iter()
            .all(|other| match self.starts.of(other) {
                Some(start) if other > era => epoch < start,
                Some(start) if other == era => epoch >= start,
                _ => true,
            })
    }
}

impl EraStarts {
    /// The first epoch of an era, where it is known.
    pub fn of(&self, era: Era) -> Option<u64> {
        match era {
            Era::Byron => Some(0),
            Era::Shelley => Some(self.shelley),
            Era::Allegra => self.allegra,
            Era::Mary => self.mary,
            Era::Alonzo => self.alonzo,
            Era::Babbage => self.babbage,
            Era::Conway => self.conway,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn custom(json: &str, starts: EraStarts) -> Result<Network, NetworkError> {
        Network::from_shelley_genesis("custom", json.as_bytes(), starts)
    }

    pub(super) const SMALL: &str =
        r#"{"activeSlotsCoeff": 0.3, "securityParam": 7, "epochLength": 250}"#;

    #[test]
    fn era_starts_in_slots() {
        let mainnet = Network::mainnet();
        let preprod = Network::preprod();
        let preview = Network::preview();
        for (network, epoch, slot) in [
            (&mainnet, 208, 4_492_800),
            (&mainnet, 236, 16_588_800),
            (&mainnet, 251, 23_068_800),
            (&mainnet, 290, 39_916_800),
            (&mainnet, 365, 72_316_800),
            (&mainnet, 507, 133_660_800),
            (&preprod, 4, 86_400),
            (&preprod, 5, 518_400),
            (&preprod, 6, 950_400),
            (&preprod, 7, 1_382_400),
            (&preprod, 12, 3_542_400),
            (&preprod, 163, 68_774_400),
            (&preview, 0, 0),
            (&preview, 3, 259_200),
            (&preview, 646, 55_814_400),
            // Byron
            (&mainnet, 1, 21_600),
            (&mainnet, 207, 4_471_200),
            (&preprod, 3, 64_800),
        ] {
            assert_eq!(network.first_slot(epoch), slot);
            assert_eq!(network.epoch(slot), epoch);
            if slot > 0 {
                assert_eq!(network.epoch(slot - 1), epoch - 1);
            }
        }
        assert_eq!(mainnet.chunk_size(), 21_600);
        assert_eq!(preprod.chunk_size(), 21_600);
        assert_eq!(preview.chunk_size(), 4_320);
        assert_eq!(mainnet.extra_entropy(258), Nonce::Neutral);
        assert_eq!(
            mainnet.extra_entropy(259).to_string(),
            "d982e06fd33e7440b43cefad529b7ecafbaa255e38178ad4189a37e4ce9bf1fa"
        );
    }

    #[test]
    fn windows() {
        for (network, three, four) in [
            (Network::mainnet(), 129_600, 172_800),
            (Network::preview(), 25_920, 34_560),
        ] {
            for era in Era::ALL {
                let expected = if era == Era::Conway { four } else { three };
                assert_eq!(network.window(era), expected, "{era}");
            }
        }
        // 3 * 7 / 0.3 = 70, 4 * 7 / 0.3 = 93.3
        let small = custom(SMALL, EraStarts::default()).unwrap();
        assert_eq!(
            (small.window(Era::Alonzo), small.window(Era::Conway)),
            (70, 94)
        );
        assert!(small.feeds_candidate(Era::Alonzo, 250 + 179));
        assert!(!small.feeds_candidate(Era::Alonzo, 250 + 180));
        // The window may be longer than the epoch, and slots may be absurd.
        let tiny = custom(
            r#"{"activeSlotsCoeff": 1e-18, "securityParam": 268435456, "epochLength": 1}"#,
            EraStarts::default(),
        )
        .unwrap();
        assert_eq!(tiny.window(Era::Alonzo), u64::MAX);
        for slot in [0, 1, u64::MAX - 1, u64::MAX] {
            assert!(!tiny.feeds_candidate(Era::Conway, slot));
            assert!(small.epoch(slot) <= slot);
        }
        assert_eq!(small.first_slot(u64::MAX), u64::MAX);
        // The largest numbers there may be.
        let starts = EraStarts {
            shelley: LIMIT,
            byron_k: Some(LIMIT),
            ..EraStarts::default()
        };
        let large = custom(SMALL, starts).unwrap();
        assert_eq!(large.shelley_slot(), 10 << 56);
        assert_eq!(
            large.epoch(u64::MAX) > LIMIT,
            large.first_slot(LIMIT) == 10 << 56
        );
    }

    #[test]
    fn eras_of_epochs() {
        let mainnet = Network::mainnet();
        for (era, epoch, fits) in [
            (Era::Byron, 207, true),
            (Era::Byron, 208, false),
            (Era::Shelley, 207, false),
            (Era::Shelley, 235, true),
            (Era::Allegra, 235, false),
            (Era::Babbage, 506, true),
            (Era::Babbage, 507, false),
            (Era::Conway, 507, true),
            (Era::Conway, 9999, true),
        ] {
            assert_eq!(mainnet.admits(era, epoch), fits, "{era} {epoch}");
        }
        let preview = Network::preview();
        assert!(preview.admits(Era::Alonzo, 0) && !preview.admits(Era::Shelley, 0));
        // What is not known is not held against a block.
        let starts = EraStarts {
            shelley: 2,
            mary: Some(5),
            ..EraStarts::default()
        };
        let network = custom(SMALL, starts).unwrap();
        assert!(network.admits(Era::Allegra, 3) && network.admits(Era::Shelley, 3));
        assert!(!network.admits(Era::Allegra, 5) && network.admits(Era::Conway, 5));
        assert_eq!(network.shelley_slot(), 140);
    }
}
