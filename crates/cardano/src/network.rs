//! The fixed facts of a network: where epochs and eras begin, how blocks are spread, who its
//! first block makers are.
//!
//! They come from the Shelley genesis file, whose hash is also the first nonce; the eras' first
//! epochs are not in any file of the node and are given beside it. The three public networks
//! are built in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::era::Era;
use crate::leader::{ActiveSlots, NotAFraction};
use crate::nonce::{Nonce, blake2b_256};

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
    Json(#[from] serde_json::Error),
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
    /// The node's directory does not say which network it is of.
    #[error("cannot tell the network: {}: {error}", path.display())]
    Magic {
        /// The file that should say it.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
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

/// What is read of a Shelley genesis file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Genesis {
    /// Kept as text: 0.05 has no exact binary form.
    active_slots_coeff: Box<RawValue>,
    security_param: u64,
    epoch_length: u64,
    network_magic: Option<u32>,
    gen_delegs: Option<BTreeMap<String, Delegate>>,
}

#[derive(Deserialize)]
struct Delegate {
    delegate: String,
}

impl Network {
    /// A network from the bytes of its Shelley genesis file, exactly as the node has them
    /// (their hash is the first nonce), and the first epochs of its eras.
    pub fn from_shelley_genesis(
        name: &str,
        bytes: &[u8],
        starts: EraStarts,
    ) -> Result<Network, NetworkError> {
        let genesis: Genesis = serde_json::from_slice(bytes)?;
        let byron_k = starts.byron_k.unwrap_or(genesis.security_param);
        in_range("securityParam", genesis.security_param, 1)?;
        in_range("epochLength", genesis.epoch_length, 1)?;
        in_range("Byron's k", byron_k, 1)?;
        let mut before = (Era::Byron, 0);
        for era in Era::ALL {
            let Some(start) = starts.of(era) else {
                continue;
            };
            in_range("an era's first epoch", start, 0)?;
            if start < before.1 {
                let (before, before_start) = before;
                return Err(NetworkError::Order {
                    era,
                    start,
                    before,
                    before_start,
                });
            }
            before = (era, start);
        }
        let delegates = genesis.gen_delegs.map(|delegates| {
            let hashes = delegates.into_values().map(|Delegate { delegate }| {
                delegate
                    .parse()
                    .map_err(|_| NetworkError::Delegate(delegate))
            });
            hashes.collect::<Result<BTreeSet<Hash<28>>, _>>()
        });
        Ok(Network {
            name: name.to_owned(),
            genesis: blake2b_256(&[bytes]),
            magic: genesis.network_magic,
            k: genesis.security_param,
            f: genesis.active_slots_coeff.get().parse()?,
            epoch_length: genesis.epoch_length,
            byron_epoch_length: 10 * byron_k,
            starts,
            extra_entropy: BTreeMap::new(),
            delegates: delegates.transpose()?,
        })
    }

    /// Mainnet.
    pub fn mainnet() -> Network {
        let mut network = built_in(
            "mainnet",
            include_bytes!("../networks/mainnet-shelley-genesis.json"),
            [208, 236, 251, 290, 365, 507],
        );
        // Voted on chain; the only time.
        const EXTRA: [u8; 32] = [
            0xd9, 0x82, 0xe0, 0x6f, 0xd3, 0x3e, 0x74, 0x40, 0xb4, 0x3c, 0xef, 0xad, 0x52, 0x9b,
            0x7e, 0xca, 0xfb, 0xaa, 0x25, 0x5e, 0x38, 0x17, 0x8a, 0xd4, 0x18, 0x9a, 0x37, 0xe4,
            0xce, 0x9b, 0xf1, 0xfa,
        ];
        network
            .extra_entropy
            .insert(259, Nonce::Value(Hash::new(EXTRA)));
        network
    }

    /// The preprod test network.
    pub fn preprod() -> Network {
        built_in(
            "preprod",
            include_bytes!("../networks/preprod-shelley-genesis.json"),
            [4, 5, 6, 7, 12, 163],
        )
    }

    /// The preview test network, born in Alonzo.
    pub fn preview() -> Network {
        built_in(
            "preview",
            include_bytes!("../networks/preview-shelley-genesis.json"),
            [0, 0, 0, 0, 3, 646],
        )
    }

    /// A built-in network by its name.
    ///
    /// ```
    /// assert!(klero_cardano::Network::by_name("preprod").is_some());
    /// assert!(klero_cardano::Network::by_name("moonnet").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<Network> {
        match name {
            "mainnet" => Some(Network::mainnet()),
            "preprod" => Some(Network::preprod()),
            "preview" => Some(Network::preview()),
            _ => None,
        }
    }

    /// The built-in network that a node's database is of, told by the file `protocolMagicId`
    /// in `dir` (or beside it, when `dir` is the `immutable` directory itself).
    pub fn detect(dir: &Path) -> Result<Network, NetworkError> {
        let (path, magic) = read_magic(dir)?;
        [Network::mainnet(), Network::preprod(), Network::preview()]
            .into_iter()
            .find(|network| network.magic == Some(magic))
            .ok_or(NetworkError::UnknownMagic { path, magic })
    }

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

/// The file `protocolMagicId` of a node's database, and the number in it.
pub(crate) fn read_magic(dir: &Path) -> Result<(PathBuf, u32), NetworkError> {
    const FILE: &str = "protocolMagicId";
    let mut path = dir.join(FILE);
    if !path.exists() {
        // Canonical, so that `immutable` alone and `.` have a parent too.
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        if let Some(parent) = dir.parent().filter(|_| dir.ends_with("immutable")) {
            path = parent.join(FILE);
        }
    }
    let magic = fs::read_to_string(&path).and_then(|text| {
        let text = text.trim();
        text.parse().map_err(|_| {
            let shown: String = text.chars().take(40).collect();
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{shown:?} is not a network magic"),
            )
        })
    });
    match magic {
        Ok(magic) => Ok((path, magic)),
        Err(error) => Err(NetworkError::Magic { path, error }),
    }
}

