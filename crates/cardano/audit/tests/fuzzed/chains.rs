//! Reads arbitrary bytes as a file of a node, or as a part of such a file, with the parser that the first
//! byte chooses. No parser may panic. The place in an error must exist. A value must stay the same when it is
//! written and read again. If only the indexes of a chunk are damaged, all its blocks must be found.
//!
//! The bytes after the first are read as they are, or they describe how to change an honest file.

#[path = "../../../../../fuzz/changed.rs"]
mod changed;
#[path = "chains/disk.rs"]
mod disk;
#[path = "chains/texts.rs"]
mod texts;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use klero_audit::{HeaderCheck, RawHeader};
use klero_cardano::{
    Counters, Decentralization, Era, EraStarts, Header, LedgerError, LedgerState, Network, Nonce,
};
use klero_damage::{Database, Stored};
use klero_forge::{Recipe, forge};
use klero_leader::{PoolId, VrfKeyHash};
use tempfile::TempDir;

use changed::material;

/// Makes the honest files before memory is measured, because they take memory once and not for each input.
pub fn prepare() {
    LazyLock::force(&HONEST);
}

/// The most bytes that may be allocated for this input. The constant part is mainly for buffers, because
/// files are read in pieces.
pub fn most_memory(bytes: &[u8]) -> usize {
    (16 << 20) + 1000 * bytes.len()
}

/// Reads the bytes with one parser.
pub fn chains(bytes: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(bytes);
    match input.arbitrary::<u8>()? % 9 {
        0 => header(&material(&mut input, &HONEST.headers)?),
        1 => disk::blocks(&mut input)?,
        2 => disk::files(&mut input)?,
        3 => genesis(&mut input)?,
        4 => texts::state(&material(&mut input, &HONEST.states)?),
        5 => ledger(&material(&mut input, &HONEST.ledgers)?),
        6 => texts::stake(&material(&mut input, &HONEST.stakes)?),
        7 => texts::trusted(&material(&mut input, &HONEST.trusted)?),
        _ => names(&String::from_utf8_lossy(input.take_rest())),
    }
    Ok(())
}

/// The contents of the honest files.
struct Honest {
    network: Network,
    check: HeaderCheck,
    nonces: BTreeMap<u64, Nonce>,
    /// Headers. Before each header there is one byte more, the block tag.
    headers: Vec<Vec<u8>>,
    /// One chunk for each form of headers: its number, and the contents of its three files.
    chunks: Vec<(u64, [Vec<u8>; 3])>,
    /// The blocks of these chunks, in order.
    blocks: Vec<Stored>,
    genesis: Vec<Vec<u8>>,
    states: Vec<Vec<u8>>,
    ledgers: Vec<Vec<u8>>,
    stakes: Vec<Vec<u8>>,
    trusted: Vec<Vec<u8>>,
    /// The directory for files to be read.
    dir: TempDir,
}

static HONEST: LazyLock<Honest> = LazyLock::new(|| Honest::new().unwrap());

impl Honest {
    fn new() -> std::result::Result<Self, Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let whole = dir.path().join("whole");
        // A chunk has ten slots.
        let recipe = Recipe {
            k: 1,
            ..Recipe::of_eras(&[
                (Era::Byron, 1),
                (Era::Shelley, 1),
                (Era::Babbage, 1),
                (Era::Dijkstra, 1),
            ])
        };
        let forged = forge(&recipe, &whole, |_, _| {})?;
        let database = Database::at(whole.join("immutable"));
        let (mut blocks, mut chunks) = (Vec::new(), Vec::new());
        for chunk in [0, 1, 3, 5] {
            let [data, secondary, primary] = disk::ENDS.map(|end| database.read(chunk, end));
            chunks.push((chunk, [data?, secondary?, primary?]));
            blocks.append(&mut database.blocks(chunk)?);
        }
        let headers = blocks.iter().map(|block| {
            let start = usize::from(block.entry.header_offset);
            let header = &block.bytes[start..start + usize::from(block.entry.header_size)];
            // The block begins with `82 TAG …`.
            [&block.bytes[1..2], header].concat()
        });
        let headers: Vec<_> = headers.collect();
        let epochs = forged.epochs.iter();
        let nonces = epochs.filter_map(|epoch| Some((epoch.epoch, epoch.nonce?)));
        let (check, nonces) = (HeaderCheck::new(forged.network.clone())?, nonces.collect());
        let is_valid = |header: &Vec<u8>| {
            let (tag, bytes) = (header[0], &header[1..]);
            let mut counters = Counters::since_any_block();
            check.verify(&[RawHeader { tag, bytes }], &nonces, &mut counters)[0].is_valid()
        };
        let mut since_shelley = headers.iter().filter(|header| header[0] > 1);
        assert!(since_shelley.all(is_valid));
        let ledger = include_bytes!("../../../cardano/testdata/ledger.state");
        Ok(Self {
            headers,
            genesis: vec![std::fs::read(genesis_file(&whole))?],
            states: vec![texts::honest_state(&forged)],
            check,
            nonces,
            network: forged.network,
            ledgers: vec![ledger.to_vec()],
            stakes: texts::STAKES.map(|text| text.as_bytes().to_vec()).into(),
            trusted: texts::TRUSTED.map(|text| text.as_bytes().to_vec()).into(),
            blocks,
            chunks,
            dir,
        })
    }

    /// Writes a file with these bytes, and returns its path.
    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn genesis_file(dir: &std::path::Path) -> PathBuf {
    dir.join("shelley-genesis.json")
}

