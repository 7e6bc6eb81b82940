//! `klero chain verify`: a node's database, from its first block or from a saved state.

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
/// The chunk files are read block by block: CRC-32, hash links, block numbers, slots and
/// eras are checked, and the nonces are computed from the genesis file on. Every VRF proof,
/// KES signature and operational certificate is verified on all cores, and every body is
/// compared with its header. What is wrong is printed chunk by chunk, things of one
/// kind in one line. An invalid proof or a fault may have changed the nonces that depend on it:
/// then proofs that fail are unverifiable since that slot, not invalid, until one shows that its
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
    /// chain must have, tip=SLOT:HASH the one with which it must end: they tie all headers before them to the
    /// network. EPOCH=HEX is the nonce of an epoch: it is compared with the computed one, and stands in for
    /// it where that one is in doubt, from the first proof on that is valid by it. Without the beginning of
    /// the chain and without --state, the proofs of the epochs with a known nonce are verified; those of the
    /// public networks are built in. Anything else is a JSON file: nonces, objects with epoch_no (or epoch)
    /// and nonce, or what `cardano-cli query protocol-state` prints; or a node's checkpoints.json
    #[arg(long, value_name = "WHAT|FILE")]
    expect: Vec<PathBuf>,
    /// Go on from the state in FILE, if there is one: the next run reads only new blocks, and those of the
    /// last epoch. The state stands at the end of the last epoch up to which all is valid and was read. It is
    /// written each time that an epoch ends so. Nothing wrong is passed: each run finds it again until it is
    /// repaired. A state is bound to the checks that made it, and refused if it was changed
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    #[command(flatten)]
    stake: StakeArgs,
    /// Write the blocks of pools to FILE, with epoch, slot, pool, stake, total and margin: the
    /// leader value divided by the largest one that leads
    #[cfg(feature = "tables")]
    #[arg(long, value_name = "FILE", requires = "distribution")]
    margins: Option<PathBuf>,
    /// Make only these checks: vrf (proofs, leader values), kes (signatures and their periods),
    /// certificates (and the order of their numbers), bodies (hash and size)
    #[arg(long, value_name = "CHECKS", value_delimiter = ',', value_parser = choice::check())]
    only: Vec<Check>,
    /// Exit with status 3 unless a known epoch nonce or a block of --expect shows that the chain is that of
    /// its network
    #[arg(long)]
    require_anchor: bool,
    /// Give each epoch a row of its own, with its nonce. Without it, epochs of an era share a row
    /// as long as nothing in them is wrong
    #[arg(long, conflicts_with = "json")]
    epochs: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Threads that read and verify, instead of one per core
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
    /// The anchors that --expect names.
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

    /// The table of margins, if one is to be written.
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
