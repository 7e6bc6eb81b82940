//! The input (consecutive rows of a table) and the outcome.

use std::collections::BTreeMap;
use std::fmt;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field};

use crate::error::TableError;
use crate::new_columns;

/// The maximum number of rows in a batch, 2^20. The number is limited because a new column has 32-bit
/// offsets, so all its values together must fit into 2 GiB.
pub const MAX_ROWS: usize = 1 << 20;

/// Some consecutive rows of a table. A [`RecordBatch`] converts to rows without faults, numbered from 1.
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
    /// The number of the first row. The first row of a table has the number 1.
    pub first_row: u64,
    /// The rows.
    pub batch: RecordBatch,
    /// The rows that the reader of a file could not read: for each position in `batch` (from 0), the fault,
    /// which makes the row invalid. The cells of the row contain everything that could be read.
    pub faults: BTreeMap<usize, Fault>,
}

/// The reason why the reader of a file could not read a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place of the row in the file, such as `line 3`.
    pub place: String,
    /// The description of the fault. All rows with the same fault have the same description.
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
    /// Converts a row's position in the batch to its number in the table.
    pub(crate) fn number(&self, row: usize) -> u64 {
        self.first_row.saturating_add(row as u64)
    }

    /// Refuses a batch with more rows than [`MAX_ROWS`].
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

    /// Reads each row with `read`. For a row with a fault, the result is this fault.
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

    /// Returns the error for a failure of Arrow's own functions.
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
    /// The invalid rows, in the order of the batch.
    pub invalid: Vec<InvalidRow>,
}

/// An invalid row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidRow {
    /// The position of the row in the batch, from 0.
    pub position: usize,
    /// The number of the row in the table, from 1.
    pub number: u64,
    /// The reason why the row is invalid. For a [`Fault`], it is `what`; the verdict adds the `place`.
    pub reason: String,
}

impl Outcome {
    /// Adds the `new` columns and the column `verdict` to the rows, and removes the column `removed`.
    /// `reasons` has one entry per row, which is `None` for a valid row.
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
