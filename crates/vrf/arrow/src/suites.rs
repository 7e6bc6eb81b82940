//! The suite of each row.
//!
//! A suite is never guessed. It is given for the whole table, or the column `suite` gives it for each row. If
//! the table has a suite, a row in which the column `suite` gives a different one is invalid.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero::Suite;

use crate::cells::Cells;
use crate::columns::Options;
use crate::encoding::Text;
use crate::error::TableError;

/// Refuses a schema without the column of suites if no suite was `given`.
pub(crate) fn check(schema: &Schema, given: Option<Suite>, column: &str) -> Result<(), TableError> {
    if given.is_none() && schema.field_with_name(column).is_err() {
        return Err(TableError::NoSuite {
            column: column.into(),
        });
    }
    Ok(())
}

/// The suites of the rows of a batch.
pub(crate) struct RowSuites<'a> {
    given: Option<Suite>,
    column: Cells<'a>,
}

impl<'a> RowSuites<'a> {
    /// Finds the suites of a batch. `given` is the suite of the whole table, if it has one.
    pub(crate) fn of(batch: &RecordBatch, given: Option<Suite>, options: &'a Options) -> Self {
        let name = &options.columns.suite;
        Self {
            given,
            column: Cells::of(batch, name, Text::Plain, options),
        }
    }

    /// Returns the suite of a row. The error describes the fault of the cell.
    pub(crate) fn get(&self, row: usize) -> Result<Suite, String> {
        let text = self.column.text(row)?.filter(|text| !text.is_empty());
        let named = text.map(|text| self.parse(&text)).transpose()?;
        let name = self.column.name;
        match (named, self.given) {
            (Some(named), Some(given)) if named != given => Err(format!(
                "{name} is {named}, expected {given} as for the whole table"
            )),
            (named, given) => named
                .or(given)
                .ok_or_else(|| format!("{name} is missing, and the whole table has none")),
        }
    }

    fn parse(&self, text: &str) -> Result<Suite, String> {
        let name = self.column.name;
        text.parse::<Suite>().map_err(|fault| {
            if may_be_name(text) {
                format!("{name} is {text:?}: {fault}")
            } else {
                format!("{name} has {} bytes, expected a name", text.len())
            }
        })
    }
}

/// True if `text` looks like the name of a suite. Any other text may be a seed in the wrong column, which
/// must not appear in a message.
fn may_be_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.len() <= 32 && text.chars().all(fits)
}

/// Groups rows by their suites.
pub(crate) fn by_suite(rows: impl Iterator<Item = (usize, Suite)>) -> Vec<(Suite, Vec<usize>)> {
    let mut groups: Vec<(Suite, Vec<usize>)> = Vec::new();
    for (row, suite) in rows {
        match groups.iter_mut().find(|(known, _)| *known == suite) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((suite, vec![row])),
        }
    }
    groups
}
