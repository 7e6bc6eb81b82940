//! The secret keys of a table, and the answers that are computed with them: proofs or outputs. A table has
//! one key for all rows, or a seed in each row.
//!
//! Seeds pass through Arrow, which wipes nothing, and their text is decoded in variable time. Only the buffer
//! into which this module decodes a seed is wiped. Seeds are never written.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_schema::{Field, Schema};
use klero::{Prover, ReuseCheck, SecretKey, Suite};
use zeroize::Zeroizing;

use crate::cells::{Bytes, Cells};
use crate::columns::{Columns, Options, check_present, check_types};
use crate::encoding::Form;
use crate::error::TableError;
use crate::new_columns;
use crate::rows::{Outcome, Rows};
use crate::suites::{self, RowSuites};

/// The secret keys of a table.
pub(crate) enum Keys {
    /// One key for all rows.
    One(SecretKey),
    /// A seed in each row, in the column `seed`.
    Seeds {
        /// The suite of all rows, or `None` if the column `suite` gives the suite of each row.
        suite: Option<Suite>,
        /// The keys seen so far, with their rows; used only if rows can have different suites.
        reuse: Mutex<ReuseCheck>,
    },
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// Makes keys from the seeds in the rows. If no suite is given, the column `suite` gives the suite of
    /// each row.
    pub(crate) fn seeds(suite: Option<Suite>) -> Self {
        let reuse = Mutex::new(ReuseCheck::new());
        Self::Seeds { suite, reuse }
    }

    fn suite(&self) -> Option<Suite> {
        match self {
            Self::One(key) => Some(key.suite()),
            Self::Seeds { suite, .. } => *suite,
        }
    }

    /// Refuses a schema that lacks a required column, or that `check_readable` refuses.
    pub(crate) fn check(&self, schema: &Schema, columns: &Columns) -> Result<(), TableError> {
        let Columns { alpha, seed, .. } = columns;
        columns.check_names(schema)?;
        match self {
            Self::One(_) => check_present(schema, &[alpha])?,
            Self::Seeds { .. } => check_present(schema, &[alpha, seed])?,
        }
        self.check_readable(schema, columns)?;
        suites::check(schema, self.suite(), &columns.suite)
    }

    /// Refuses a schema with ambiguous names, or in which a column that is read has a type that holds no
    /// bytes. If one key was given for all rows, also refuses a column of seeds.
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

    /// Answers the rows: adds the public keys, the columns that `write` makes from the answers, and the
    /// verdicts. Removes the seeds.
    ///
    /// `compute` is [`Prover::prove_many`] or [`Prover::evaluate_many`]. `write` gets the answer of each row,
    /// which is `None` if the row cannot be read. It also gets the form of the new columns, which is the form
    /// of the alphas.
    pub(crate) fn answer<T>(
        &self,
        rows: Rows,
        options: &Options,
        compute: impl Fn(&Prover, &[(&SecretKey, &[u8])]) -> Vec<T>,
        write: impl FnOnce(&[Option<T>], Form) -> Vec<(Field, ArrayRef)>,
    ) -> Result<Outcome, TableError> {
        let names = &options.columns;
        let rows = &self.prepare(rows, names)?;
        let columns = self.columns(rows, options);
        let mut decoded = Vec::new();
        let requests = self.requests(rows, &columns, &mut decoded)?;

        let schema = rows.batch.schema();
        let form = options.form_like(schema.field_with_name(&names.alpha).ok());
        let keys = requests
            .iter()
            .map(|request| request.as_ref().ok().map(|r| r.key.public_key()));
        let mut new = vec![new_columns::column(&names.key, form, keys)];
        new.extend(write(&answer_all(&requests, &decoded, compute), form));
        let reasons: Vec<_> = requests
            .iter()
            .map(|request| request.as_ref().err().map(String::as_str))
            .collect();
        Outcome::new(rows, new, &names.verdict, Some(&names.seed), &reasons)
    }

    /// Checks the number of rows and the schema, and returns the rows. If keys come from seeds, all cells of
    /// a row with a fault become null, because the seed of such a row may be in any column.
    fn prepare(&self, mut rows: Rows, columns: &Columns) -> Result<Rows, TableError> {
        rows.check_count()?;
        self.check_readable(&rows.batch.schema(), columns)?;
        if matches!(self, Self::Seeds { .. }) && !rows.faults.is_empty() {
            rows.batch = new_columns::blank(&rows.batch, rows.faults.keys())
                .map_err(|error| rows.failed(error))?;
        }
        Ok(rows)
    }

    /// Returns the request of each row, or the reason why the row cannot be read. Encoded alphas are decoded
    /// and appended to `decoded`.
    ///
    /// # Errors
    /// [`TableError::ReusedSeed`].
    fn requests<'a>(
        &'a self,
        rows: &Rows,
        columns: &'a RequestColumns<'a>,
        decoded: &mut Vec<u8>,
    ) -> Result<Vec<Result<Request<'a>, String>>, TableError> {
        let requests = rows.read(|row| {
            let suite = columns.suites.get(row)?;
            let key = match self {
                Self::One(key) => Cow::Borrowed(key),
                Self::Seeds { .. } => Cow::Owned(columns.key(suite, row)?),
            };
            let alpha = columns.alpha.require_alpha(row, decoded)?;
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

    /// Finds the columns from which requests are read.
    fn columns<'a>(&self, rows: &Rows, options: &'a Options) -> RequestColumns<'a> {
        let (batch, names) = (&rows.batch, &options.columns);
        RequestColumns {
            suites: RowSuites::of(batch, self.suite(), options),
            alpha: Cells::of(batch, &names.alpha, options.alpha(), options),
            seed: Cells::of(batch, &names.seed, options.encoded(), options),
        }
    }
}

/// Computes the answers to all readable requests in one call of `compute`.
fn answer_all<T>(
    requests: &[Result<Request<'_>, String>],
    decoded: &[u8],
    compute: impl Fn(&Prover, &[(&SecretKey, &[u8])]) -> Vec<T>,
) -> Vec<Option<T>> {
    let readable: Vec<(&SecretKey, &[u8])> = requests
        .iter()
        .flatten()
        .map(|request| (request.key.as_ref(), request.alpha.of(decoded)))
        .collect();
    let mut answers = compute(&Prover::new(), &readable).into_iter();
    let answers = requests.iter().map(|request| match request {
        Ok(_) => answers.next(),
        Err(_) => None,
    });
    answers.collect()
}

/// The key and the alpha of a row.
struct Request<'a> {
    key: Cow<'a, SecretKey>,
    alpha: Bytes<'a>,
}

/// The columns that requests are read from.
struct RequestColumns<'a> {
    suites: RowSuites<'a>,
    alpha: Cells<'a>,
    seed: Cells<'a>,
}

impl RequestColumns<'_> {
    fn key(&self, suite: Suite, row: usize) -> Result<SecretKey, String> {
        let mut decoded = Zeroizing::new(Vec::new());
        let bytes = self.seed.require(row, &mut decoded)?;
        let bytes = bytes.of(&decoded);
        match bytes.try_into() {
            Ok(seed) => Ok(SecretKey::from_seed(suite, seed)),
            Err(_) => {
                let name = self.seed.name;
                Err(format!("{name} has {} bytes, expected 32", bytes.len()))
            }
        }
    }
}
