//! Which suite each row belongs to.
//!
//! A suite is never guessed: `--suite` names it for all rows, or the column `suite` for
//! each. Where both do, a row that names another suite than `--suite` gets neither's
//! verdict.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero::Suite;

use super::cells::Cells;

/// The suites of the rows in a group.
pub struct RowSuites {
    given: Option<Suite>,
    column: Cells,
}

/// Refuses a table without a column `suite` if no suite was `given`.
pub fn check(schema: &Schema, given: Option<Suite>) -> Result<(), String> {
    if given.is_none() && schema.field_with_name("suite").is_err() {
        return Err("no suite: name it with --suite or in a column suite".into());
    }
    Ok(())
}

impl RowSuites {
    /// Of this group; `given` is the suite of all rows, if it is known.
    pub fn of(batch: &RecordBatch, given: Option<Suite>) -> Self {
        Self {
            given,
            column: Cells::of(batch, "suite"),
        }
    }

    /// The suite of a row, or what is wrong with it.
    pub fn get(&self, row: usize) -> Result<Suite, String> {
        let named = self.column.text(row)?.filter(|name| !name.is_empty());
        let named = named
            .map(|name| {
                name.parse::<Suite>().map_err(|fault| {
                    if may_be_name(&name) {
                        format!("suite is {name:?}: {fault}")
                    } else {
                        format!("suite has {} bytes, expected a name", name.len())
                    }
                })
            })
            .transpose()?;
        match (named, self.given) {
            (Some(named), Some(given)) if named != given => {
                Err(format!("suite is {named}, but --suite is {given}"))
            }
            (named, given) => named
                .or(given)
                .ok_or_else(|| "suite is missing, and there is no --suite".into()),
        }
    }
}

/// Whether this looks like a name. Anything else in the column may be a seed that stands in
/// the wrong place, and is not repeated.
fn may_be_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.len() <= 32 && text.chars().all(fits)
}

/// The rows of each suite that has any.
pub fn by_suite(rows: impl Iterator<Item = (usize, Suite)>) -> Vec<(Suite, Vec<usize>)> {
    let mut groups: Vec<(Suite, Vec<usize>)> = Vec::new();
    for (row, suite) in rows {
        match groups.iter_mut().find(|(known, _)| *known == suite) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((suite, vec![row])),
        }
    }
    groups
}
