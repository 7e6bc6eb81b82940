//! `klero chain verify`: a node's database, from its first block or from where the last
//! run stood.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_cardano::{Immutable, Network, Nonce, Start, Walk, WalkError};

use super::check::{Checked, check};
use super::frontier::Stand;
use super::network::{NetworkArgs, epoch_nonce, once_each};
use super::report::{Begin, End, Json, Origin, Report, SHAPE, Text};
use super::state::StateFile;
use crate::error::{Error, Status};
use crate::interrupt::Interrupt;

/// Verify every VRF proof in a node's ImmutableDB
///
/// The chunk files are read block by block: CRC-32, hash links, block numbers, slots and
/// eras are checked, the nonces are computed from the genesis file on, and every VRF
/// proof is verified on all cores. What is wrong is printed chunk by chunk, things of one
/// kind in one line. An invalid proof or a fault may have changed the nonces that depend on
/// it: later epochs are then unverifiable since that slot, which is said once.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS, after_long_help = format!("{EXIT_STATUS}\n\n{}", SHAPE))]
pub struct Args {
    /// The node's database directory, or the directory immutable in it
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    network: NetworkArgs,
    /// Nonce of an epoch: verifies the epochs named, wherever the files begin
    #[arg(
        long, value_name = "EPOCH=HEX", value_delimiter = ',', value_parser = epoch_nonce,
        conflicts_with = "state"
    )]
    epoch_nonce: Vec<(u64, Nonce)>,
    /// Go on from the state in FILE, if there is one, and save there the state after the
    /// last block up to which all is valid, at the end and after each epoch: the next run
    /// reads only new blocks
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Threads that verify, instead of one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    every proof and every block is valid (a damaged index alone is only a warning, and
       a last block that is half written is only a note)
  1    a proof is invalid, a leader value is at or above f, or there is a fault
  2    something cannot be read or is of an era that this version does not know, the
       database is of another network, the state does not fit or cannot be saved, or the
       command line is wrong
  3    nothing is wrong, but not everything was checked: a nonce is not known
  130  interrupted by Ctrl-C or SIGTERM; what was checked until then is printed, and saved";

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|error| Error::at(format_args!("cannot start {threads} threads"), error))?;
    }
    let job = Job {
        db: open(&args.dir)?,
        network: args.network.network(&args.dir)?,
        given: once_each("--epoch-nonce", &args.epoch_nonce)?,
        state: args.state.as_deref().map(StateFile::open).transpose()?,
    };
    if args.json {
        job.run(&mut Json::default(), &Interrupt::listen())
    } else {
        job.run(&mut Text::default(), &Interrupt::listen())
    }
}

/// Opens a database.
pub fn open(dir: &Path) -> Result<Immutable, Error> {
    Immutable::open(dir).map_err(|error| Error::new(error.to_string()))
}

/// A database to check, and how.
pub struct Job {
    /// The database.
    pub db: Immutable,
    /// Its network.
    pub network: Network,
    /// Nonces of epochs; if there are any, only these are checked.
    pub given: BTreeMap<u64, Nonce>,
    /// Where to go on, and to save.
    pub state: Option<StateFile>,
}

impl Job {
    /// Checks it.
    pub fn run(self, report: &mut dyn Report, interrupt: &Interrupt) -> Result<Status, Error> {
        let Self {
            db,
            network,
            given,
            mut state,
        } = self;
        let saved = state.as_ref().and_then(StateFile::loaded);
        let before = saved.map(|saved| saved.last.clone());
        let (start, origin) = match saved {
            Some(saved) => (
                Start::State(Box::new(saved.clone())),
                Origin::After(saved.last.clone()),
            ),
            None if given.is_empty() => (Start::Genesis, Origin::Genesis),
            None => (
                Start::EpochNonces(given.clone()),
                Origin::EpochNonces(given.keys().copied().collect()),
            ),
        };
        let walk =
            Walk::new(&db, network.clone(), start).map_err(|error| match (&state, error) {
                (Some(state), WalkError::State(error)) => state.refused(&error),
                (_, error) => not_begun(&error),
            })?;
        report.begin(&Begin {
            dir: db.dir().to_owned(),
            network: &network,
            origin,
            bytes: walk.bytes(),
        })?;
        let named: Vec<u64> = given.keys().copied().collect();
        let mut save = |stand: &Stand| {
            if let Some(state) = &mut state {
                state.save(&network, stand);
            }
        };
        let Checked {
            judge,
            interrupted,
            unread,
            times,
        } = check(walk, given, report, interrupt, &mut save)?;

        let saved = state.map(|state| state.close(&network, &judge.frontier));
        let has_no_block = |epoch: &u64| !interrupted && !judge.epochs.contains_key(epoch);
        let end = End {
            network: &network,
            judge: &judge,
            tip: judge.tip.as_ref().or(before.as_ref()),
            unread,
            interrupted,
            absent: named.into_iter().filter(has_no_block).collect(),
            saved: saved.as_ref(),
            times,
        };
        report.end(&end)?;
        match saved.as_ref().and_then(|saved| saved.error.as_ref()) {
            Some(error) => Err(Error::at("the state was not saved", error)),
            None => Ok(end.status()),
        }
    }
}

/// Why a walk cannot begin; of another network, what to say instead.
fn not_begun(error: &WalkError) -> Error {
    let other = "name its network with --network, or with --shelley-genesis and --era-start";
    match error {
        WalkError::Network { found, .. } => {
            let names = ["mainnet", "preprod", "preview"].into_iter();
            let mut networks = names.filter_map(Network::by_name);
            match networks.find(|network| network.magic() == Some(*found)) {
                Some(network) => Error::new(format!("{error}; say --network {}", network.name())),
                None => Error::new(format!("{error}; {other}")),
            }
        }
        WalkError::OtherNetwork {
            looks_like: Some(name),
            ..
        } => Error::new(format!(
            "{error}; it looks like {name}: try --network {name}"
        )),
        WalkError::OtherNetwork { .. } => Error::new(format!("{error}; {other}")),
        _ => Error::new(error.to_string()),
    }
}
