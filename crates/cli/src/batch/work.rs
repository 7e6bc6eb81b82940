//! The main loop of a batch command, which reads each table, computes the answers and writes the table.

use std::iter;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use arrow_select::filter::filter_record_batch;
use indicatif::HumanCount;
use klero_arrow::{Outcome, Rows, TableError};
use klero_support::{Queue, ordered};
use serde_json::json;

use super::files::Files;
use super::reasons::{self, Reasons};
use super::tables::Table;
use crate::args::source::Source;
use crate::table::{Dialect, Format, Reader, most_output};
use crate::ui::error::{Error, Status};
use crate::ui::progress::Progress;
use crate::ui::terminal::{say, say_json};

/// The end of the summary line about rows with a replaced value. Such values are only in unused columns.
const REPLACED: &str =
    "values written with U+FFFD, not being UTF-8, or as null, being NaN or infinite";

/// The library's table, and its functions: `check` checks columns; `answer` verifies, proves or evaluates.
pub struct Work<T> {
    pub table: T,
    /// The columns that are read, by their default names.
    pub read: &'static [&'static str],
    pub check: fn(&T, &Schema) -> Result<(), TableError>,
    pub answer: fn(&T, Rows) -> Result<Outcome, TableError>,
}

/// The totals of all tables so far.
#[derive(Default)]
struct Total {
    tables: u64,
    rows: u64,
    invalid: u64,
    /// The sizes of the tables that were read, in bytes. `written` has the bytes that were written.
    read: u64,
    written: u64,
}

impl Files {
    /// Reads the tables, writes them with the answers of `work`, and prints a summary of each table on
    /// standard error.
    pub fn process<T: Send + Sync + 'static>(
        &self,
        tables: &[Table],
        work: Work<T>,
    ) -> Result<Status, Error> {
        self.check_delimiter(tables)?;
        let dialect = self.shape.dialect(work.read)?;
        let work = Arc::new(work);
        let mut total = Total::default();
        for table in tables {
            self.process_one(table, &dialect, &work, &mut total)?;
        }
        if self.out_dir.is_some() {
            total.summarize(self.json);
        }
        Ok(match total.invalid {
            0 => Status::AllValid,
            _ => Status::SomeInvalid,
        })
    }

    fn process_one<T: Send + Sync + 'static>(
        &self,
        table: &Table,
        dialect: &Dialect,
        work: &Arc<Work<T>>,
        total: &mut Total,
    ) -> Result<(), Error> {
        let Table { source, target, .. } = table;
        let refused = |fault| Error::at(source, describe(&fault));
        let mut reader = table.format.open(source, dialect)?;
        if let Some(schema) = reader.columns() {
            (work.check)(&work.table, schema).map_err(refused)?;
        }
        let mut writer = target.create(&Dialect {
            types: reader.types(),
            ..dialect.clone()
        })?;
        let mut progress = Progress::start(target.is_stdout());
        let mut reasons = Reasons::default();
        let (mut read, work) = (0, Arc::clone(work));
        let queue = Queue::new(move |group: Result<Group, Error>| {
            let Group {
                rows,
                position,
                size,
            } = group?;
            Ok::<_, Error>(((work.answer)(&work.table, rows), position, size))
        });
        for outcome in ordered(groups(&mut *reader), queue) {
            let (outcome, position, size) = outcome?;
            let outcome = outcome.map_err(refused)?;
            progress.advance(outcome.batch.num_rows(), position);
            let batch = match self.only_invalid {
                true => invalid_rows(&outcome).map_err(|error| Error::at(source, error))?,
                false => outcome.batch,
            };
            writer.write(&batch)?;
            read = size;
            self.check_output(table, writer.written(), progress.rows(), size, total)?;
            let invalid = outcome.invalid.into_iter();
            reasons.count(invalid.map(|row| (row.number, row.reason)));
        }
        total.add(&progress, &reasons, read, writer.written());
        progress.clear();
        writer.finish()?;
        self.summarize(source, &reasons, &progress, reader.replaced());
        Ok(())
    }

    /// Refuses `--delimiter` if no table that is read or written is CSV.
    fn check_delimiter(&self, tables: &[Table]) -> Result<(), Error> {
        let mut formats = tables
            .iter()
            .flat_map(|table| [Some(table.format), table.target.format()]);
        if self.shape.delimiter.is_some()
            && !formats.any(|format| format.is_some_and(Format::is_csv))
        {
            return Err(Error::new("--delimiter: no table is CSV"));
        }
        Ok(())
    }

    /// Prints the summary of a whole table.
    fn summarize(&self, source: &Source, reasons: &Reasons, progress: &Progress, replaced: u64) {
        if self.json {
            let mut summary = reasons.json(source, progress.rows());
            summary["replaced"] = replaced.into();
            return say_json(&summary);
        }
        say(reasons.summary(source, progress.rows(), progress.timing()));
        reasons.lines().for_each(say);
        if replaced > 0 {
            say(reasons::line(replaced, REPLACED));
        }
        if progress.rows() == 0 {
            say("the table has no rows");
        }
    }

    /// Returns an error if too many bytes were written, given that this table has `size` bytes and that the
    /// tables before it have the totals `before`.
    fn check_output(
        &self,
        table: &Table,
        written: u64,
        rows: u64,
        size: u64,
        before: &Total,
    ) -> Result<(), Error> {
        let read = before.read.saturating_add(size);
        let most = self.max_output.unwrap_or_else(|| most_output(read));
        if before.written.saturating_add(written) <= most {
            return Ok(());
        }
        let others = match before.written {
            0 => String::new(),
            bytes => format!(", and {bytes} for tables before it"),
        };
        Err(Error::at(
            format_args!("cannot write {}", table.target.name()),
            format_args!(
                "{written} bytes up to row {rows}, for {size} bytes of {}{others}: expected at most \
                 {most} (--max-output BYTES changes that)",
                table.source
            ),
        ))
    }
}

