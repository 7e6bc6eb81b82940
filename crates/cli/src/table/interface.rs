//! The interface of a table format: a reader, a writer, and the dialect that both use.

use std::collections::{BTreeMap, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero_arrow::{Fault, Rows, shortened};
use parquet::schema::types::SchemaDescPtr;

use crate::args::source::Source;
use crate::ui::error::Error;

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if all rows have the same columns. In JSON lines, each row can have its own columns.
    fn columns(&self) -> Option<&Schema>;

    /// Reads the next group, or returns `None` at the end. An empty table has one group without rows.
    fn next_group(&mut self) -> Result<Option<Rows>, Error>;

    /// The amount of the table that has been read, and the size of the whole table if it is known.
    /// Depending on the format, both are in bytes or both are in rows.
    fn progress(&self) -> (u64, Option<u64>);

    /// The types of the columns, if the table is Parquet.
    fn types(&self) -> Option<SchemaDescPtr> {
        None
    }

    /// The number of rows in which a value was replaced, because it was text that is not UTF-8, or a number
    /// that JSON does not have. Only values in columns that the command does not use are replaced.
    fn replaced(&self) -> u64 {
        0
    }

    /// The size of the file in bytes. For a pipe, the number of bytes read so far.
    fn size(&self) -> u64;
}

/// Writes a table group by group.
pub trait Writer {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// The number of bytes written so far. Rows that are still in buffers may be missing or only estimated.
    fn written(&self) -> u64;

    /// Completes the file. Without this call, no file appears.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// The delimiter of CSV, and the columns that a format treats in a special way.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The character between two fields of CSV, one byte.
    pub delimiter: u8,
    /// The column of alphas, whose values seldom repeat.
    pub alpha: String,
    /// The column of proofs, whose values never repeat.
    pub proof: String,
    /// The column of outputs, whose values never repeat. Each of them can be missing.
    pub output: String,
    /// The columns that the command uses. Only in these is a value that the format cannot express a fault.
    pub read: Vec<String>,
    /// The types of the input table's columns, if that table is Parquet.
    pub types: Option<SchemaDescPtr>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: b',',
            alpha: "alpha".into(),
            proof: "proof".into(),
            output: "output".into(),
            read: Vec::new(),
            types: None,
        }
    }
}

/// Numbers the rows of a table, group by group.
#[derive(Default)]
pub struct Numbering {
    rows: u64,
    started: bool,
}

impl Numbering {
    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Numbers the next group. Returns `None` if the batch is empty and is not the first batch.
    pub fn next(&mut self, batch: RecordBatch, faults: BTreeMap<usize, Fault>) -> Option<Rows> {
        let rows = batch.num_rows();
        if rows == 0 && self.started {
            return None;
        }
        self.started = true;
        let first_row = self.rows + 1;
        self.rows += rows as u64;
        Some(Rows {
            first_row,
            batch,
            faults,
        })
    }
}

/// Refuses a table in which two columns share a name.
pub fn check_names(source: &Source, schema: &Schema) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match schema
        .fields()
        .iter()
        .find(|field| !seen.insert(field.name()))
    {
        Some(field) => Err(source.unreadable(format_args!(
            "column {:?} appears twice, expected different names",
            shortened(field.name())
        ))),
        None => Ok(()),
    }
}
