//! `klero chain verify`: a node's database, from its first block or from a saved state.

use std::path::PathBuf;

use klero_audit::Audit;
use klero_cardano::Nonce;

use super::json::{Json, SHAPE};
use super::network::{NetworkArgs, epoch_nonce, once_each};
use super::run::{not_started, run_audit};
use super::text::Text;
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
    let mut audit = Audit::new(&args.dir)
        .map_err(not_started)?
        .network(args.network.network(&args.dir)?);
    let nonces = once_each("--epoch-nonce", &args.epoch_nonce)?;
    if !nonces.is_empty() {
        audit = audit.epoch_nonces(nonces);
    }
    if let Some(state) = &args.state {
        audit = audit.state(state).map_err(not_started)?;
    }
    if args.json {
        run_audit(audit, &mut Json::default(), &Interrupt::listen())
    } else {
        run_audit(audit, &mut Text::default(), &Interrupt::listen())
    }
}
