//! Errors for a table or a batch that cannot be verified, proved or evaluated at all.

use std::borrow::Cow;

use arrow_schema::{ArrowError, DataType};

/// The reason why a table or a batch cannot be processed. The fault of a single row is in its verdict.
///
/// Messages contain names of columns and numbers of rows. They contain no cell, because a cell could be a
/// secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A required column is missing.
    #[error(
        "there is no column {name:?}: expected {}, found {}",
        expected.join(", "),
        found.iter().map(|name| listed(name)).collect::<Vec<_>>().join(", ")
    )]
    MissingColumn {
        /// The missing column.
        name: String,
        /// All required columns.
        expected: Vec<String>,
        /// The columns of the table.
        found: Vec<String>,
    },
    /// Two columns of the table have the same name.
    #[error("column {:?} appears twice, expected different names", shortened(name))]
    ColumnTwice {
        /// The name of both columns.
        name: String,
    },
    /// Two fields of [`Columns`](crate::Columns) contain the same name.
    #[error(
        "two columns are named {:?}, expected different names",
        shortened(name)
    )]
    SharedName {
        /// The name in both fields.
        name: String,
    },
    /// A column has a type that holds no bytes.
    #[error("column {name:?} has type {data_type}: expected text (hex) or binary")]
    ColumnType {
        /// The column with this type.
        name: String,
        /// The type of the column.
        data_type: DataType,
    },
    /// The claimed outputs are bytes of a fixed size other than 64, but computed outputs have 64 bytes.
    #[error("column {name:?} has values of {size} bytes, expected 64")]
    OutputSize {
        /// The column of claimed outputs.
        name: String,
        /// The size of each value in bytes.
        size: i32,
    },
    /// No suite was given, and the table has no column of suites.
    #[error("no suite: expected a suite for the table or a column {column:?}")]
    NoSuite {
        /// The missing column of suites.
        column: String,
    },
    /// A key was given, but the table also has a column of seeds.
    #[error("there is a column {column:?} and a key was given: expected one of them")]
    KeyAndSeeds {
        /// The column of seeds.
        column: String,
    },
    /// One seed is used with two suites. See
    /// [`SecretKey::dangerously_reuse_in`](klero::SecretKey::dangerously_reuse_in).
    #[error("{}", reused(.0))]
    ReusedSeed(klero::Error),
    /// A batch has more than [`MAX_ROWS`](crate::MAX_ROWS) rows.
    #[error("a batch has {rows} rows, expected at most {limit}: divide it")]
    TooManyRows {
        /// The number of rows in the batch.
        rows: usize,
        /// The maximum number of rows in a batch.
        limit: usize,
    },
    /// The new columns cannot be made, for example if a column would be longer than its type allows.
    #[error("rows from {first_row}: {error}")]
    Arrow {
        /// The number of the batch's first row in the table.
        first_row: u64,
        /// The error that Arrow reported.
        #[source]
        error: ArrowError,
    },
}

/// Returns the message about a seed that [`ReuseCheck`](klero::ReuseCheck) found in two suites.
fn reused(error: &klero::Error) -> String {
    match error {
        klero::Error::ReusedKey {
            places: [first, second],
            suites: [one, other],
        } => format!(
            "rows {first} and {second} use one seed with two suites ({one}, {other}): proofs in two suites \
             can reveal a key, expected one suite for each seed"
        ),
        error => error.to_string(),
    }
}

/// Shortens the name of a column for a message. The name comes from a file and may be megabytes long. If it
/// has more than 32 bytes and more than 16 characters, only its first 16 characters and its length are shown.
pub fn shortened(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 32;
    match name.char_indices().nth(LONGEST / 2) {
        Some((start, _)) if name.len() > LONGEST => {
            Cow::Owned(format!("{}… ({} bytes)", &name[..start], name.len()))
        }
        _ => Cow::Borrowed(name),
    }
}

/// Prepares a name for the list of the table's columns. If a file has no header, its first row is taken for
/// the names, and may contain a secret. A name of more than 32 bytes is therefore replaced by its length.
fn listed(name: &str) -> Cow<'_, str> {
    match name.len() {
        0..=32 => Cow::Borrowed(name),
        length => Cow::Owned(format!("({length} bytes, not shown)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_long_name_is_shown() {
        assert_eq!(shortened(&"a".repeat(32)), "a".repeat(32));
        let shown = format!("{}… (64 bytes)", "a".repeat(16));
        assert_eq!(shortened(&"a".repeat(64)), shown);
        assert_eq!(shortened("ééééééééééé"), "ééééééééééé");
    }
}
