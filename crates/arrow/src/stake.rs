//! Tables of stake: what each pool has, by the epochs in which it decides who may lead.

use std::collections::BTreeMap;

use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::ArrowError;
use klero_leader::{Distribution, DistributionBuilder, PoolId, VrfKeyHash};

use crate::encoding::{is_json, mark};
use crate::error::{TableError, shortened};
use crate::rows::Rows;

/// The names of the columns of stake. Each has the name of its role unless it is given another.
///
/// ```
/// use klero_arrow::StakeColumns;
/// let columns = StakeColumns { pool: "pool_id".into(), ..StakeColumns::default() };
/// assert_eq!(columns.stake, "stake");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StakeColumns {
    /// The epoch.
    pub epoch: String,
    /// The pool: 56 hex digits, or `pool1…`.
    pub pool: String,
    /// Its stake in lovelace.
    pub stake: String,
    /// The hash of its VRF key: 64 hex digits. The column may be missing, or a cell.
    pub vrf: String,
    /// The stake of all pools together. The column may be missing, or a cell: then it is the sum.
    pub total: String,
}

impl Default for StakeColumns {
    fn default() -> Self {
        Self {
            epoch: "epoch".into(),
            pool: "pool".into(),
            stake: "stake".into(),
            vrf: "vrf".into(),
            total: "total".into(),
        }
    }
}

/// Reads stake from tables with a row for each pool and epoch, as explorers and indexers export it.
///
/// Text behind `//` in the name of a column is a comment. Numbers may be text. A row that cannot be read
/// is an error: stake that is not whole decides wrongly.
///
/// ```
/// use arrow_array::record_batch;
/// use klero_arrow::StakeTable;
/// let pool = "07".repeat(28);
/// let mut table = StakeTable::new();
/// table.add(record_batch!(
///     ("epoch", UInt64, [222, 223]),
///     ("pool", Utf8, [pool.as_str(), pool.as_str()]),
///     ("stake", UInt64, [1000, 2000])
/// )?)?;
/// let stake = table.finish()?;
/// assert_eq!(stake[&223].total(), 2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct StakeTable {
    columns: StakeColumns,
    /// The epoch of all rows, if no column names them.
    epoch: Option<u64>,
    offset: u64,
    epochs: BTreeMap<u64, Builder>,
}

/// The stake of an epoch while it is read.
#[derive(Clone, Debug, Default)]
struct Builder {
    pools: DistributionBuilder,
    total: Option<u64>,
}

/// A row that was read.
struct Row {
    epoch: u64,
    pool: PoolId,
    stake: u64,
    vrf: Option<VrfKeyHash>,
    total: Option<u64>,
}

impl StakeTable {
    /// Stake in columns of the usual names.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for columns of other names.
    ///
    /// ```
    /// use klero_arrow::{StakeColumns, StakeTable};
    /// let columns = StakeColumns { stake: "amount".into(), ..StakeColumns::default() };
    /// let table = StakeTable::new().columns(columns);
    /// ```
    pub fn columns(self, columns: StakeColumns) -> Self {
        Self { columns, ..self }
    }

    /// All rows are of this epoch, in which their stake decides. There must be no column for it.
    ///
    /// ```
    /// let table = klero_arrow::StakeTable::new().epoch(222);
    /// ```
    pub fn epoch(self, epoch: u64) -> Self {
        Self {
            epoch: Some(epoch),
            ..self
        }
    }

    /// Adds this number to the epoch in the column. Use 2 if the column names the epoch at the end of
    /// which the stake stood.
    ///
    /// ```
    /// let table = klero_arrow::StakeTable::new().offset(2);
    /// ```
    pub fn offset(self, epochs: u64) -> Self {
        Self {
            offset: epochs,
            ..self
        }
    }

    /// Adds the rows of a table, or of a part of one.
    ///
    /// # Errors
    /// [`TableError::MissingColumn`], [`TableError::ColumnTwice`], [`TableError::EpochTwice`], and
    /// [`TableError::StakeRow`], which names the row.
    pub fn add(&mut self, rows: impl Into<Rows>) -> Result<(), TableError> {
        let rows = &rows.into();
        let cells = self.cells(rows)?;
        for row in 0..rows.batch.num_rows() {
            let read = match rows.faults.get(&row) {
                Some(fault) => Err(fault.to_string()),
                None => cells.row(self, row),
            };
            let added = read.and_then(|read| self.add_row(read));
            added.map_err(|fault| TableError::StakeRow {
                row: rows.number(row),
                fault,
            })?;
        }
        Ok(())
    }

    /// The stake of each epoch.
    ///
    /// # Errors
    /// [`TableError::Stake`] names the epoch, whose stake is none.
    pub fn finish(self) -> Result<BTreeMap<u64, Distribution>, TableError> {
        let epochs = self.epochs.into_iter();
        let built = epochs.map(|(epoch, builder)| match builder.pools.build() {
            Ok(stake) => Ok((epoch, stake)),
            Err(reason) => Err(TableError::Stake { epoch, reason }),
        });
        built.collect()
    }

