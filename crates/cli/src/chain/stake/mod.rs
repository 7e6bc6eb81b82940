//! The options that say who may lead: stake by epochs, and the share of the genesis delegates.

mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_cardano::{Decentralization, Network, Protocol};
use klero_leader::{
    Distribution, DistributionBuilder, Snapshot, stake_distribution, stake_snapshot,
};

use super::network::{number, pair};
use crate::error::Error;
use crate::input::Source;
use crate::secrets::refuse_secret;
use table::Names;

/// The longest answer of `cardano-cli`, in bytes. Mainnet's has about two million.
const LONGEST: u64 = 64 << 20;

/// Stake, and how to read it.
#[derive(clap::Args)]
pub struct StakeArgs {
    /// Stake, which says who may lead: a table (CSV, JSON lines or Parquet) with the
    /// columns epoch, pool (56 hex digits or pool1…), stake (lovelace) and, if it has them, vrf
    /// (the hash of the VRF key) and total (lovelace of all pools; without it their sum); or the
    /// JSON that `cardano-cli query stake-snapshot --all-stake-pools` or `query
    /// stake-distribution` prints. Can be repeated
    #[arg(long, value_name = "FILE")]
    stake: Vec<PathBuf>,
    /// Epoch in which the stake decides, for files without a column epoch. For a stake snapshot the
    /// epoch in which it was asked for; its mark and go decide in the epochs after and before
    #[arg(long, value_name = "EPOCH", requires = "stake")]
    stake_epoch: Option<u64>,
    /// What to add to the column epoch: 2 where it names the epoch at whose end the stake stood
    #[arg(long, value_name = "EPOCHS", requires = "stake", default_value_t = 0)]
    offset: u64,
    /// Other names of columns, as in pool=pool_id,stake=amount. Text behind // in the name of a
    /// column is a comment
    #[arg(
        long, value_name = "COLUMN=NAME", requires = "stake", value_delimiter = ',',
        value_parser = table::renamed
    )]
    column: Vec<(usize, String)>,
    /// Share d of the slots of an epoch, before Babbage, that was taken out of the lottery for the
    /// genesis delegates, as in 222=0.6. It was voted on chain
    #[arg(long, value_name = "EPOCH=D", value_delimiter = ',', value_parser = share)]
    decentralization: Vec<(u64, Decentralization)>,
}

impl StakeArgs {
    /// The stake of epochs, in the order of the files.
    pub fn stake(&self) -> Result<BTreeMap<u64, Distribution>, Error> {
        let mut all = Builders::default();
        let names = Names::new(&self.column)?;
        for path in &self.stake {
            refuse_secret("--stake", path)?;
            match path
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("json"))
            {
                true => self.json(path, &mut all)?,
                false => table::read(path, &names, (self.stake_epoch, self.offset), &mut all)?,
            }
        }
        all.finish()
    }

    /// The answer of `cardano-cli`.
    fn json(&self, path: &Path, all: &mut Builders) -> Result<(), Error> {
        let source = Source::File(path.to_owned());
        let asked = self.stake_epoch.ok_or_else(|| {
            source.unreadable("JSON of cardano-cli names no epoch: expected --stake-epoch")
        })?;
        let bytes = source.read("--stake", LONGEST)?;
        let json = String::from_utf8(bytes).map_err(|error| source.unreadable(error))?;
        let is_snapshot = serde_json::from_str::<serde_json::Value>(&json)
            .map_err(|error| source.unreadable(error))?
            .get("total")
            .is_some();
        if !is_snapshot {
            let of = stake_distribution(&json).map_err(|error| source.unreadable(error))?;
            return all.whole(&source, asked, of);
        }
        let epochs = [
            (asked.checked_sub(1), Snapshot::Go),
            (Some(asked), Snapshot::Set),
            (asked.checked_add(1), Snapshot::Mark),
        ];
        for (epoch, snapshot) in epochs {
            if let Some(epoch) = epoch {
                let of =
                    stake_snapshot(&json, snapshot).map_err(|error| source.unreadable(error))?;
                all.whole(&source, epoch, of)?;
            }
        }
        Ok(())
    }

    /// Tells the network which share its delegates had.
    pub fn shares(&self, network: &mut Network) -> Result<(), Error> {
        let mut named = BTreeMap::new();
        for &(epoch, d) in &self.decentralization {
            let starts = network.era_starts();
            let is_open =
                epoch >= starts.shelley && starts.babbage.is_none_or(|babbage| epoch < babbage);
            if !is_open {
                return Err(Error::new(format!(
                    "--decentralization {epoch}: delegates had a share from Shelley to Alonzo, and \
                     epoch {epoch} of {} is in none of these ({:?})",
                    network.name(),
                    Protocol::TPraos,
                )));
            }
            if named.insert(epoch, d).is_some() {
                return Err(Error::new(format!(
                    "--decentralization names epoch {epoch} twice"
                )));
            }
            network.set_decentralization(epoch, d);
        }
        Ok(())
    }
}

/// `EPOCH=D`.
fn share(text: &str) -> Result<(u64, Decentralization), String> {
    let (epoch, d) = pair(text)?;
    let d = d
        .parse()
        .map_err(|_| "expected a number from 0 to 1, such as 0.6, after the =")?;
    Ok((number(epoch)?, d))
}

/// The stake of epochs while it is read.
#[derive(Default)]
pub struct Builders {
    epochs: BTreeMap<u64, (DistributionBuilder, Option<u64>)>,
    whole: BTreeMap<u64, Distribution>,
}

impl Builders {
    /// An epoch's stake in one piece.
    fn whole(&mut self, source: &Source, epoch: u64, of: Distribution) -> Result<(), Error> {
        if self.epochs.contains_key(&epoch) || self.whole.insert(epoch, of).is_some() {
            return Err(
                source.unreadable(format_args!("the stake of epoch {epoch} is there already"))
            );
        }
        Ok(())
    }

    /// Adds a row, or says what is wrong with it.
    fn row(&mut self, epoch: u64, row: table::Row) -> Result<(), String> {
        if self.whole.contains_key(&epoch) {
            return Err(format!("the stake of epoch {epoch} is there already"));
        }
        let (builder, total) = self.epochs.entry(epoch).or_default();
        match (*total, row.total) {
            (Some(before), Some(now)) if before != now => {
                return Err(format!(
                    "the total of epoch {epoch} is {now}, and {before} in rows before"
                ));
            }
            (None, Some(now)) => {
                *total = Some(now);
                builder.total(now);
            }
            _ => {}
        }
        builder
            .pool(row.pool, row.stake, row.vrf)
            .map_err(|error| format!("epoch {epoch}: {error}"))
    }

    fn finish(self) -> Result<BTreeMap<u64, Distribution>, Error> {
        let mut all = self.whole;
        for (epoch, (builder, _)) in self.epochs {
            let of = builder
                .build()
                .map_err(|error| Error::at(format_args!("--stake: epoch {epoch}"), error))?;
            all.insert(epoch, of);
        }
        Ok(all)
    }
}
