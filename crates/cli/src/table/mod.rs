//! Tables of claims: three file formats, one form in memory.
//!
//! A [`Reader`] divides a file into groups of consecutive [`Rows`], a [`Writer`] writes
//! groups to a file, and between the two every format is an Arrow record batch, whose columns
//! pass through unchanged. Types are never guessed: a CSV column is text, a JSON field is its
//! JSON text (of Arrow's extension type `arrow.json`), a Parquet column has the type that the
//! file says. Groups are small, so that memory does not grow with the file.
//!
//! A new format is a module with a `Reader` and a `Writer`, a variant of [`Format`] and its
//! names in the table of [`format`](self::format), and an arm in [`open`] and in [`create`].

mod blank;
mod bytes;
mod csv;
mod fixed;
mod format;
mod json;
mod pages;
mod parquet;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_array::timezone::Tz;
use arrow_schema::{DataType, Schema, SchemaRef};
use klero_arrow::{Rows, shortened};
use klero_files::Output;

use crate::error::Error;
use crate::input::Source;

use bytes::Sink;

pub use format::{Compression, Format};

/// Rows in a group, at most.
pub const GROUP_ROWS: usize = 4096;
/// A group is closed when its text passes this many bytes.
const GROUP_BYTES: usize = 8 << 20;
/// Rows times columns in a group, at most; wide tables get shorter groups.
const GROUP_CELLS: usize = 1 << 20;
/// The longest row, in bytes of its cells or, in a text table, of its text.
const MAX_ROW: u64 = 64 << 20;
/// Columns of a text table, at most.
const MAX_COLUMNS: usize = 4096;
/// The longest name of a field in JSON lines, in bytes.
const MAX_NAME: usize = 4096;

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if they are the same in all rows; JSON lines have none such.
    fn columns(&self) -> Option<&Schema>;

    /// The next group. The first one always exists, so that an empty table still
    /// shows its columns.
    fn next_group(&mut self) -> Result<Option<Rows>, Error>;

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

/// Opens a table for reading.
pub fn open(source: &Source, format: Format) -> Result<Box<dyn Reader>, Error> {
    Ok(match format {
        Format::Csv(compression) => Box::new(csv::Reader::open(source, compression)?),
        Format::Jsonl(compression) => Box::new(json::Reader::open(source, compression)?),
        Format::Parquet => Box::new(parquet::Reader::open(source)?),
    })
}

/// Creates a table. Without a path it goes to standard output, which Parquet,
/// being no text, does not.
pub fn create(path: Option<&Path>, format: Format) -> Result<Box<dyn Writer>, Error> {
    if path.is_none() && format == Format::Parquet {
        return Err(Error::new(
            "cannot write Parquet to standard output: expected --out FILE or --out-format",
        ));
    }
    let output = path.map_or_else(|| Ok(Output::stdout()), Output::create)?;
    Ok(match format {
        Format::Csv(compression) => Box::new(csv::Writer::new(Sink::new(output, compression)?)),
        Format::Jsonl(compression) => Box::new(json::Writer::new(Sink::new(output, compression)?)),
        Format::Parquet => Box::new(parquet::Writer::new(output)),
    })
}

/// The table that a command writes.
#[derive(clap::Args)]
pub struct Destination {
    /// Table to write, - for standard output. Its format is that of its name's end; it
    /// appears when it is complete
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format to write: csv, jsonl (each also with .gz or .zst) or parquet; needed if the
    /// name of the table does not say it
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<Format>,
}

impl Destination {
    /// The file; `None` is standard output.
    fn path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Whether the rows go to this file.
    pub fn is(&self, file: &Path) -> bool {
        let same = |path| matches!((fs::canonicalize(path), fs::canonicalize(file)), (Ok(a), Ok(b)) if a == b);
        self.path().is_some_and(same)
    }

    /// Whether the rows go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path().is_none()
    }

    /// The format in which it is written; on standard output `otherwise`, if no other was
    /// asked for.
    pub fn format(&self, otherwise: Format) -> Result<Format, Error> {
        let named = match self.path() {
            None => Some(otherwise),
            Some(path) => Format::of(path),
        };
        self.out_format.or(named).ok_or_else(|| {
            let name = self.out.as_deref().unwrap_or(Path::new("-")).display();
            Error::new(format!(
                "cannot write {name}: unknown format: expected a name that ends in {}, or \
                 --out-format",
                Format::expected()
            ))
        })
    }

    /// Creates it.
    pub fn create(&self, format: Format) -> Result<Box<dyn Writer>, Error> {
        create(self.path(), format)
    }
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
            shortened(field.name())
        ))),
        None => Ok(()),
    }
}

/// Refuses to print times of a zone that is not known, in a file of this name.
fn check_zones(file: &str, schema: &Schema) -> Result<(), Error> {
    for field in schema.fields() {
        if let DataType::Timestamp(_, Some(zone)) = field.data_type()
            && zone.parse::<Tz>().is_err()
        {
            return Err(Error::at(
                format_args!("cannot write {file}"),
                format_args!(
                    "column {:?}: unknown time zone {:?}",
                    shortened(field.name()),
                    shortened(zone)
                ),
            ));
        }
    }
    Ok(())
}

/// Rows of a group in a table of this many columns.
fn rows_per_group(columns: usize) -> usize {
    GROUP_ROWS.min(GROUP_CELLS / columns.max(1)).max(1)
}
