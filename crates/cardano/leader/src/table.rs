//! Stake as a CSV table, as explorers and databases export it.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;
use csv::{ReaderBuilder, StringRecord};

use crate::distribution::{Distribution, DistributionBuilder};
use crate::error::BadInput;
use crate::pool::{PoolId, VrfKeyHash};

/// The columns, each with the other names that it may have.
const EPOCH: (&str, &[&str]) = ("epoch", &["epoch_no"]);
const POOL: (&str, &[&str]) = ("pool", &["pool_id", "pool_hash"]);
const STAKE: (&str, &[&str]) = ("stake", &["active_stake", "amount"]);
const VRF: (&str, &[&str]) = ("vrf", &["vrf_key_hash"]);
const TOTAL: (&str, &[&str]) = ("total", &[]);

/// Reads stake from CSV with a header and a row for each pool and epoch.
///
/// The columns are `epoch` (or `epoch_no`), `pool` (`pool_id`, `pool_hash`), and `stake` in lovelace
/// (`active_stake`, `amount`). A table may also have `vrf` (`vrf_key_hash`), the hash of the pool's VRF key,
/// and `total`, the total active stake. Without `total`, the total is the sum over the pools. Other columns
/// are ignored. Text after `//` in the name of a column is a comment. If there is no column `epoch`, the
/// argument `epoch` is the epoch of all rows. Otherwise, `offset` is added to each epoch in the column: 0 if
/// the stake decides in that epoch, and 2 if the pools had the stake at the end of that epoch.
///
/// # Errors
/// Returns an error for a header or a row that cannot be read, and for rows that contradict each other.
/// Nothing is skipped, because incomplete stake would lead to wrong verdicts. The message gives the row,
/// counted from 1, and the column if a cell is at fault.
///
/// ```
/// use klero_leader::stake_table;
/// let pool = "07".repeat(28);
/// let csv = format!("epoch,pool,stake\n222,{pool},1000\n223,0x{pool},2000\n");
/// assert_eq!(stake_table(&csv, None, 0)?[&223].total(), 2000);
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
pub fn stake_table(
    csv: &str,
    epoch: Option<u64>,
    offset: u64,
) -> Result<BTreeMap<u64, Distribution>, BadInput> {
    let bad = |fault: &dyn Display| BadInput(fault.to_string());
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .from_reader(csv.as_bytes());
    let header = reader.headers().map_err(|error| bad(&error))?;
    let columns = Columns::of(header, epoch, offset).map_err(BadInput)?;
    let mut epochs = BTreeMap::<u64, DistributionBuilder>::new();
    for (number, record) in (1_u64..).zip(reader.records()) {
        let read = record.map_err(|error| error.to_string());
        let added = read.and_then(|record| columns.add(&record, &mut epochs));
        added.map_err(|fault| bad(&format_args!("row {number}: {fault}")))?;
    }
    if epochs.is_empty() {
        return Err(bad(&"the table has no rows"));
    }
    let built = epochs.into_iter().map(|(epoch, builder)| {
        let stake = builder.build();
        let stake = stake.map_err(|reason| bad(&format_args!("epoch {epoch}: {reason}")));
        Ok((epoch, stake?))
    });
    built.collect()
}

/// The index of each column.
struct Columns {
    count: usize,
    /// The epoch of all rows, if the table has no column for it. Otherwise, the offset that is added to the
    /// epochs in the column.
    epoch_base: u64,
    epoch: Option<usize>,
    pool: usize,
    stake: usize,
    vrf: Option<usize>,
    total: Option<usize>,
}

