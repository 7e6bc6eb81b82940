//! `klero chain verify`: a node's database, from its first block or from a saved state.

use std::path::PathBuf;

use klero_audit::{Audit, Check, ExpectedBlock};
use klero_cardano::{Nonce, TrustedFileError, read_checkpoints};

use super::json::{Json, SHAPE};
#[cfg(feature = "tables")]
use super::margins::Margins;
use super::network::{ExtraEntropyArgs, NetworkArgs, epoch_nonce, once_each};
use super::run::{Leads, not_started, run_audit};
use super::stake::StakeArgs;
use super::text::Text;
use crate::choice;
use crate::error::{Error, Status};
use crate::interrupt::Interrupt;
use crate::secrets::refuse_secret;
use crate::threads;

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
#[command(after_help = EXIT_STATUS, after_long_help = format!("{EXIT_STATUS}\n\n{}", *SHAPE))]
pub struct Args {
    /// The node's database directory, or the directory immutable in it
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    extra_entropy: ExtraEntropyArgs,
    /// Nonce of an epoch, from a source you trust: it is compared with the computed one, and
    /// stands in for it where that one is in doubt, from the first proof on that is valid by it. Those
    /// of the public networks are built in. The epoch must have a block. Without the beginning of the chain and without --state, the proofs of
    /// the epochs with a known nonce are verified
    #[arg(long, value_name = "EPOCH=HEX", value_delimiter = ',', value_parser = epoch_nonce)]
    epoch_nonce: Vec<(u64, Nonce)>,
    /// Nonces of any number of epochs, as with --epoch-nonce, in JSON: objects with epoch_no (or epoch)
    /// and nonce, later ones than are built in; or what `cardano-cli query protocol-state` prints. Epochs
    /// without a block are left aside
    #[arg(long, value_name = "FILE")]
    nonces: Option<PathBuf>,
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
    /// Expect the chain to end with this block: the slot, a colon and the hash. It fails if not
    #[arg(long, value_name = "SLOT:HASH", value_parser = block)]
    expect_tip: Option<ExpectedBlock>,
    /// Expect the chain to have this block, from a source you trust: it ties all headers before it
    /// to the network. Can be repeated
    #[arg(long, value_name = "SLOT:HASH", value_delimiter = ',', value_parser = block)]
    expect_block: Vec<ExpectedBlock>,
    /// Checkpoints of the network: the checkpoints.json of a node. A block with the number of one and
    /// another hash is a finding; with the same hash it ties all headers before it to the network
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// Exit with status 3 unless a known epoch nonce, a checkpoint, an expected block or the expected
    /// tip shows that the chain is that of its network
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
       or above f, the chain is not the known one or lacks an expected block,
       the ledger state says something else, or there is a fault
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
    /// The table of those who led, if one is to be written.
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

/// `SLOT:HASH`.
fn block(text: &str) -> Result<ExpectedBlock, String> {
    let (slot, hash) = text
        .split_once(':')
        .ok_or("expected a slot, a colon and a hash")?;
    Ok(ExpectedBlock {
        // The text may be a secret: it is not repeated.
        slot: slot
            .parse()
            .map_err(|_| "expected the number of a slot before the colon")?,
        hash: hash
            .parse()
            .map_err(|_| "the hash of a block has 64 hexadecimal digits")?,
    })
}

fn unusable(error: TrustedFileError) -> Error {
    Error::new(error.to_string())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    refuse_secret("DIR", &args.dir)?;
    threads::start(args.threads)?;
    let margins = args.margins()?;
    let audit = Audit::new(&args.dir).map_err(not_started)?;
    let mut network = args.network.network(&args.dir)?;
    args.extra_entropy.tell(&mut network)?;
    args.stake.shares(&mut network)?;
    if let Some(file) = &args.nonces {
        network.read_known_nonces(file, None).map_err(unusable)?;
    }
    let mut audit = audit.network(network).stake(args.stake.stake()?);
    if let Some(state) = args.stake.ledger()? {
        audit = audit.ledger(state);
    }
    if let Some(file) = &args.checkpoints {
        audit = audit.checkpoints(read_checkpoints(file).map_err(unusable)?);
    }
    let nonces = once_each("--epoch-nonce", &args.epoch_nonce)?;
    if !nonces.is_empty() {
        audit = audit.epoch_nonces(nonces);
    }
    if let Some(state) = &args.state {
        audit = audit.state(state).map_err(not_started)?;
    }
    if !args.only.is_empty() {
        audit = audit.only(args.only.iter().copied());
    }
    if let Some(tip) = args.expect_tip {
        audit = audit.expect_tip(tip);
    }
    for block in &args.expect_block {
        audit = audit.expect_block(*block);
    }
    if args.require_anchor {
        audit = audit.require_anchor();
    }
    if args.json {
        run_audit(audit, &mut Json::default(), margins, &Interrupt::listen())
    } else {
        let mut text = Text::default().each_epoch(args.epochs);
        run_audit(audit, &mut text, margins, &Interrupt::listen())
    }
}
