//! The interface of a table format: a reader, a writer, and the dialect that they are given.

use std::collections::{BTreeMap, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero_arrow::{Fault, Rows, shortened};
use parquet::schema::types::SchemaDescPtr;

use crate::args::source::Source;
use crate::ui::error::Error;

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if all rows have the same ones. In JSON lines each row can have its own.
    fn columns(&self) -> Option<&Schema>;

    /// The next group; `None` at the end. Even an empty table has a first group, which shows its columns.
    fn next_group(&mut self) -> Result<Option<Rows>, Error>;

    /// The amount of the table that has been read, and the whole amount, if known; in bytes or in rows,
    /// depending on the format.
    fn progress(&self) -> (u64, Option<u64>);

    /// The types of the columns, if the table is Parquet.
    fn types(&self) -> Option<SchemaDescPtr> {
        None
    }

    /// The number of rows with a replaced value in a column that is not read: text that is not UTF-8, or a
    /// number that JSON does not have.
    fn replaced(&self) -> u64 {
        0
    }

    /// The bytes of the file or, for a pipe, the bytes read so far.
    fn size(&self) -> u64;
}

/// Writes a table group by group.
pub trait Writer {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// The number of bytes of the file so far. The last rows can still be missing.
    fn written(&self) -> u64;

    /// Completes the file; without it no file appears.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// The delimiter of CSV, and the columns that formats treat in their own way.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The character between two fields of CSV, one byte.
    pub delimiter: u8,
    /// The column of alphas, whose values are mostly different.
    pub alpha: String,
    /// The column of proofs, whose values are all different.
    pub proof: String,
    /// The column of outputs. Its values are all different, and any of them can be missing.
    pub output: String,
    /// The columns that are read. In other columns, a value that the format cannot express is no fault.
    pub read: Vec<String>,
    /// The types of the columns of the table that is read, if it is Parquet.
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
    /// Rows numbered so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The next group, numbered. An empty batch is the end of the table, unless it is the first.
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