impl Columns {
    fn of(header: &StringRecord, epoch: Option<u64>, offset: u64) -> Result<Self, String> {
        if header.is_empty() {
            return Err("the file is empty: expected a line with the names of columns".to_owned());
        }
        let place = |(name, others): (&str, &[&str])| {
            let is_named = |found: &str| {
                let found = found
                    .split_once("//")
                    .map_or(found, |(name, _)| name)
                    .trim();
                found == name || others.contains(&found)
            };
            let mut places = (0..header.len()).filter(|place| is_named(&header[*place]));
            match (places.next(), places.next()) {
                (first, None) => Ok(first),
                _ => Err(format!("column {name:?} appears twice: expected one")),
            }
        };
        let needed = |column: (&str, &[&str])| {
            place(column)?.ok_or_else(|| {
                // If the file has no header, these names are really cells, and long cells may be secret.
                let listed = header.iter().map(|name| match name.len() {
                    0..=32 => name.to_owned(),
                    length => format!("({length} bytes, not shown)"),
                });
                let found = listed.collect::<alloc::vec::Vec<_>>().join(", ");
                let hint = match found.contains([';', '\t']) {
                    true => ". Between fields, expected a comma",
                    false => "",
                };
                let found = found.chars().take(200).collect::<String>();
                format!(
                    "there is no column {:?}: expected epoch (unless it is given for all rows), pool, \
                     stake; found {found}{hint}",
                    column.0
                )
            })
        };
        let epoch_column = match (place(EPOCH)?, epoch) {
            (Some(_), Some(_)) => Err(
                "there is a column \"epoch\", and an epoch was given for all \
                                       rows: expected one of them"
                    .to_owned(),
            ),
            (None, Some(_)) => Ok(None),
            _ => needed(EPOCH).map(Some),
        };
        Ok(Self {
            count: header.len(),
            epoch_base: epoch.unwrap_or(offset),
            epoch: epoch_column?,
            pool: needed(POOL)?,
            stake: needed(STAKE)?,
            vrf: place(VRF)?,
            total: place(TOTAL)?,
        })
    }

    /// Adds a row to the stake of its epoch.
    fn add(
        &self,
        row: &StringRecord,
        epochs: &mut BTreeMap<u64, DistributionBuilder>,
    ) -> Result<(), String> {
        if row.len() != self.count {
            let line = row.position().map_or(0, csv::Position::line);
            let (expected, found) = (self.count, row.len());
            return Err(format!(
                "line {line}: expected {expected} fields, found {found}"
            ));
        }
        if row.iter().any(|field| field.contains('\n')) {
            return Err("a field goes over several lines: is a quote missing?".to_owned());
        }
        let epoch = match self.epoch {
            None => self.epoch_base,
            Some(place) => {
                let epoch = number("epoch", needed("epoch", row, place)?)?;
                epoch.checked_add(self.epoch_base).ok_or_else(|| {
                    let offset = self.epoch_base;
                    format!("epoch is {epoch}, expected less than 2^64 with the offset of {offset}")
                })?
            }
        };
        let pool: PoolId = needed("pool", row, self.pool)?
            .parse()
            .map_err(|error| format!("pool: {error}"))?;
        let stake = number("stake", needed("stake", row, self.stake)?)?;
        let vrf = self.vrf.and_then(|place| cell(row, place));
        let vrf = vrf.map(|text| text.parse::<VrfKeyHash>()).transpose();
        let vrf = vrf.map_err(|error| format!("vrf: {error}"))?;
        let total = self.total.and_then(|place| cell(row, place));
        let total = total.map(|text| number("total", text)).transpose()?;
        let builder = epochs.entry(epoch).or_default();
        if let Some(now) = total {
            if let Some(before) = builder.total.filter(|before| *before != now) {
                return Err(format!(
                    "the total of epoch {epoch} is {now}, and {before} in rows before"
                ));
            }
            builder.total(now);
        }
        let added = builder.pool(pool, stake, vrf);
        added.map_err(|error| format!("epoch {epoch}: {error}"))
    }
}

/// The text of a cell; `None` if it is empty.
fn cell(row: &StringRecord, place: usize) -> Option<&str> {
    let text = row.get(place)?.trim();
    (!text.is_empty()).then_some(text)
}

fn needed<'r>(name: &str, row: &'r StringRecord, place: usize) -> Result<&'r str, String> {
    cell(row, place).ok_or_else(|| format!("{name} is missing"))
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let start: String = text.chars().take(32).collect();
        format!("{name} is {start:?}, expected a whole number below 2^64")
    })
}