fn in_range(name: &'static str, value: u64, least: u64) -> Result<(), NetworkError> {
    if (least..=LIMIT).contains(&value) {
        Ok(())
    } else {
        Err(NetworkError::Range { name, value, least })
    }
}

/// A network whose genesis file is compiled in, and was parsed by the tests.
fn built_in(name: &str, genesis: &[u8], starts: [u64; 6]) -> Network {
    let [shelley, allegra, mary, alonzo, babbage, conway] = starts;
    let starts = EraStarts {
        shelley,
        allegra: Some(allegra),
        mary: Some(mary),
        alonzo: Some(alonzo),
        babbage: Some(babbage),
        conway: Some(conway),
        byron_k: None,
    };
    Network::from_shelley_genesis(name, genesis, starts).expect("a built-in genesis file is right")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn custom(json: &str, starts: EraStarts) -> Result<Network, NetworkError> {
        Network::from_shelley_genesis("custom", json.as_bytes(), starts)
    }

    const SMALL: &str = r#"{"activeSlotsCoeff": 0.3, "securityParam": 7, "epochLength": 250}"#;

    #[test]
    fn genesis_hashes() {
        for (network, hash) in [
            (
                Network::mainnet(),
                "1a3be38bcbb7911969283716ad7aa550250226b76a61fc51cc9a9a35d9276d81",
            ),
            (
                Network::preprod(),
                "162d29c4e1cf6b8a84f2d692e67a3ac6bc7851bc3e6e4afe64d15778bed8bd86",
            ),
            (
                Network::preview(),
                "363498d1024f84bb39d3fa9593ce391483cb40d479b87233f868d6e57c3a400d",
            ),
        ] {
            assert_eq!(
                network.genesis_hash().to_string(),
                hash,
                "{}",
                network.name()
            );
            assert_eq!(network.active_slots().to_string(), "1/20");
            assert_eq!(network.delegates().unwrap().len(), 7);
            assert_eq!(Network::by_name(network.name()), Some(network));
        }
    }

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

    #[test]
    fn bad_genesis_files() {
        for (json, says) in [
            ("", "EOF"),
            ("[]", "expected"),
            ("{}", "activeSlotsCoeff"),
            (
                r#"{"activeSlotsCoeff": 0.0, "securityParam": 7, "epochLength": 2}"#,
                "\"0.0\"",
            ),
            (
                r#"{"activeSlotsCoeff": "0.1", "securityParam": 7, "epochLength": 2}"#,
                "0.1",
            ),
            (
                r#"{"activeSlotsCoeff": 0.1, "securityParam": 0, "epochLength": 2}"#,
                "securityParam",
            ),
            (
                r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 0}"#,
                "epochLength",
            ),
            (
                r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 268435457}"#,
                "epochLength",
            ),
            (
                r#"{"activeSlotsCoeff": 0.1, "securityParam": 7, "epochLength": 9,
                    "genDelegs": {"a": {"delegate": "00"}}}"#,
                "delegate \"00\"",
            ),
        ] {
            let error = custom(json, EraStarts::default()).unwrap_err().to_string();
            assert!(error.contains(says), "{json}: {error}");
        }
        let starts = EraStarts {
            shelley: 5,
            allegra: Some(4),
            ..EraStarts::default()
        };
        let error = custom(SMALL, starts).unwrap_err().to_string();
        assert_eq!(
            error,
            "Allegra is said to begin in epoch 4, before Shelley in epoch 5"
        );
        let starts = EraStarts {
            shelley: u64::MAX,
            ..EraStarts::default()
        };
        assert!(custom(SMALL, starts).is_err());
        assert_eq!(
            custom(SMALL, EraStarts::default()).unwrap().delegates(),
            None
        );
    }

    #[test]
    fn detection() {
        let node = tempfile::tempdir().unwrap();
        let immutable = node.path().join("immutable");
        fs::create_dir(&immutable).unwrap();
        let file = node.path().join("protocolMagicId");
        assert!(matches!(
            Network::detect(node.path()),
            Err(NetworkError::Magic { .. })
        ));
        for (text, name) in [
            ("764824073", "mainnet"),
            ("1", "preprod"),
            ("2\n", "preview"),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(Network::detect(node.path()).unwrap().name(), name);
            assert_eq!(Network::detect(&immutable).unwrap().name(), name);
        }
        fs::write(&file, "3").unwrap();
        let error = Network::detect(&immutable).unwrap_err().to_string();
        assert!(error.contains("network magic 3"), "{error}");
        fs::write(&file, "three").unwrap();
        let error = Network::detect(&immutable).unwrap_err().to_string();
        assert!(
            error.contains("\"three\" is not a network magic"),
            "{error}"
        );
    }
}