fn header(bytes: &[u8]) {
    let Some((tag, bytes)) = bytes.split_first() else {
        return;
    };
    let decode = |bytes| Header::decode(*tag, bytes, HONEST.network.byron_epoch_length());
    let decoded = read(decode(bytes));
    verify(RawHeader { tag: *tag, bytes }, decoded.is_some());
    if let Some(header) = decoded {
        assert_eq!(Some(header.place.era), Era::from_tag(*tag));
        // The header is refused if a byte is missing at the end, or one more byte follows.
        assert!(decode(&bytes[..bytes.len() - 1]).is_err());
        assert!(decode(&[bytes, &[0]].concat()).is_err());
    }
}

/// Verifies a header twice in one call, and then in two calls between which the counters are saved and read.
fn verify(raw: RawHeader<'_>, decoded: bool) {
    let (nonces, genesis) = (&HONEST.nonces, HONEST.network.genesis_hash());
    let mut counters = Counters::since_any_block();
    let together = HONEST
        .check
        .verify(&[raw, raw], nonces, &mut counters.clone());
    for verdict in &together {
        assert_eq!(verdict.header.is_some(), decoded);
        let alone = HONEST.check.verify(&[raw], nonces, &mut counters).remove(0);
        assert_eq!(alone.faults, verdict.faults);
        let saved = counters.to_bytes(genesis);
        counters = Counters::from_bytes(&saved).unwrap().1;
    }
    assert!(Counters::from_bytes(raw.bytes).is_none());
}

fn genesis(input: &mut Unstructured) -> Result<()> {
    let mut starts = EraStarts::default();
    for _ in 0..input.int_in_range(0..=3)? {
        starts.set(*input.choose(&Era::ALL)?, input.arbitrary()?);
    }
    let slots: [u64; 2] = input.arbitrary()?;
    let bytes = material(input, &HONEST.genesis)?;
    let Some(network) = read(Network::from_shelley_genesis("mine", &bytes, starts)) else {
        return Ok(());
    };
    // No computation may overflow, whatever the slot is.
    for slot in slots.into_iter().chain([0, u64::MAX]) {
        let epoch = network.epoch(slot);
        assert!(network.first_slot(epoch) <= slot);
        let _ = network.first_slot(slot);
        let _ = network.since_start(slot);
        let _ = network.turn(slot, Decentralization::ALL);
        for era in Era::ALL {
            let _ = network.admits(era, epoch);
            let _ = network.feeds_candidate(era, slot);
        }
    }
    let f = network.active_slots();
    assert!(f.numerator() > 0 && f.numerator() <= f.denominator());
    assert!(network.chunk_size() > 0 && !network.describe().1.is_empty());
    Ok(())
}

fn ledger(bytes: &[u8]) {
    match LedgerState::read(bytes) {
        Ok(state) => {
            assert!(state.stake.contains_key(&state.nonces.epoch));
            let short = LedgerState::read(&bytes[..bytes.len() - 1]);
            assert!(
                matches!(short, Err(LedgerError::Ends { at, .. }) if at == bytes.len() as u64 - 1)
            );
            LedgerState::read(&*[bytes, &[0]].concat()).unwrap_err();
        }
        Err(error) => {
            let place = match error {
                LedgerError::Ends { at, .. } | LedgerError::Unexpected { at, .. } => at,
                LedgerError::Stake { .. } => 0,
                _ => panic!("{error}"),
            };
            assert!(place <= bytes.len() as u64, "{error}");
            read::<(), _>(Err(error));
        }
    }
}

/// Parses a text as each of four types. If a value results, it is written and parsed again.
fn names(text: &str) {
    fn again<T: std::str::FromStr<Err: Display> + Display + PartialEq>(text: &str) {
        if let Some(value) = read(text.parse::<T>()) {
            assert!(read(value.to_string().parse::<T>()) == Some(value));
        }
    }
    again::<Nonce>(text);
    again::<Decentralization>(text);
    again::<PoolId>(text);
    again::<VrfKeyHash>(text);
}

/// Returns the value, if any. An error must have a message, which is long if it repeats a long JSON string.
fn read<T, E: Display>(result: std::result::Result<T, E>) -> Option<T> {
    result
        .map_err(|error| {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 1 << 16, "{message}");
        })
        .ok()
}
