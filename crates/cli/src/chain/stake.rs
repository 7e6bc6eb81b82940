//! The options that determine who may lead: the stake for each epoch, and the share of the slots that belongs
//! to the genesis delegates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ArgGroup;
use klero_cardano::{Checksum, Decentralization, LedgerError, LedgerState, Network};
use klero_leader::{Distribution, stake_snapshot, stake_table};

use super::network::{number, once_each_before_babbage, pair};
use crate::args::secrets::refuse_secret;
use crate::args::source::Source;
#[cfg(feature = "tables")]
use crate::table::{Format, Target};
use crate::ui::error::Error;

/// The longest output of `cardano-cli` that is read, in bytes. On mainnet it has about two million bytes.
const LONGEST: u64 = 64 << 20;

/// The longest table that is read, in bytes. The rows of one epoch of mainnet have some 300 kB.
const LONGEST_TABLE: u64 = 1 << 30;

/// The part of an error that lists the forms in which stake can be given.
const EXPECTED: &str = "expected CSV in a file whose name ends in .csv, or in .json the answer of \
                        cardano-cli. Compressed files are to be decompressed; DuckDB makes CSV of \
                        Parquet or JSON lines: copy (from 'stake.parquet') to 'stake.csv'";

/// The options for the stake.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("distribution").args(["stake", "ledger"]).multiple(true))]
pub struct StakeArgs {
    /// Stake, which determines who may lead. A CSV table has the columns epoch (or epoch_no), pool (or
    /// pool_id, pool_hash: 56 hex digits or pool1…), stake (or active_stake, amount: in lovelace) and,
    /// optionally, vrf (or vrf_key_hash: the hash of the VRF key) and total (lovelace of all pools; by
    /// default the sum of their stake). A JSON file has the output of `cardano-cli query stake-snapshot
    /// --all-stake-pools`. Can be repeated
    #[arg(long, value_name = "FILE")]
    stake: Vec<PathBuf>,
    /// Epoch in which the stake decides who leads, for files without a column epoch. For a stake snapshot,
    /// give the epoch in which the node was asked: the stake in "set" decides in that epoch, "mark" in
    /// the next epoch, and "go" in the epoch before
    #[arg(long, value_name = "EPOCH", requires = "stake")]
    stake_epoch: Option<u64>,
    /// Number to add to the column epoch: 2 if each row has the stake at the end of its epoch
    #[arg(long, value_name = "EPOCHS", requires = "stake", default_value_t = 0)]
    offset: u64,
    /// A node's ledger state: a directory SLOT in ledger/ of its database, or the file state in that
    /// directory (node 9.0 to 11.1, in Babbage or Conway). The stake in the state determines who may lead in
    /// the state's epoch and in the next one. chain verify also compares the state's last block and nonces
    /// with the chain. The checksum that the node wrote beside the state is checked too, if it is known which
    /// bytes that checksum covers
    #[arg(long, value_name = "STATE")]
    ledger: Option<PathBuf>,
    /// For an epoch before Babbage, the share d of its slots that belonged to the genesis delegates and not
    /// to the lottery; for example 222=0.6. Votes on the chain decided d
    #[arg(
        long, value_name = "EPOCH=D", requires = "distribution", value_delimiter = ',',
        value_parser = share
    )]
    decentralization: Vec<(u64, Decentralization)>,
}

impl StakeArgs {
    /// Reads the stake by epoch from all `--stake` files.
    pub fn stake(&self) -> Result<BTreeMap<u64, Distribution>, Error> {
        let mut all = BTreeMap::new();
        for path in &self.stake {
            refuse_secret("--stake", path)?;
            let source = Source::File(path.clone());
            for (epoch, of) in self.read(path, &source)? {
                if all.insert(epoch, of).is_some() {
                    let fault = format_args!("the stake of epoch {epoch} is in another file, too");
                    return Err(source.unreadable(fault));
                }
            }
        }
        Ok(all)
    }