impl Total {
    fn add(&mut self, progress: &Progress, reasons: &Reasons, read: u64, written: u64) {
        self.tables += 1;
        self.rows += progress.rows();
        self.invalid += reasons.invalid();
        self.read = self.read.saturating_add(read);
        self.written = self.written.saturating_add(written);
    }

    fn summarize(&self, json: bool) {
        let (tables, rows, invalid) = (self.tables, self.rows, self.invalid);
        let valid = rows - invalid;
        if json {
            return say_json(
                &json!({"tables": tables, "rows": rows, "valid": valid, "invalid": invalid}),
            );
        }
        say(format_args!(
            "{} table{}: {} rows, {} valid, {} invalid",
            HumanCount(tables),
            if tables == 1 { "" } else { "s" },
            HumanCount(rows),
            HumanCount(valid),
            HumanCount(invalid),
        ));
    }
}

/// A group of rows, and the values of [`Reader::progress`] and [`Reader::size`] after the group was read.
struct Group {
    rows: Rows,
    position: (u64, Option<u64>),
    size: u64,
}

/// The groups of a table. Nothing is read after an error.
fn groups(reader: &mut dyn Reader) -> impl Iterator<Item = Result<Group, Error>> {
    let mut failed = false;
    iter::from_fn(move || {
        if failed {
            return None;
        }
        let group = reader.next_group();
        failed = group.is_err();
        let group = group.transpose()?;
        Some(group.map(|rows| Group {
            rows,
            position: reader.progress(),
            size: reader.size(),
        }))
    })
}

/// Returns the invalid rows of an outcome.
fn invalid_rows(outcome: &Outcome) -> Result<RecordBatch, ArrowError> {
    let mut invalid = outcome.invalid.iter().map(|row| row.position).peekable();
    let rows = 0..outcome.batch.num_rows();
    let kept: Vec<bool> = rows.map(|row| invalid.next_if_eq(&row).is_some()).collect();
    filter_record_batch(&outcome.batch, &kept.into())
}

/// Describes a fault in a table, and names the command-line options that can mend it.
fn describe(fault: &TableError) -> String {
    match fault {
        TableError::NoSuite { column } => {
            format!("no suite: name it with --suite or in a column {column}")
        }
        TableError::MissingColumn { .. } => format!("{fault} (--column names another)"),
        TableError::KeyAndSeeds { column } => {
            format!("there is a column {column:?} and --key was given: expected one of them")
        }
        fault => fault.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table whose third group cannot be read.
    #[derive(Default)]
    struct Damaged(u64);

    impl Reader for Damaged {
        fn columns(&self) -> Option<&Schema> {
            None
        }

        fn next_group(&mut self) -> Result<Option<Rows>, Error> {
            self.0 += 1;
            match self.0 {
                1 | 2 => Ok(Some(RecordBatch::new_empty(Schema::empty().into()).into())),
                3 => Err(Error::new("damaged")),
                _ => Ok(None),
            }
        }

        fn progress(&self) -> (u64, Option<u64>) {
            (self.0, None)
        }

        fn size(&self) -> u64 {
            3
        }
    }

    #[test]
    fn an_error_is_the_last_that_is_read_of_a_table() {
        let mut table = Damaged::default();
        let read = ordered(groups(&mut table), Queue::new(|group| group));
        let seen: Vec<_> = read
            .map(|group| group.ok().map(|group| group.position))
            .collect();
        assert_eq!(seen, [Some((1, None)), Some((2, None)), None]);
        assert_eq!(table.0, 3);
    }
}
