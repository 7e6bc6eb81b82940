//! The table that a batch command reads and the one that it writes.

use std::iter;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use arrow_select::filter::filter_record_batch;
use klero::Suite;
use klero_arrow::{Outcome, Rows, TableError};
use klero_pipeline::Results;

use super::reasons::Reasons;
use crate::choice;
use crate::error::{self, Error, Status};
use crate::input::Source;
use crate::progress::Progress;
use crate::table::{Destination, Format, most_output};

/// The end of each command's help.
pub const FORMATS: &str = "\
Formats:
  csv        a header line, values in hex; blank lines are skipped, except in a table
             of one column, where a blank line is an empty value
  jsonl      one object per line (also .ndjson), values are strings of hex; blank lines
             are skipped
  parquet    text columns hold hex, binary columns the bytes themselves
  .gz, .zst  after csv or jsonl: compressed
  The end of a file's name says its format. Standard output gets the format of FILE,
  uncompressed; Parquet needs --out. FILE may be a named pipe, unless it is Parquet. A
  row may have up to 64 MiB. Columns that are not listed here pass through unchanged. No
  two columns may have the same name.

Suites:
  --suite is the suite of every row; a row whose column suite names another is invalid.
  Without --suite the column suite names the suite of each row.

Exit status:
  0  every row is valid
  1  some row is invalid
  2  the table could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM; no table was written";

/// The table to read and the table to write.
#[derive(clap::Args)]
pub struct Files {
    /// Table to read, - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Suite of every row (`klero suites` lists them), if no column suite names it
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    pub suite: Option<Suite>,
    /// Format of FILE, if its name does not say it
    #[arg(long, value_name = "FORMAT", value_parser = choice::format())]
    format: Option<Format>,
    #[command(flatten)]
    pub destination: Destination,
    /// Write over FILE itself
    #[arg(long)]
    force: bool,
    /// Write only the rows that are invalid
    #[arg(long)]
    only_invalid: bool,
    /// Print the summary on standard error as one JSON object: rows, valid, invalid, and the
    /// reasons with their counts and first rows
    #[arg(long)]
    json: bool,
    /// Most bytes to write. A small table can expand to a large one. By default 1 GiB, or 1000
    /// bytes for each byte of FILE if that is more
    #[arg(long, value_name = "BYTES")]
    max_output: Option<u64>,
}

impl Files {
    /// The table to read.
    pub fn source(&self) -> Source {
        Source::from(self.file.as_str())
    }

    fn format(&self) -> Result<Format, Error> {
        self.format
            .or_else(|| Format::of(Path::new(&self.file)))
            .ok_or_else(|| {
                self.source().unreadable(format_args!(
                    "unknown format: expected a name that ends in {}, or --format",
                    Format::expected()
                ))
            })
    }

    /// Reads the table, writes what `work` makes of its rows with `table`, and prints a summary on
    /// standard error. `check` refuses a table by its columns, where all its rows have the same.
    pub fn process<T: Send + Sync + 'static>(
        &self,
        table: T,
        check: fn(&T, &Schema) -> Result<(), TableError>,
        work: fn(&T, Rows) -> Result<Outcome, TableError>,
    ) -> Result<Status, Error> {
        let source = self.source();
        source.refuse_secret("FILE")?;
        let format = self.format()?;
        let refused = |fault| Error::at(&source, describe(&fault));
        self.refuse_to_replace(&source)?;
        let out_format = self.destination.format(format.uncompressed())?;
        let mut reader = format.open(&source)?;
        if let Some(schema) = reader.columns() {
            check(&table, schema).map_err(refused)?;
        }
        let mut writer = self.destination.create(out_format)?;
        let mut progress = Progress::start(self.destination.is_stdout());
        let mut reasons = Reasons::default();
        let groups = iter::from_fn(|| match reader.next_group() {
            Ok(rows) => Some(Ok((rows?, reader.progress(), reader.size()))),
            Err(error) => Some(Err(error)),
        });
        let outcomes = Results::new(groups, move |(rows, position, size)| {
            (work(&table, rows), position, size)
        });
        for outcome in outcomes {
            let (outcome, position, size) = outcome?;
            let outcome = outcome.map_err(refused)?;
            progress.advance(outcome.batch.num_rows(), position);
            let batch = if self.only_invalid {
                invalid_rows(&outcome).map_err(|error| Error::at(&source, error))?
            } else {
                outcome.batch
            };
            writer.write(&batch)?;
            self.check_output(writer.written(), progress.rows(), size)?;
            reasons.count(
                outcome
                    .invalid
                    .into_iter()
                    .map(|row| (row.number, row.reason)),
            );
        }
        writer.finish()?;
        progress.clear();
        self.summarize(&source, &reasons, &progress);
        Ok(match reasons.invalid() {
            0 => Status::AllValid,
            _ => Status::SomeInvalid,
        })
    }

    /// Refuses to write over the table that is read, unless told to.
    fn refuse_to_replace(&self, source: &Source) -> Result<(), Error> {
        match source {
            Source::File(file) if self.destination.is(file) && !self.force => {
                Err(Error::new(format!(
                    "cannot write {source}: it is the table that is read (--force replaces it)"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Prints what there is to say about the whole table.
    fn summarize(&self, source: &Source, reasons: &Reasons, progress: &Progress) {
        if self.json {
            return error::say_json(&reasons.json(source, progress.rows()));
        }
        error::say(reasons.summary(source, progress.rows(), progress.timing()));
        reasons.lines().for_each(error::say);
        if progress.rows() == 0 {
            error::say("the table has no rows");
        }
    }

    /// Refuses to write more for a table of `size` bytes, of which `rows` are written.
    fn check_output(&self, written: u64, rows: u64, size: u64) -> Result<(), Error> {
        let most = self.max_output.unwrap_or_else(|| most_output(size));
        if written <= most {
            return Ok(());
        }
        Err(Error::at(
            format_args!("cannot write {}", self.destination.name()),
            format_args!(
                "{written} bytes up to row {rows}, for {size} bytes of {}: expected at most {most} \
                 (--max-output BYTES changes that)",
                self.source()
            ),
        ))
    }
}

/// The rows of an outcome that are invalid.
fn invalid_rows(outcome: &Outcome) -> Result<RecordBatch, ArrowError> {
    let mut invalid = outcome.invalid.iter().map(|row| row.position).peekable();
    let rows = 0..outcome.batch.num_rows();
    let kept: Vec<bool> = rows.map(|row| invalid.next_if_eq(&row).is_some()).collect();
    filter_record_batch(&outcome.batch, &kept.into())
}

/// What is wrong with a table, with the options that the library does not know.
fn describe(fault: &TableError) -> String {
    match fault {
        TableError::NoSuite { column } => {
            format!("no suite: name it with --suite or in a column {column}")
        }
        TableError::KeyAndSeeds { column } => {
            format!("there is a column {column:?} and --key was given: expected one of them")
        }
        fault => fault.to_string(),
    }
}
