//! `klero batch`: a table of claims in, the same table with verdicts out.

mod cells;
mod prove;
mod row_suites;
mod verify;

use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use indicatif::HumanCount;
use klero::Suite;

use crate::error::{self, Error, Status};
use crate::input::Source;
use crate::progress::Progress;
use crate::table::{self, Destination, Format, Group};

/// Prove or verify every row of a table: CSV, JSON lines or Parquet
#[derive(clap::Subcommand)]
pub enum Command {
    Verify(verify::Args),
    Prove(prove::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Prove(args) => prove::run(args),
    }
}

const FORMATS: &str = "\
Formats:
  csv        a header line, values in hex; a blank line is no row, except in a table
             of one column, where it is an empty value
  jsonl      one object a line (also .ndjson), values are strings of hex; blank lines
             are skipped
  parquet    a text column is hex, a binary column the bytes themselves
  .gz, .zst  behind csv or jsonl: compressed
  The end of a file's name says its format. Standard output has FILE's format,
  uncompressed. FILE may be a named pipe, unless it is Parquet. Rows may be 64 MiB
  long. Columns that are not named here pass through unchanged; no two columns may
  share a name.

Suites:
  --suite holds for every row, and a row whose column suite says another is invalid.
  Without --suite the column suite says it for each row.

Exit status:
  0  every row is valid
  1  some row is invalid
  2  the table could not be read or written, or the command line is wrong
  130  interrupted by Ctrl-C or SIGTERM; no table was written";

/// The table to read and the table to write.
#[derive(clap::Args)]
struct Files {
    /// Table to read, - for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Suite of every row (`klero suites` lists them), if no column suite says it
    #[arg(long, value_name = "NAME")]
    suite: Option<Suite>,
    /// Format of FILE, if its name does not say it
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    destination: Destination,
}

/// What became of a group.
struct Done {
    batch: RecordBatch,
    /// How many of its rows are invalid.
    invalid: u64,
    /// The first of them: its number in the table, and why.
    first_invalid: Option<(u64, String)>,
}

impl Done {
    /// The group with `new` columns and the verdicts, `without` one of its own.
    /// `reasons` has one per row, `None` where the row is valid.
    fn new<'a>(
        group: &Group,
        mut new: Vec<(Field, ArrayRef)>,
        without: Option<&str>,
        reasons: impl Iterator<Item = Option<&'a String>> + Clone,
    ) -> Result<Self, String> {
        new.push(cells::verdicts(reasons.clone()));
        let batch = cells::with_columns(&group.batch, new, without)
            .map_err(|error| format!("rows from {}: {error}", group.first_row))?;
        let mut invalid = (group.first_row..)
            .zip(reasons)
            .filter_map(|(row, reason)| Some((row, reason?)));
        let first_invalid = invalid.next().map(|(row, reason)| (row, reason.clone()));
        Ok(Self {
            batch,
            invalid: u64::from(first_invalid.is_some()) + invalid.count() as u64,
            first_invalid,
        })
    }
}

impl Files {
    fn source(&self) -> Source {
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

    /// Reads the table, hands every group to `work`, writes what comes back and
    /// says on standard error what was found. `columns` refuses a table whose
    /// columns do not fit.
    fn process(
        &self,
        columns: impl Fn(&Schema) -> Result<(), String>,
        work: impl Fn(Group) -> Result<Done, String> + Sync,
    ) -> Result<Status, Error> {
        let (source, format) = (self.source(), self.format()?);
        let out_format = self.destination.format(format.uncompressed())?;
        let mut reader = table::open(&source, format)?;
        if let Some(schema) = reader.columns() {
            columns(schema).map_err(|fault| Error::at(&source, fault))?;
        }
        let mut writer = self.destination.create(out_format)?;
        let mut progress = Progress::start(self.destination.is_stdout());
        let mut invalid = 0;
        let mut first_invalid = None;
        klero_pipeline::ordered(
            || -> Result<_, Error> {
                let group = reader.next_group()?;
                Ok(group.map(|group| (group, reader.progress())))
            },
            |(group, position)| (work(group), position),
            |(done, position)| {
                let done = done.map_err(|fault| Error::at(&source, fault))?;
                writer.write(&done.batch)?;
                progress.advance(done.batch.num_rows(), position);
                invalid += done.invalid;
                first_invalid = first_invalid.take().or(done.first_invalid);
                Ok(())
            },
        )?;
        writer.finish()?;
        progress.clear();
        error::say(format_args!(
            "{source}: {} row{}, {} valid, {} invalid, {}",
            HumanCount(progress.rows()),
            if progress.rows() == 1 { "" } else { "s" },
            HumanCount(progress.rows() - invalid),
            HumanCount(invalid),
            progress.timing(),
        ));
        if progress.rows() == 0 {
            error::say("the table has no rows");
        }
        Ok(match first_invalid {
            None => Status::AllValid,
            Some((row, reason)) => {
                error::say(format_args!("first invalid: row {row}: {reason}"));
                Status::SomeInvalid
            }
        })
    }
}
