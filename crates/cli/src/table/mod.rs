//! Tables of claims: three file formats, one form in memory.
//!
//! A [`Reader`] divides a file into groups of consecutive [`Rows`], a
//! [`Writer`] writes groups to a file, and between the two every format is an Arrow record
//! batch, whose columns pass through unchanged. Types are never guessed: a CSV column is text, a
//! JSON field is its JSON text (of Arrow's extension type `arrow.json`), a Parquet column has
//! the type that the file says. Groups are small, so that memory does not grow with the file.
//!
//! To add a format, write a module with a `Reader` and a `Writer`, and make it known in
//! [`format`](mod@format): a variant, its file names, how it is opened and created, and whether its fields
//! have a delimiter. The help of `batch` names it, and a session holds every format to the same table.

mod blank;
mod budget;
mod bytes;
mod csv;
mod delta;
mod destination;
mod fixed;
mod format;
mod json;
mod limits;
mod mend;
mod pages;
mod parquet;
mod preview;
mod types;
mod verbatim;
mod views;
mod zones;

use std::collections::{BTreeMap, HashSet};

use ::parquet::schema::types::SchemaDescPtr;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero_arrow::{Fault, Rows, shortened};

pub use self::bytes::Compression;
pub use self::destination::{Destination, Target};
pub use self::format::Format;
pub use self::limits::{GROUP_ROWS, most_output};
use crate::args::source::Source;
use crate::ui::error::Error;

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if all rows have the same. In JSON lines each row has its own.
    fn columns(&self) -> Option<&Schema>;

    /// The next group. There is a first one even in an empty table, which shows its columns.
    fn next_group(&mut self) -> Result<Option<Rows>, Error>;

    /// How much of the table has been read, and how much there is, if known. In bytes or
    /// rows, as the format can tell.
    fn progress(&self) -> (u64, Option<u64>);

    /// The types of the columns, if the table is Parquet.
    fn types(&self) -> Option<SchemaDescPtr> {
        None
    }

    /// How many rows have had a value, in a column that is not read, that was replaced: text that is
    /// not UTF-8, or in JSON a number that it does not have.
    fn replaced(&self) -> u64 {
        0
    }

    /// The bytes of the file; of a pipe, those read so far.
    fn size(&self) -> u64;
}

/// Writes a table group by group.
pub trait Writer {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// The bytes of the file so far. Some rows may not be among them yet.
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
    /// The column of outputs. Its values are all different, and one may be missing.
    pub output: String,
    /// The columns that are read: in another, a value that the format does not have is no fault.
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

    /// The next group with its number. An empty one is the end of the table, unless it is the
    /// first.
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
