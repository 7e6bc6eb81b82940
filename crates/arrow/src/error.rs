//! Why a table, or a batch of it, cannot be verified, proved or evaluated at all.

use std::borrow::Cow;

use arrow_schema::{ArrowError, DataType};

/// Why no rows come out. What is wrong with one row is in its verdict instead.
///
/// Messages name columns and rows; they repeat no cell, which could be a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A column that must be there is not.
    #[error(
        "there is no column {name:?}: expected {}, found {}",
        expected.join(", "),
        found.iter().map(|name| listed(name)).collect::<Vec<_>>().join(", ")
    )]
    MissingColumn {
        /// The column.
        name: String,
        /// All columns that must be there.
        expected: Vec<String>,
        /// The columns of the table.
        found: Vec<String>,
    },
    /// Two columns of the table have this name.
    #[error("column {:?} appears twice, expected different names", shortened(name))]
    ColumnTwice {
        /// The name.
        name: String,
    },
    /// Two of the [`Columns`](crate::Columns) were given this name.
    #[error(
        "two columns are named {:?}, expected different names",
        shortened(name)
    )]
    SharedName {
        /// The name.
        name: String,
    },
    /// A column has a type that holds no bytes.
    #[error("column {name:?} has type {data_type}: expected text (hex) or binary")]
    ColumnType {
        /// The column.
        name: String,
        /// Its type.
        data_type: DataType,
    },
    /// The claimed outputs have a fixed size, and computed outputs do not fit beside them.
    #[error("column {name:?} has values of {size} bytes, expected 64")]
    OutputSize {
        /// The column.
        name: String,
        /// Bytes of each value.
        size: i32,
    },
    /// No suite was given, and no column names one.
    #[error("no suite: expected a suite for the table or a column {column:?}")]
    NoSuite {
        /// The column that would name it.
        column: String,
    },
    /// A key was given, and the table has a column of seeds.
    #[error("there is a column {column:?} and a key was given: expected one of them")]
    KeyAndSeeds {
        /// The column.
        column: String,
    },
    /// One seed is used with two suites: see
    /// [`SecretKey::dangerously_reuse_in`](klero::SecretKey::dangerously_reuse_in).
    #[error("{}", reused(.0))]
    ReusedSeed(klero::Error),
    /// A batch has more than [`MAX_ROWS`](crate::MAX_ROWS) rows.
    #[error("a batch has {rows} rows, expected at most {limit}: divide it")]
    TooManyRows {
        /// Rows of the batch.
        rows: usize,
        /// The most rows of a batch.
        limit: usize,
    },
    /// The new columns cannot be made, as when a column would be longer than its type allows.
    #[error("rows from {first_row}: {error}")]
    Arrow {
        /// The number of the batch's first row.
        first_row: u64,
        /// Why.
        #[source]
        error: ArrowError,
    },
}

/// The message of a seed that [`ReuseCheck`](klero::ReuseCheck) found in two suites.
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

/// The name of a column for a message. A name comes from a file and may be megabytes long: of
/// one longer than 32 bytes only the start and the length are shown.
pub fn shortened(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 32;
    match name.char_indices().nth(LONGEST / 2) {
        Some((start, _)) if name.len() > LONGEST => {
            Cow::Owned(format!("{}… ({} bytes)", &name[..start], name.len()))
        }
        _ => Cow::Borrowed(name),
    }
}

/// The name of a column that nothing asked for. Where a header is missing, it is a cell, which may be a
/// secret: of one longer than 32 bytes only the length is shown.
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
