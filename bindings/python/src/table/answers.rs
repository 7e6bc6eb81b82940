//! The batches of a new table, computed on all cores while they are read.

use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use klero_arrow::{Outcome, Rows};
use klero_support::{Queue, ordered};
use pyo3::prelude::*;

use super::refused;
use crate::errors::TableError;
use crate::stream::{Input, called_back};
use crate::threads::{Threads, pool};

/// Rows that one thread works on at a time, at most: the largest sum that the library makes. Longer
/// batches are divided, so that several threads share a table of some thousand rows.
const GROUP_ROWS: usize = 2048;

/// A batch, or why there is none.
type Pulled = Result<RecordBatch, String>;

/// The batches of the new table.
pub struct Answers {
    pub schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Pulled> + Send>,
    ended: bool,
    /// Why they ended early.
    pub failure: Arc<Mutex<Option<PyErr>>>,
    /// The process that has the threads.
    process: u32,
}

impl Answers {
    /// One batch.
    pub fn of_one(batch: RecordBatch) -> Self {
        Self::new(batch.schema(), iter::once(Ok(batch)))
    }

    fn new(schema: SchemaRef, batches: impl Iterator<Item = Pulled> + Send + 'static) -> Self {
        Self {
            schema,
            batches: Box::new(batches),
            ended: false,
            failure: Arc::default(),
            process: process::id(),
        }
    }

    /// What `work` makes of the rows of a table.
    pub fn of(
        input: Input,
        threads: Threads,
        work: impl Fn(Rows) -> Result<Outcome, klero_arrow::TableError> + Send + Sync + 'static,
    ) -> PyResult<Self> {
        let empty = RecordBatch::new_empty(input.schema);
        let schema = work(Rows::from(empty)).map_err(refused)?.batch.schema();
        let groups = Groups {
            batches: input.batches,
            rest: None,
            next_row: 1,
        };
        let work = move |rows: Result<Rows, String>| match work(rows?) {
            Ok(outcome) => Ok(outcome.batch),
            Err(fault) => Err(fault.to_string()),
        };
        let batches = ordered(groups, Queue::on(pool(threads)?, work));
        Ok(Self::new(schema, batches))
    }

    /// The next batch, or why there is none; nothing follows an error. The GIL must not be held: a
    /// thread that drops the memory of a Python object takes it.
    fn pull(&mut self) -> Option<Pulled> {
        if self.ended {
            return None;
        }
        let pulled = if self.process == process::id() {
            catch_unwind(AssertUnwindSafe(|| self.batches.next())).unwrap_or_else(|panic| {
                Some(Err(format!("internal error: {}", message(panic.as_ref()))))
            })
        } else {
            Some(Err(
                "the table was made in another process: read it there".into()
            ))
        };
        self.ended = !matches!(pulled, Some(Ok(_)));
        pulled
    }

    /// Computes all batches.
    pub fn compute(mut self, py: Python<'_>) -> PyResult<Self> {
        let mut batches = Vec::new();
        while let Some(batch) = py.detach(|| self.pull()) {
            batches.push(batch.map_err(TableError::new_err)?);
            py.check_signals()?;
        }
        Ok(Self::new(self.schema, batches.into_iter().map(Ok)))
    }
}

impl Iterator for Answers {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failure = self.failure.clone();
        let fail = |error: PyErr, message: String| {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            // The C interface has no place for a zero.
            ArrowError::InvalidArgumentError(message.replace('\0', "\u{fffd}"))
        };
        let pulled = called_back(
            || {
                let batch = self.pull()?;
                Some(batch.map_err(|fault| fail(TableError::new_err(fault.clone()), fault)))
            },
            |_, error| {
                let message = format!("interrupted by {error}");
                Some(Err(fail(error, message)))
            },
        );
        self.ended |= !matches!(pulled, Some(Ok(_)));
        pulled
    }
}

impl RecordBatchReader for Answers {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The rows of a table in groups of at most [`GROUP_ROWS`], up to an error.
struct Groups {
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    /// What is left of a batch; it has rows.
    rest: Option<RecordBatch>,
    next_row: u64,
}

impl Iterator for Groups {
    type Item = Result<Rows, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.batches.find(|batch| !is_empty(batch))? {
                Ok(batch) => batch,
                Err(error) => {
                    self.batches = Box::new(iter::empty());
                    let row = self.next_row;
                    return Some(Err(format!(
                        "cannot read the table from row {row} on: {error}"
                    )));
                }
            },
        };
        let rows = batch.num_rows().min(GROUP_ROWS);
        if rows < batch.num_rows() {
            self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        let first_row = self.next_row;
        self.next_row += rows as u64;
        let batch = batch.slice(0, rows);
        Some(Ok(Rows {
            first_row,
            ..Rows::from(batch)
        }))
    }
}

fn is_empty(batch: &Result<RecordBatch, ArrowError>) -> bool {
    batch.as_ref().is_ok_and(|batch| batch.num_rows() == 0)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}
