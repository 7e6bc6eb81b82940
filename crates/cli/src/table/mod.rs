//! Tables of claims: three file formats, one form in memory.
//!
//! A [`Reader`] cuts a file into [`Group`]s of rows, a [`Writer`] puts groups
//! into a file, and between the two every format is an Arrow record batch whose
//! columns pass through untouched. No type is ever guessed: a CSV column is text,
//! a JSON field is its JSON text (marked, see [`json`]), a Parquet column is what
//! the file says. Groups are small, so memory does not grow with the file.

mod csv;
mod fixed;
mod json;
mod metered;
mod parquet;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use klero_files::Output;

use crate::error::Error;
use crate::input::Source;

pub use json::is_json;

/// Rows in a group, at most.
pub const GROUP_ROWS: usize = 4096;
/// A group is closed when its text passes this many bytes.
const GROUP_BYTES: usize = 8 << 20;
/// Rows times columns in a group, at most; wide tables get shorter groups.
const GROUP_CELLS: usize = 1 << 20;
/// Columns of a text table, at most.
const MAX_COLUMNS: usize = 4096;

/// Some consecutive rows of a table.
pub struct Group {
    /// The number of the first of them; the table's first row is 1.
    pub first_row: u64,
    /// The rows.
    pub batch: RecordBatch,
    /// Rows (from 0 in this group) that could not be read, and why. Their cells
    /// in `batch` are what could be saved.
    pub faults: BTreeMap<usize, String>,
}

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if they are the same in all rows; JSON lines have none such.
    fn columns(&self) -> Option<&Schema>;

    /// The next group. The first one always exists, so that an empty table still
    /// shows its columns.
    fn next_group(&mut self) -> Result<Option<Group>, Error>;

    /// How much of the table has been read, and how much there is, if known. The
    /// unit is the format's own.
    fn progress(&self) -> (u64, Option<u64>);
}

/// Writes a table group by group.
pub trait Writer {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// Completes the file; without it no file appears.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Comma-separated values with a header line (.csv)
    Csv,
    /// One JSON object a line (.jsonl, .ndjson)
    Jsonl,
    /// Apache Parquet (.parquet)
    Parquet,
}

impl Format {
    /// The format that the name of a file announces.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Opens a table for reading.
pub fn open(source: &Source, format: Format) -> Result<Box<dyn Reader>, Error> {
    Ok(match format {
        Format::Csv => Box::new(csv::Reader::open(source)?),
        Format::Jsonl => Box::new(json::Reader::open(source)?),
        Format::Parquet => Box::new(parquet::Reader::open(source)?),
    })
}

/// Creates a table. Without a path it goes to standard output, which Parquet,
/// being no text, does not.
pub fn create(path: Option<&Path>, format: Format) -> Result<Box<dyn Writer>, Error> {
    if path.is_none() && format == Format::Parquet {
        return Err(Error::new(
            "cannot write Parquet to standard output: expected --out FILE \
             (a name that ends in .csv or .jsonl changes the format)",
        ));
    }
    let file = path.map_or_else(|| Ok(Output::stdout()), Output::create)?;
    Ok(match format {
        Format::Csv => Box::new(csv::Writer::new(file)),
        Format::Jsonl => Box::new(json::Writer::new(file)),
        Format::Parquet => Box::new(parquet::Writer::new(file)),
    })
}

/// Refuses a table in which two columns share a name.
fn check_names(source: &Source, schema: &SchemaRef) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match schema
        .fields()
        .iter()
        .find(|field| !seen.insert(field.name()))
    {
        Some(field) => Err(source.unreadable(format_args!(
            "column {:?} appears twice, expected different names",
            field.name()
        ))),
        None => Ok(()),
    }
}

/// Rows of a group in a table of this many columns.
fn rows_per_group(columns: usize) -> usize {
    GROUP_ROWS.min(GROUP_CELLS / columns.max(1)).max(1)
}
