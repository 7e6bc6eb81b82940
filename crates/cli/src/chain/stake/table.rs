//! Stake in a table of any format.

use std::path::Path;

use arrow_array::Array;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use klero_arrow::{Rows, shortened};
use klero_leader::{PoolId, VrfKeyHash};

use super::Builders;
use crate::error::Error;
use crate::input::Source;
use crate::table::{Dialect, Format, plain};

/// The columns by the names that they have unless they are given others.
const COLUMNS: [&str; 5] = ["epoch", "pool", "stake", "vrf", "total"];

/// The names of the columns.
pub struct Names([String; COLUMNS.len()]);

/// A row, without its epoch.
pub struct Row {
    pub pool: PoolId,
    pub stake: u64,
    pub vrf: Option<VrfKeyHash>,
    pub total: Option<u64>,
}

/// A column, as its index in [`COLUMNS`], and its name.
pub fn renamed(text: &str) -> Result<(usize, String), String> {
    let (column, name) = text
        .split_once('=')
        .filter(|(_, name)| !name.is_empty())
        .ok_or("expected COLUMN=NAME, as in pool=pool_id")?;
    match COLUMNS.iter().position(|known| *known == column) {
        Some(column) => Ok((column, name.to_owned())),
        None => Err(format!("expected one of {} before =", COLUMNS.join(", "))),
    }
}

impl Names {
    pub fn new(renamed: &[(usize, String)]) -> Result<Self, Error> {
        let mut names = COLUMNS.map(str::to_owned);
        let mut seen = [false; COLUMNS.len()];
        for (column, name) in renamed {
            if std::mem::replace(&mut seen[*column], true) {
                let fault = "two names for one column: expected one";
                return Err(Error::at(
                    format_args!("--column {}=…", COLUMNS[*column]),
                    fault,
                ));
            }
            names[*column].clone_from(name);
        }
        Ok(Self(names))
    }
}

/// Reads the stake of a table. A row belongs to `epoch`, or to that of its column and `offset`.
pub fn read(
    path: &Path,
    names: &Names,
    (epoch, offset): (Option<u64>, u64),
    all: &mut Builders,
) -> Result<(), Error> {
    let source = Source::File(path.to_owned());
    let format = Format::of(path).ok_or_else(|| {
        source.unreadable(format_args!(
            "unknown format: expected a name that ends in .json, {}",
            Format::expected()
        ))
    })?;
    let mut reader = format.open(&source, &Dialect::default())?;
    let mut rows = 0;
    while let Some(group) = reader.next_group()? {
        if let Some((row, fault)) = group.faults.first_key_value() {
            let number = group.first_row + *row as u64;
            return Err(source.unreadable(format_args!("row {number}: {fault}")));
        }
        rows += group.batch.num_rows();
        let cells =
            Cells::of(&group, names, epoch.is_some()).map_err(|fault| source.unreadable(fault))?;
        for row in 0..group.batch.num_rows() {
            let read = cells.row(row).and_then(|(named, read)| {
                let named = named.map(|named| {
                    let epoch = named.checked_add(offset);
                    epoch.ok_or(format!("epoch {named}: expected a smaller number"))
                });
                let epoch = match (named, epoch) {
                    (Some(named), None) => named?,
                    (_, Some(epoch)) => epoch,
                    (None, None) => return Err("epoch is missing".into()),
                };
                all.row(epoch, read)
            });
            read.map_err(|fault| {
                let number = group.first_row + row as u64;
                source.unreadable(format_args!("row {number}: {fault}"))
            })?;
        }
    }
    match rows {
        0 => Err(source.unreadable("the table has no rows")),
        _ => Ok(()),
    }
}

/// The texts of the columns of some rows.
struct Cells {
    /// In the order of [`COLUMNS`]; empty for a column that is not there.
    columns: [Vec<Option<String>>; COLUMNS.len()],
}

impl Cells {
    fn of(rows: &Rows, Names(names): &Names, has_epoch: bool) -> Result<Self, String> {
        let batch = plain(&rows.batch).map_err(|error| error.to_string())?;
        let schema = batch.schema();
        let found: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| &**field.name())
            .collect();
        let place = |name: &str| {
            let is_name = |found: &&str| *found == name || without_comment(found) == name;
            found.iter().position(is_name)
        };
        let mut texts: [Vec<Option<String>>; COLUMNS.len()] = Default::default();
        for (index, name) in names.iter().enumerate() {
            let Some(place) = place(name) else {
                let is_needed = match COLUMNS[index] {
                    "epoch" => !has_epoch,
                    "pool" | "stake" => true,
                    _ => false,
                };
                if is_needed {
                    let found: Vec<_> = found.iter().map(|name| shortened(name)).collect();
                    let hint = match COLUMNS[index] {
                        "epoch" => "--stake-epoch or --column",
                        _ => "--column",
                    };
                    return Err(format!(
                        "there is no column {name:?}: found {} ({hint} names another)",
                        found.join(", ")
                    ));
                }
                continue;
            };
            if COLUMNS[index] == "epoch" && has_epoch {
                return Err(format!(
                    "there is a column {name:?} and --stake-epoch was given: expected one of them"
                ));
            }
            let column = batch.column(place);
            let options = FormatOptions::new();
            let cells = ArrayFormatter::try_new(column, &options).map_err(|e| e.to_string())?;
            let text = |row| match column.is_null(row) {
                true => Ok(None),
                false => cells.value(row).try_to_string().map(Some),
            };
            let all: Result<_, _> = (0..batch.num_rows()).map(text).collect();
            texts[index] = all.map_err(|error| error.to_string())?;
        }
        Ok(Self { columns: texts })
    }

    /// The epoch of a row, if it names one, and the row.
    fn row(&self, row: usize) -> Result<(Option<u64>, Row), String> {
        let [epoch, pool, stake, vrf, total] = &self.columns;
        let cell = |column: &Vec<Option<String>>| {
            let text = column.get(row)?.as_deref()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let lovelace = |what: &str, text: String| {
            text.parse::<u64>().map_err(|_| {
                let text = shortened(&text);
                format!("{what} is {text:?}, expected a whole number below 2^64")
            })
        };
        let require = |what: &str, column| cell(column).ok_or(format!("{what} is missing"));
        let number = |what, column| cell(column).map(|text| lovelace(what, text)).transpose();
        let pool = require("pool", pool)?;
        let row = Row {
            pool: pool.parse().map_err(|error| format!("{error}"))?,
            stake: lovelace("stake", require("stake", stake)?)?,
            vrf: cell(vrf)
                .map(|text| text.parse().map_err(|error| format!("{error}")))
                .transpose()?,
            total: number("total", total)?,
        };
        Ok((number("epoch", epoch)?, row))
    }
}

/// The name of a column without a comment behind `//`.
fn without_comment(name: &str) -> &str {
    name.split_once("//").map_or(name, |(name, _)| name).trim()
}