    /// Reads the stake by epoch from one file.
    fn read(&self, path: &Path, source: &Source) -> Result<BTreeMap<u64, Distribution>, Error> {
        let end = path.extension().unwrap_or_default();
        let is_one_of = |ends: &[&str]| ends.iter().any(|known| end.eq_ignore_ascii_case(known));
        // YAML goes to the reader of JSON, whose error mentions the option of `cardano-cli` that prints JSON.
        if is_one_of(&["json", "yaml", "yml"]) {
            return self.json(path, source);
        }
        if !is_one_of(&["csv"]) {
            return Err(source.unreadable(EXPECTED));
        }
        let text = klero_support::read_text(path, LONGEST_TABLE)?;
        stake_table(&text, self.stake_epoch, self.offset).map_err(|error| source.unreadable(error))
    }

    /// Refuses to overwrite a file of `--stake`.
    #[cfg(feature = "tables")]
    pub fn refuse_as_output(&self, option: &str, path: &Path) -> Result<(), Error> {
        let target = Target::File(path.to_owned(), Format::of_output(path)?);
        match self.stake.iter().any(|stake| target.is(stake)) {
            true => Err(Error::at(
                option,
                "this is a file of the stake, which would be lost: expected another file",
            )),
            false => Ok(()),
        }
    }

    /// Reads the stake by epoch from all files and the ledger state. Also returns the result of checking the
    /// state's checksum.
    pub fn all(&self) -> Result<(BTreeMap<u64, Distribution>, Option<Checksum>), Error> {
        let mut all = self.stake()?;
        let Some(state) = self.ledger()? else {
            return Ok((all, None));
        };
        for (epoch, of) in state.stake {
            if all.insert(epoch, of).is_some() {
                let fault = format_args!("the stake of epoch {epoch} is given by --stake, too");
                return Err(Error::at("--ledger", fault));
            }
        }
        Ok((all, Some(state.checksum)))
    }

    /// Loads the ledger state of `--ledger`, if the option is given.
    pub fn ledger(&self) -> Result<Option<LedgerState>, Error> {
        let state = self.ledger.as_ref().map(|path| {
            refuse_secret("--ledger", path)?;
            load_state("--ledger", path)
        });
        state.transpose()
    }

    /// Reads the stake by epoch from an answer of `cardano-cli`.
    fn json(&self, path: &Path, source: &Source) -> Result<BTreeMap<u64, Distribution>, Error> {
        let asked = self.stake_epoch.ok_or_else(|| {
            source.unreadable("JSON of cardano-cli names no epoch: expected --stake-epoch")
        })?;
        let json = klero_support::read_text(path, LONGEST)?;
        let epochs = stake_snapshot(&json, asked).map_err(|error| source.unreadable(error))?;
        match epochs.is_empty() {
            true => Err(source.unreadable(
                "there is no stake in its set snapshot, and none in mark: ask again in a later epoch",
            )),
            false => Ok(epochs),
        }
    }

    /// Sets the shares of the genesis delegates in the network.
    pub fn shares(&self, network: &mut Network) -> Result<(), Error> {
        let given = &self.decentralization;
        once_each_before_babbage(
            "--decentralization",
            "delegates had a share",
            given,
            network,
        )?;
        for &(epoch, d) in given {
            network.set_decentralization(epoch, d);
        }
        Ok(())
    }
}

/// Loads the ledger state that an option names.
pub fn load_state(option: &str, path: &Path) -> Result<LedgerState, Error> {
    LedgerState::load(path).map_err(|error| match error {
        // This error already names the file.
        LedgerError::File(error) => Error::at(option, error),
        error => Error::at(format_args!("{option} {}", path.display()), error),
    })
}

/// Reads `EPOCH=D`.
fn share(text: &str) -> Result<(u64, Decentralization), String> {
    let (epoch, d) = pair(text)?;
    let d = d
        .parse()
        .map_err(|_| "expected a number from 0 to 1, such as 0.6, after the =")?;
    Ok((number(epoch)?, d))
}
