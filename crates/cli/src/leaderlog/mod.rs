//! `klero leaderlog`: the slots of an epoch in which a pool leads.
//!
//! An [`Election`] is everything that determines who leads, except the key. It comes from the options
//! ([`election`]) or a node's database ([`node`]). The VRF is evaluated at each slot in which pools draw
//! ([`draw`]). The slots in which the pool leads are printed with their times ([`clock`]), as text, JSON or
//! a table ([`output`]).

mod clock;
mod draw;
mod election;
mod node;
mod output;

use std::path::PathBuf;
use std::sync::Arc;

use klero_cardano::Nonce;
use klero_leader::{PoolId, VrfKeyHash};
use klero_support::Options;

use crate::args::keyfile::read_pool_secret;
use crate::args::secrets::refuse_secret;
use crate::args::source::Source;
use crate::args::threads;
use crate::chain::network::NetworkArgs;
use crate::chain::stake::StakeArgs;
use crate::table::{Compression, Dialect, Format, Target, Writer};
use crate::ui::error::{Error, Status};
use crate::ui::interrupt::Interrupt;
use draw::draw;
use election::Election;
use output::Log;

/// List the slots of an epoch in which a stake pool leads
///
/// A pool leads in a slot if the output of its VRF is small enough for its stake. Klero evaluates the VRF at
/// every slot of the epoch, and compares the output with the threshold to the last digit, as the node does.
/// The stake at the end of an epoch decides who leads two epochs later: in epoch 500, for example, the stake
/// at the end of epoch 498 decides.
///
/// Keep the printed slots private. Until the blocks are made, only the owner of the key can know these slots.
/// Anyone else who learns them can attack the pool's node at the right moment.
#[derive(clap::Args)]
#[command(
    after_help = EXIT_STATUS,
    after_long_help = format!("{EXIT_STATUS}\n\n{SHAPE}"),
    mut_arg("network", |arg| arg
        .help("The network. Any network without a name here has a genesis file")
        .required_unless_present_any(["shelley_genesis", "db"]))
)]
pub struct Args {
    /// VRF secret key of the pool: a file, or - for standard input. The forms of cardano-cli (text envelope
    /// and Bech32) are read, and so are hex, base64, CBOR and raw bytes
    #[arg(long, value_name = "FILE|-")]
    key: String,
    /// The pool: 56 hex digits or pool1…
    #[arg(long, value_name = "ID", value_parser = pool)]
    pool: PoolId,
    /// The epoch. With --db, the default is the epoch of the last block
    #[arg(long, value_name = "EPOCH", required_unless_present = "db")]
    epoch: Option<u64>,
    /// A node's database, from which the network, the nonce and the stake are read. Files in or beside the
    /// database name the network. The newest ledger state has the stake of two epochs: its own and the next.
    /// The nonces are computed from the blocks in ImmutableDB, which ends k blocks before the tip (half a day
    /// on mainnet). Klero relies on the node here, and does not verify the blocks again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["nonce", "nonces", "stake", "ledger"])]
    db: Option<PathBuf>,
    /// List the slots of the epoch after the epoch of the last block. The nonce of the listed epoch must be
    /// fixed, which happens some time before the epoch begins (on mainnet about a day and a half)
    #[arg(long, requires = "db", conflicts_with = "epoch")]
    next: bool,
    #[command(flatten)]
    network: NetworkArgs,
    /// Nonce of the epoch, if it is not built in. `cardano-cli query protocol-state` prints the nonce of the
    /// current epoch, as epochNonce
    #[arg(long, value_name = "HEX", value_parser = nonce, conflicts_with = "nonces")]
    nonce: Option<Nonce>,
    /// JSON file with nonces that are not built in: objects with epoch_no (or epoch) and nonce, as db-sync,
    /// Koios and Blockfrost provide them; or the output of `cardano-cli query protocol-state`
    #[arg(long, value_name = "FILE")]
    nonces: Option<PathBuf>,
    #[command(flatten)]
    stake: StakeArgs,
    /// Print one JSON document instead of text
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the slots as CSV instead of text
    #[arg(long)]
    csv: bool,
    /// Write the slots to FILE, as a table that only the file's owner can read: CSV, JSON lines or Parquet,
    /// as the end of the file's name says
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    out: Option<PathBuf>,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    the slots were found, or there are none
  2    something cannot be read or is not known, the key is not that of the
       pool, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM";

const SHAPE: &str = "\
Tables (--csv, --out): a row for each slot, with the columns epoch, slot, time
(UTC, empty if not known), epoch_slot (counted from 0 in the epoch), pool,
stake, total and margin (the leader value divided by the largest one that
leads).

JSON (--json), one object:
  format       1: the version of this form. It rises if a field changes its
               meaning or goes; new fields do not raise it
  klero        the version of the program
  network      name, magic, genesis_hash
  epoch        number, protocol (tpraos, praos), nonce, first_slot, last_slot,
               first_time, last_time (null if not known)
  decentralization
               share of the slots that is left out, as it belongs to the
               genesis delegates
  pool         id, hex, vrf (the hash of its VRF key), vrf_registered (whether
               the stake names this hash; if not, it names none)
  stake        pool, total, source of the total (given, or sum over the pools)
  checksum     null, or that of the ledger state: \"right\" or \"not checked\"
  last_slot_read
               null, or the slot of the last block of --db
  drawn        slots in which the pools draw
  probability  that the pool leads in one of them
  expected     number of slots in which it leads
  no_times     why times are not known, or null
  slots        slot, time, epoch_slot, margin";

/// Reads a pool's ID. The text may be a secret, so the error does not repeat it.
fn pool(text: &str) -> Result<PoolId, String> {
    text.parse()
        .map_err(|_| "expected 56 hexadecimal digits or pool1…, without a typing error".into())
}

fn nonce(text: &str) -> Result<Nonce, String> {
    text.parse()
        .map_err(|_| "expected 64 hexadecimal digits".into())
}

/// Runs `klero leaderlog`.
pub fn run(args: &Args) -> Result<Status, Error> {
    threads::start(None)?;
    let table = args.table()?;
    let election = Arc::new(Election::of(args)?);
    let source = Source::from(args.key.as_str());
    let key = read_pool_secret(&source)?;
    let vrf = VrfKeyHash::of_key(key.public_key().as_bytes());
    let candidate = election.candidate(args.pool, vrf)?;
    let interrupt = Interrupt::listen();
    let Some(leads) = draw(&election, &candidate, key, &interrupt) else {
        return Ok(Status::Interrupted);
    };
    let log = Log {
        election: &election,
        candidate: &candidate,
        leads: &leads,
        drawn: election.drawn(),
    };
    match table {
        Some(table) => log.write(table)?,
        None if args.json => log.json()?,
        None => return log.text().map(|()| Status::AllValid),
    }
    if args.out.is_some() {
        log.summary()?;
    }
    Ok(Status::AllValid)
}

impl Args {
    /// Creates the table to write, if `--csv` or `--out` is given. A file appears when it is complete.
    fn table(&self) -> Result<Option<Box<dyn Writer>>, Error> {
        let dialect = Dialect::default();
        let Some(path) = &self.out else {
            let csv = Format::Csv(Compression::None);
            return self.csv.then(|| csv.create(None, &dialect)).transpose();
        };
        refuse_secret("--out", path)?;
        let format = Format::of_output(path)?;
        if Target::File(path.clone(), format).is(self.key.as_ref()) {
            return Err(Error::at(
                "--out",
                "this is the file of the key, which would be lost: expected another file",
            ));
        }
        self.stake.refuse_as_output("--out", path)?;
        let options = Options {
            secret: true,
            replace: true,
        };
        let output = klero_support::Output::create_with(path, options)?;
        format.over(output, &dialect).map(Some)
    }
}
