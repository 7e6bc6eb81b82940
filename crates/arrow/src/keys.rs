//! The secret keys of a table: one for all rows, or a seed in each row.
//!
//! Seeds pass through Arrow, which wipes nothing, and hex is decoded in variable time. Only
//! the bytes decoded here are wiped. Seeds are never written.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use arrow_schema::Schema;
use klero::{ReuseCheck, SecretKey, Suite};
use zeroize::Zeroizing;

use crate::cells::Cells;
use crate::columns::{Columns, check_present, check_types};
use crate::error::TableError;
use crate::new_columns;
use crate::rows::Rows;
use crate::suites::{self, RowSuites};

/// The secret keys of a table.
pub(crate) enum Keys {
    /// One key for all rows.
    One(SecretKey),
    /// The column `seed`.
    Seeds {
        /// The suite of all rows, if the column `suite` does not name them.
        suite: Option<Suite>,
        /// The keys so far, with their rows. Used only while rows can differ in suite.
        reuse: Mutex<ReuseCheck>,
    },
}

/// A row's key and input.
pub(crate) struct Request<'a> {
    pub(crate) key: Cow<'a, SecretKey>,
    pub(crate) alpha: Cow<'a, [u8]>,
}

impl Keys {
    fn suite(&self) -> Option<Suite> {
        match self {
            Self::One(key) => Some(key.suite()),
            Self::Seeds { suite, .. } => *suite,
        }
    }

    /// Refuses a schema that lacks a column, or has one that is not readable.
    pub(crate) fn check(&self, schema: &Schema, columns: &Columns) -> Result<(), TableError> {
        let Columns { alpha, seed, .. } = columns;
        match self {
            Self::One(_) => check_present(schema, &[alpha])?,
            Self::Seeds { .. } => check_present(schema, &[alpha, seed])?,
        }
        self.check_readable(schema, columns)?;
        suites::check(schema, self.suite(), &columns.suite)
    }

    /// Refuses a schema with a column that is not readable.
    fn check_readable(&self, schema: &Schema, columns: &Columns) -> Result<(), TableError> {
        let Columns {
            alpha, seed, suite, ..
        } = columns;
        columns.check_names(schema)?;
        check_types(schema, &[alpha, suite])?;
        match self {
            Self::One(_) if schema.field_with_name(seed).is_ok() => Err(TableError::KeyAndSeeds {
                column: seed.clone(),
            }),
            Self::One(_) => Ok(()),
            Self::Seeds { .. } => check_types(schema, &[seed]),
        }
    }

    /// The rows, if they are readable. If keys are seeds, rows with faults are blank: their seed
    /// may be in any column.
    pub(crate) fn prepare(&self, mut rows: Rows, columns: &Columns) -> Result<Rows, TableError> {
        rows.check_count()?;
        self.check_readable(&rows.batch.schema(), columns)?;
        if matches!(self, Self::Seeds { .. }) && !rows.faults.is_empty() {
            rows.batch = new_columns::blank(&rows.batch, rows.faults.keys())
                .map_err(|error| rows.failed(error))?;
        }
        Ok(rows)
    }

    /// Each row's request, or why it cannot be read.
    ///
    /// # Errors
    /// [`TableError::ReusedSeed`].
    pub(crate) fn requests<'a>(
        &'a self,
        rows: &Rows,
        columns: &'a RequestColumns<'a>,
    ) -> Result<Vec<Result<Request<'a>, String>>, TableError> {
        let requests = rows.read(|row| {
            let suite = columns.suites.get(row)?;
            let key = match self {
                Self::One(key) => Cow::Borrowed(key),
                Self::Seeds { .. } => Cow::Owned(columns.key(suite, row)?),
            };
            let alpha = columns.alpha.require_alpha(row)?;
            Ok(Request { key, alpha })
        });
        if let Self::Seeds { suite: None, reuse } = self {
            let mut reuse = reuse.lock().unwrap_or_else(PoisonError::into_inner);
            for (row, request) in requests.iter().enumerate() {
                if let Ok(Request { key, .. }) = request {
                    let place = rows.number(row);
                    reuse.add(key, place).map_err(TableError::ReusedSeed)?;
                }
            }
        }
        Ok(requests)
    }

    /// The columns that requests are read from.
    pub(crate) fn columns<'a>(&self, rows: &Rows, columns: &'a Columns) -> RequestColumns<'a> {
        let batch = &rows.batch;
        RequestColumns {
            suites: RowSuites::of(batch, self.suite(), &columns.suite),
            alpha: Cells::of(batch, &columns.alpha),
            seed: Cells::of(batch, &columns.seed),
        }
    }
}

/// The columns that requests are read from.
pub(crate) struct RequestColumns<'a> {
    suites: RowSuites<'a>,
    alpha: Cells<'a>,
    seed: Cells<'a>,
}

impl RequestColumns<'_> {
    fn key(&self, suite: Suite, row: usize) -> Result<SecretKey, String> {
        let bytes = Zeroizing::new(self.seed.require(row)?.into_owned());
        match bytes.as_slice().try_into() {
            Ok(seed) => Ok(SecretKey::from_seed(suite, seed)),
            Err(_) => {
                let name = self.seed.name;
                Err(format!("{name} has {} bytes, expected 32", bytes.len()))
            }
        }
    }
}
