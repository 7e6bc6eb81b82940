//! The input, which is some consecutive rows of a table, and the outcome.

use std::collections::BTreeMap;
use std::fmt;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field};

use crate::error::TableError;
use crate::new_columns;

/// The most rows of one batch, 2^20. The columns that are written have offsets of 32 bits, so
/// the values of each must fit into 2 GiB.
pub const MAX_ROWS: usize = 1 << 20;

/// Some consecutive rows of a table. A [`RecordBatch`] converts to rows numbered from 1, without faults.
///
/// ```
/// use arrow_array::{RecordBatch, record_batch};
/// use klero_arrow::Rows;
/// let batch: RecordBatch = record_batch!(("alpha", Utf8, ["00"]))?;
/// let rows = Rows { first_row: 5001, ..Rows::from(batch) };
/// assert!(rows.faults.is_empty());
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rows {
    /// The number of the first row; the first row of a table is 1.
    pub first_row: u64,
    /// The rows.
    pub batch: RecordBatch,
    /// The faults of rows that the reader of a file could not read, by row (from 0 in this batch). Such
    /// a row is invalid for that reason. Its cells in `batch` hold what could be read.
    pub faults: BTreeMap<usize, Fault>,
}

/// The reason why the reader of a file could not read a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place in the file.
    pub place: String,
    /// The fault, in the same text for all rows with the same fault.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl From<RecordBatch> for Rows {
    fn from(batch: RecordBatch) -> Self {
        Self {
            first_row: 1,
            batch,
            faults: BTreeMap::new(),
        }
    }
}

impl Rows {
    /// The number that a row of this batch has in the table.
    pub(crate) fn number(&self, row: usize) -> u64 {
        self.first_row.saturating_add(row as u64)
    }

    /// Refuses a batch of more rows than [`MAX_ROWS`].
    pub(crate) fn check_count(&self) -> Result<(), TableError> {
        let rows = self.batch.num_rows();
        if rows > MAX_ROWS {
            return Err(TableError::TooManyRows {
                rows,
                limit: MAX_ROWS,
            });
        }
        Ok(())
    }

    /// Reads each row with `read`, or gives the row's fault.
    pub(crate) fn read<T>(
        &self,
        mut read: impl FnMut(usize) -> Result<T, String>,
    ) -> Vec<Result<T, String>> {
        (0..self.batch.num_rows())
            .map(|row| match self.faults.get(&row) {
                Some(fault) => Err(fault.to_string()),
                None => read(row),
            })
            .collect()
    }

    /// The error for a refusal by Arrow's own functions.
    pub(crate) fn failed(&self, error: ArrowError) -> TableError {
        TableError::Arrow {
            first_row: self.first_row,
            error,
        }
    }
}

/// A batch with its verdicts.
#[must_use = "the verdicts are in its batch"]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The batch with the new columns.
    pub batch: RecordBatch,
    /// The invalid rows, in order.
    pub invalid: Vec<InvalidRow>,
}

/// An invalid row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidRow {
    /// Its place in the batch, from 0.
    pub position: usize,
    /// Its number in the table, from 1.
    pub number: u64,
    /// The reason why it is invalid. For a [`Fault`], this is `what` alone; the verdict also names the place.
    pub reason: String,
}

impl Outcome {
    /// The rows with `new` columns and the column `verdict`, without the column `removed`.
    /// `reasons` has one entry per row, `None` where the row is valid.
    pub(crate) fn new(
        rows: &Rows,
        mut new: Vec<(Field, ArrayRef)>,
        verdict: &str,
        removed: Option<&str>,
        reasons: &[Option<&str>],
    ) -> Result<Self, TableError> {
        let batch = new_columns::verdicts(verdict, reasons)
            .and_then(|verdicts| {
                new.push(verdicts);
                new_columns::with_columns(&rows.batch, new, removed)
            })
            .map_err(|error| rows.failed(error))?;
        let invalid = reasons.iter().enumerate().filter_map(|(row, reason)| {
            let reason = (*reason)?;
            let fault = rows.faults.get(&row);
            Some(InvalidRow {
                position: row,
                number: rows.number(row),
                reason: fault.map_or(reason, |fault| &fault.what).into(),
            })
        });
        Ok(Self {
            batch,
            invalid: invalid.collect(),
        })
    }
}
