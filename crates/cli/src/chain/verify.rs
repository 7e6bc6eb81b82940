//! `klero chain verify`: verifies a node's database from its first block or from a saved state.

use std::path::PathBuf;

use klero_audit::{Anchor, Audit, Check, read_anchors};
use klero_cardano::Network;

use super::json::{Json, SHAPE};
#[cfg(feature = "tables")]
use super::margins::Margins;
use super::network::{ExtraEntropyArgs, NetworkArgs};
use super::run::{Leads, not_started, run_audit};
use super::stake::StakeArgs;
use super::text::Text;
use crate::args::choice;
use crate::args::secrets::refuse_secret;
use crate::args::threads;
use crate::ui::error::{Error, Status};
use crate::ui::interrupt::Interrupt;

/// Verify every header and body in a node's ImmutableDB
///
/// Reads the chunk files block by block, checks CRC-32s, hash links, block numbers, slots and eras, and
/// computes the nonces from the genesis file and the blocks. Verifies every VRF proof, KES signature and
/// operational certificate on all cores, and compares every body with its header. After each chunk, prints
/// one line for each kind of finding in it. After a fault or an invalid proof, the nonces may be wrong.
/// From then on, a proof that fails is unverifiable, not invalid. This ends when a valid proof shows that the
/// nonce is right.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS, after_long_help = format!("{EXIT_STATUS}\n\n{SHAPE}"))]
pub struct Args {
    /// The node's database directory, or the directory immutable in it
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    extra_entropy: ExtraEntropyArgs,
    /// Fact about the chain from a source that you trust; can be repeated. SLOT:HASH is a block that the
    /// chain must have, and tip=SLOT:HASH is the block with which it must end. Such a block shows that all
    /// headers before it belong to the network. EPOCH=HEX is the nonce of an epoch, which is compared with
    /// the computed nonce. If the computed nonce is in doubt, the given nonce replaces it as soon as a proof
    /// is valid with the given nonce. If the beginning of the chain is missing and there is no --state, only
    /// proofs of epochs with a known nonce are verified; the nonces of the public networks are built in. Any
    /// other value is the name of a file. The file has nonces in JSON (objects with epoch_no or epoch, and
    /// nonce), or it is the output of `cardano-cli query protocol-state` or a node's checkpoints.json
    #[arg(long, value_name = "WHAT|FILE")]
    expect: Vec<PathBuf>,
    /// Continue from the state in FILE, if the file exists, and update the file: the next run then reads only
    /// the blocks of the last epoch and new ones. The state is written at the end of an epoch if everything
    /// up to there was read and is valid. After a fault, no state is written, so every run finds the fault
    /// again until it is repaired. A state is refused if the file was altered, or if the run that wrote it
    /// left out a check that this run makes
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    stake: StakeArgs,
    /// Write a table to FILE, with a row for each block whose pool led in its slot: epoch, slot, pool, stake,
    /// total and margin (the leader value divided by the largest leader value with which the pool leads)
    #[cfg(feature = "tables")]
    #[arg(long, value_name = "FILE", requires = "distribution")]
    margins: Option<PathBuf>,
    /// Make only these checks: vrf (proofs, leader values), kes (signatures and their periods),
    /// certificates (and the order of their numbers), bodies (hash and size)
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', value_parser = choice::check())]
    only: Vec<Check>,
    /// Exit with status 3 instead of 0 unless a known epoch nonce or a block of --expect shows that the chain
    /// belongs to its network
    #[arg(long)]
    require_anchor: bool,
    /// Give each epoch a row of its own, with its nonce. Without this option, consecutive epochs of an era
    /// share a row if nothing in them is wrong
    #[arg(long, conflicts_with = "json")]
    epochs: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Number of threads that read and verify (default: one per core)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    everything that is checked is valid (a damaged index alone is only a
       warning, and a last block that is half written is only a note)
  1    a proof, a signature or a certificate is invalid, a leader value is at
       or above f, the chain or the ledger state is not as expected, or there is
       a fault
  2    something cannot be read or is of an era that this version does not
       know, the database is of another network, the state does not fit or
       cannot be saved, the checksum of the ledger state is wrong, or the
       command line is wrong
  3    nothing is wrong, but not everything was checked: a nonce is not known,
       an expected block or that of the ledger state was not reached, there is
       no anchor and --require-anchor, or blocks are of Dijkstra, which is
       experimental
  130  interrupted by Ctrl-C or SIGTERM; what was checked until then is
       printed";

impl Args {
    /// Reads the anchors that `--expect` gives.
    fn anchors(&self, network: &Network) -> Result<Vec<Anchor>, Error> {
        let mut anchors = Vec::new();
        for what in &self.expect {
            match read_anchors(what, network, None) {
                Ok(read) => anchors.extend(read),
                Err(error) => {
                    refuse_secret("--expect", what)?;
                    return Err(Error::at("--expect", error));
                }
            }
        }
        Ok(anchors)
    }

    /// Creates the table of margins, if `--margins` is given.
    #[cfg(feature = "tables")]
    fn margins(&self) -> Result<Option<Box<dyn Leads>>, Error> {
        let Some(path) = &self.margins else {
            return Ok(None);
        };
        self.stake.refuse_as_output("--margins", path)?;
        Ok(Some(Box::new(Margins::create(path)?)))
    }

    #[cfg(not(feature = "tables"))]
    fn margins(&self) -> Result<Option<Box<dyn Leads>>, Error> {
        Ok(None)
    }
}

/// Runs `klero chain verify`.
pub fn run(args: &Args) -> Result<Status, Error> {
    refuse_secret("DIR", &args.dir)?;
    threads::start(args.threads)?;
    let margins = args.margins()?;
    let audit = Audit::new(&args.dir).map_err(not_started)?;
    let mut network = args.network.network(&args.dir)?;
    args.extra_entropy.tell(&mut network)?;
    args.stake.shares(&mut network)?;
    let anchors = args.anchors(&network)?;
    let audit = audit.network(network).expect(anchors);
    let mut audit = audit.stake(args.stake.stake()?);
    if let Some(state) = args.stake.ledger()? {
        audit = audit.ledger(state);
    }
    if let Some(state) = &args.state {
        audit = audit.state(state).map_err(not_started)?;
    }
    if !args.only.is_empty() {
        audit = audit.only(args.only.iter().copied());
    }
    if args.require_anchor {
        audit = audit.require_anchor();
    }
    if args.json {
        run_audit(audit, &mut Json::default(), margins, &Interrupt::listen())
    } else {
        let mut text = Text::default();
        text.each_epoch = args.epochs;
        run_audit(audit, &mut text, margins, &Interrupt::listen())
    }
}