    fn add_row(&mut self, row: Row) -> Result<(), String> {
        let epoch = row.epoch;
        let builder = self.epochs.entry(epoch).or_default();
        match (builder.total, row.total) {
            (Some(before), Some(now)) if before != now => {
                return Err(format!(
                    "the total of epoch {epoch} is {now}, and {before} in rows before"
                ));
            }
            (None, Some(now)) => {
                builder.total = Some(now);
                builder.pools.total(now);
            }
            _ => {}
        }
        let added = builder.pools.pool(row.pool, row.stake, row.vrf);
        added.map_err(|error| format!("epoch {epoch}: {error}"))
    }

    fn cells(&self, rows: &Rows) -> Result<Cells, TableError> {
        let StakeColumns {
            epoch,
            pool,
            stake,
            vrf,
            total,
        } = &self.columns;
        let batch = &rows.batch;
        let texts = |name: &str| match place(batch, name)? {
            None => Ok(None),
            Some(place) => texts(batch, place)
                .map(Some)
                .map_err(|error| rows.failed(error)),
        };
        let mut expected = vec![epoch, pool, stake];
        if self.epoch.is_some() {
            expected.remove(0);
        }
        for name in &expected {
            if place(batch, name)?.is_none() {
                return Err(missing(rows, name, &expected));
            }
        }
        if self.epoch.is_some() && place(batch, epoch)?.is_some() {
            return Err(TableError::EpochTwice {
                column: epoch.clone(),
            });
        }
        Ok(Cells {
            epoch: texts(epoch)?,
            pool: texts(pool)?,
            stake: texts(stake)?,
            vrf: texts(vrf)?,
            total: texts(total)?,
        })
    }
}

/// The texts of a column; `None` for a null.
type Texts = Vec<Option<String>>;

/// The texts of the columns of some rows; `None` for a column that is not there.
struct Cells {
    epoch: Option<Texts>,
    pool: Option<Texts>,
    stake: Option<Texts>,
    vrf: Option<Texts>,
    total: Option<Texts>,
}

impl Cells {
    fn row(&self, table: &StakeTable, row: usize) -> Result<Row, String> {
        let cell = |column: &Option<Texts>| {
            let text = column.as_ref()?.get(row)?.as_deref()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let number = |name: &str, text: String| {
            text.parse::<u64>().map_err(|_| {
                let text = shortened(&text);
                format!("{name} is {text:?}, expected a whole number below 2^64")
            })
        };
        let missing = |name: &str| format!("{name} is missing");
        let names = &table.columns;
        let named = |name: &str, column| cell(column).ok_or_else(|| missing(name));
        let epoch = match table.epoch {
            Some(epoch) => epoch,
            None => {
                let name = &names.epoch;
                let epoch = number(name, named(name, &self.epoch)?)?;
                let decides = epoch.checked_add(table.offset);
                decides.ok_or_else(|| {
                    let offset = table.offset;
                    format!(
                        "{name} is {epoch}, expected less than 2^64 with the offset of {offset}"
                    )
                })?
            }
        };
        let digits = |text: String| text[mark(text.as_bytes())..].to_owned();
        let pool = digits(named(&names.pool, &self.pool)?).parse();
        let vrf = cell(&self.vrf).map(digits);
        let vrf = vrf.map(|text| text.parse()).transpose();
        let total = cell(&self.total).map(|text| number(&names.total, text));
        Ok(Row {
            epoch,
            pool: pool.map_err(|error| format!("{}: {error}", names.pool))?,
            stake: number(&names.stake, named(&names.stake, &self.stake)?)?,
            vrf: vrf.map_err(|error| format!("{}: {error}", names.vrf))?,
            total: total.transpose()?,
        })
    }
}

/// The place of the only column of this name, with or without a comment.
fn place(batch: &RecordBatch, name: &str) -> Result<Option<usize>, TableError> {
    let schema = batch.schema();
    let is_named = |found: &str| {
        let without = found.split_once("//").map_or(found, |(name, _)| name);
        found == name || without.trim() == name
    };
    let fields = schema.fields().iter().enumerate();
    let mut places = fields.filter(|(_, field)| is_named(field.name()));
    let first = places.next().map(|(place, _)| place);
    match places.next() {
        None => Ok(first),
        Some(_) => Err(TableError::ColumnTwice { name: name.into() }),
    }
}

/// The error of rows without a column. If there is no column at all, a row that could not be read tells
/// more.
fn missing(rows: &Rows, name: &str, expected: &[&String]) -> TableError {
    match rows.faults.first_key_value() {
        Some((row, fault)) if rows.batch.num_columns() == 0 => TableError::StakeRow {
            row: rows.number(*row),
            fault: fault.to_string(),
        },
        _ => TableError::MissingColumn {
            name: name.into(),
            expected: expected.iter().map(|name| (*name).clone()).collect(),
            found: rows
                .batch
                .schema()
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect(),
        },
    }
}

/// The texts of a column: numbers as digits, strings of JSON as what they hold, bytes as hex.
fn texts(batch: &RecordBatch, place: usize) -> Result<Texts, ArrowError> {
    let column = batch.column(place);
    let options = FormatOptions::new();
    let cells = ArrayFormatter::try_new(column, &options)?;
    let is_json = is_json(batch.schema().field(place));
    let text = |row| {
        if column.is_null(row) {
            return Ok(None);
        }
        let text = cells.value(row).try_to_string()?;
        Ok(match is_json {
            true if text == "null" => None,
            true => Some(serde_json::from_str(&text).unwrap_or(text)),
            false => Some(text),
        })
    };
    (0..column.len()).map(text).collect()
}
