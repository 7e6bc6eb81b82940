//! Tables of stake.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_arrow::{StakeColumns, StakeTable, TableError};
use klero_leader::Distribution;

use crate::columns::{self, Role, names};
use crate::error::Error;
use crate::input::Source;
use crate::table::{Dialect, Format};

/// Each column with the name that it has by default.
const ROLES: [Role<StakeColumns>; 5] = [
    ("epoch", |columns| &mut columns.epoch),
    ("pool", |columns| &mut columns.pool),
    ("stake", |columns| &mut columns.stake),
    ("vrf", |columns| &mut columns.vrf),
    ("total", |columns| &mut columns.total),
];

/// Reading tables of stake.
#[derive(clap::Args)]
pub struct TableArgs {
    /// What to add to the column epoch: 2 where it names the epoch at whose end the stake stood
    #[arg(long, value_name = "EPOCHS", requires = "stake", default_value_t = 0)]
    offset: u64,
    /// Other names of columns, as in pool=pool_id,stake=amount. Text behind // in the name of a
    /// column is a comment
    #[arg(
        long, value_name = "COLUMN=NAME", requires = "stake", value_delimiter = ',',
        value_parser = renamed
    )]
    column: Vec<(usize, String)>,
}

impl TableArgs {
    /// The stake of epochs in these files. `epoch` is that of tables without a column epoch.
    pub fn read(
        &self,
        paths: &[&PathBuf],
        epoch: Option<u64>,
    ) -> Result<BTreeMap<u64, Distribution>, Error> {
        let mut tables = StakeTable::new()
            .columns(names(&ROLES, &self.column)?)
            .offset(self.offset);
        if let Some(epoch) = epoch {
            tables = tables.epoch(epoch);
        }
        for path in paths {
            read(path, &Source::File(path.to_path_buf()), &mut tables)?;
        }
        let tables = tables.finish();
        tables.map_err(|error| Error::at("--stake", describe(&error)))
    }
}

/// The forms that are read.
const EXPECTED: &str = "expected CSV (a name that ends in .csv, .csv.gz or .csv.zst), or in .json the \
                        answer of cardano-cli; DuckDB makes CSV of Parquet or JSON lines: copy (from \
                        'stake.parquet') to 'stake.csv'";

/// Adds the stake of a table.
fn read(path: &Path, source: &Source, tables: &mut StakeTable) -> Result<(), Error> {
    let format = Format::of(path).filter(|format| format.is_csv());
    let format = format.ok_or_else(|| source.unreadable(EXPECTED))?;
    let mut reader = format.open(source, &Dialect::default())?;
    let mut rows = 0;
    while let Some(group) = reader.next_group()? {
        rows += group.batch.num_rows();
        let added = tables.add(group);
        added.map_err(|error| source.unreadable(describe(&error)))?;
    }
    match rows {
        0 => Err(source.unreadable("the table has no rows")),
        _ => Ok(()),
    }
}

/// What is wrong with a table, with the options that the library does not know.
fn describe(fault: &TableError) -> String {
    match fault {
        TableError::MissingColumn { .. } => {
            format!("{fault} (--column names another, --stake-epoch the epoch of all rows)")
        }
        TableError::EpochTwice { column } => format!(
            "there is a column {column:?} and --stake-epoch was given: expected one of them"
        ),
        fault => fault.to_string(),
    }
}

fn renamed(text: &str) -> Result<(usize, String), String> {
    columns::renamed(&ROLES, text)
}
