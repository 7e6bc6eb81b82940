//! Computes a proof or an output for every row.

use arrow_schema::Schema;
use klero::{Prover, SecretKey, Suite};

use crate::columns::Options;
use crate::error::TableError;
use crate::keys::Keys;
use crate::new_columns;
use crate::rows::{Outcome, Rows};

/// Proves or evaluates the rows of a table, one batch per call, with one secret key or a seed in each row.
///
/// Reads the column `alpha`, the column `suite` if it exists, and the column `seed` if there is no key for
/// all rows. Writes `key`, `proof` (only when proving) and `output`: as bytes if the alphas are bytes, and
/// otherwise as text. Also writes `verdict`, and removes `seed`.
///
/// Batches may come in any order and from any thread.
///
/// ```
/// use arrow_array::{cast::AsArray, record_batch};
/// use klero_arrow::SecretTable;
/// let seed = "07".repeat(32);
/// let table = record_batch!(
///     ("seed", Utf8, [seed.as_str(), "00"]),
///     ("suite", Utf8, ["praos", "praos"]),
///     ("alpha", Utf8, ["", ""])
/// )?;
/// let prove = SecretTable::with_seeds(None);
/// prove.check(&table.schema())?;
/// let outcome = prove.prove(table)?;
/// assert!(outcome.batch.column_by_name("seed").is_none());
/// assert_eq!(outcome.batch["proof"].as_string::<i32>().value(0).len(), 160);
/// assert_eq!(outcome.invalid[0].reason, "seed has 1 bytes, expected 32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SecretTable {
    keys: Keys,
    options: Options,
}

impl SecretTable {
    /// Uses one key for all rows, in the suite of the key. A table with a column `seed` is refused.
    #[must_use]
    pub fn new(key: SecretKey) -> Self {
        Self {
            keys: Keys::One(key),
            options: Options::default(),
        }
    }

    /// Uses the key from each row's `seed`. If no suite is given, the column `suite` gives the suite of each
    /// row. In that case, about 120 bytes are kept for each distinct seed, to refuse a seed that is used in
    /// two suites.
    #[must_use]
    pub fn with_seeds(suite: impl Into<Option<Suite>>) -> Self {
        Self {
            keys: Keys::seeds(suite.into()),
            options: Options::default(),
        }
    }

    /// Sets the names of the columns and the forms of their values.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Refuses a schema that lacks a required column, or has a column that [`prove`](Self::prove) and
    /// [`evaluate`](Self::evaluate) refuse. Call this function once if all batches have the same schema.
    ///
    /// # Errors
    /// A [`TableError`] that mentions the column and what was expected.
    pub fn check(&self, schema: &Schema) -> Result<(), TableError> {
        self.keys.check(schema, &self.options.columns)
    }

    /// Returns the batch with a proof in each row that can be read, and without the column `seed`.
    ///
    /// A column that is missing in this batch counts as null in every row. In JSON lines, for example,
    /// batches of one table may have different columns. If keys come from seeds, a row with a fault may have
    /// its seed in any column, so all cells of this row except the verdict are null in the outcome.
    ///
    /// # Errors
    /// [`TableError::ReusedSeed`] if a seed is used in two suites, within a batch or across batches. Then
    /// publish no proof of the table. [`TableError::KeyAndSeeds`] if there are a key and a column `seed`. All
    /// errors of [`VerifyTable::verify`](crate::VerifyTable::verify) except [`TableError::OutputSize`].
    pub fn prove(&self, rows: impl Into<Rows>) -> Result<Outcome, TableError> {
        let names = &self.options.columns;
        let write = |proved: &[Option<_>], form| {
            let proofs = proved.iter().map(|p| p.as_ref().map(|(proof, _)| proof));
            let outputs = proved.iter().map(|p| p.as_ref().map(|(_, output)| output));
            vec![
                new_columns::column(&names.proof, form, proofs),
                new_columns::column(&names.output, form, outputs),
            ]
        };
        self.keys
            .answer(rows.into(), &self.options, Prover::prove_many, write)
    }

    /// Returns the batch with an output in each row that can be read, and without the column `seed`.
    ///
    /// Reads and writes the same columns as [`prove`](Self::prove), except that a column `proof` stays
    /// unchanged. The outputs are the same as with `prove`, but take less time.
    ///
    /// # Errors
    /// The same errors as [`prove`](Self::prove). Outputs in two suites reveal no key. A seed that is used in
    /// two suites is refused nevertheless, because its proofs could reveal the key.
    pub fn evaluate(&self, rows: impl Into<Rows>) -> Result<Outcome, TableError> {
        let names = &self.options.columns;
        let write = |outputs: &[Option<_>], form| {
            let outputs = outputs.iter().map(Option::as_ref);
            vec![new_columns::column(&names.output, form, outputs)]
        };
        self.keys
            .answer(rows.into(), &self.options, Prover::evaluate_many, write)
    }
}
