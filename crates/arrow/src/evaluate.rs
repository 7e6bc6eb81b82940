//! An output for every row.

use arrow_schema::Schema;
use klero::{SecretKey, Suite, evaluate_many};

use crate::columns::Columns;
use crate::error::TableError;
use crate::keys::Keys;
use crate::new_columns;
use crate::rows::{Outcome, Rows};

/// Computes the outputs of the rows of a table without proofs, one batch per call: for owners of
/// the keys, in less time than [`ProveTable`](crate::ProveTable).
///
/// Reads the columns `alpha`, `suite` where it exists, and `seed` unless there is one key for
/// all rows. Writes `key`, `output` and `verdict`, encoded like the alphas, and removes `seed`.
/// The outputs are those that [`ProveTable`](crate::ProveTable) writes. A column `proof` is one of
/// the others, which pass through unchanged.
///
/// Batches may come in any order and from any thread.
///
/// ```
/// use arrow_array::{cast::AsArray, record_batch};
/// use klero::{SecretKey, Suite};
/// use klero_arrow::EvaluateTable;
/// let table = record_batch!(("alpha", Utf8, ["00ff", "xy"]))?;
/// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
/// let evaluate = EvaluateTable::new(key.clone());
/// evaluate.check(&table.schema())?;
/// let outcome = evaluate.evaluate(table)?;
/// let outputs = outcome.batch["output"].as_string::<i32>();
/// assert_eq!(outputs.value(0), key.evaluate(&[0x00, 0xff]).to_string());
/// assert_eq!(
///     outcome.first_invalid.unwrap().reason,
///     "alpha is not hex: character 1 is 'x'"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EvaluateTable {
    keys: Keys,
    columns: Columns,
}

impl EvaluateTable {
    /// Evaluates all rows with one key, in its suite. A column `seed` is refused.
    pub fn new(key: SecretKey) -> Self {
        Self {
            keys: Keys::One(key),
            columns: Columns::default(),
        }
    }

    /// Evaluates each row with the key of its `seed`, in this suite or, if it is `None`, in the
    /// one that the column `suite` names. In the latter case about 120 bytes are kept for each
    /// distinct seed, to refuse one that comes in two suites.
    ///
    /// ```
    /// use arrow_array::record_batch;
    /// use klero_arrow::{EvaluateTable, TableError};
    /// let seed = "07".repeat(32);
    /// let table = record_batch!(
    ///     ("seed", Utf8, [seed.as_str(), seed.as_str()]),
    ///     ("suite", Utf8, ["draft10-tai", "rfc9381-tai"]),
    ///     ("alpha", Utf8, ["", ""])
    /// )?;
    /// let fault = EvaluateTable::with_seeds(None).evaluate(table).unwrap_err();
    /// assert!(matches!(fault, TableError::ReusedSeed(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_seeds(suite: impl Into<Option<Suite>>) -> Self {
        Self {
            keys: Keys::seeds(suite.into()),
            columns: Columns::default(),
        }
    }

    /// The same for columns of other names.
    ///
    /// ```
    /// use klero_arrow::{Columns, EvaluateTable};
    /// let columns = Columns { output: "beta".into(), ..Columns::default() };
    /// let evaluate = EvaluateTable::with_seeds(klero::Suite::PRAOS).columns(columns);
    /// ```
    #[must_use]
    pub fn columns(self, columns: Columns) -> Self {
        Self { columns, ..self }
    }

    /// Refuses a schema that lacks a column, or has one that [`evaluate`](Self::evaluate)
    /// refuses. Call it once if all batches have one schema.
    ///
    /// # Errors
    /// [`TableError`] names the column and says what was expected.
    pub fn check(&self, schema: &Schema) -> Result<(), TableError> {
        self.keys.check(schema, &self.columns)
    }

    /// The batch with an output in each row that can be read, and without the column `seed`.
    ///
    /// Missing columns and rows with faults are as in
    /// [`ProveTable::prove`](crate::ProveTable::prove).
    ///
    /// # Errors
    /// As [`ProveTable::prove`](crate::ProveTable::prove). Outputs in two suites reveal no key,
    /// but a seed that comes in two is refused all the same, because its proofs would.
    pub fn evaluate(&self, rows: impl Into<Rows>) -> Result<Outcome, TableError> {
        let names = &self.columns;
        let write = |outputs: &[Option<_>], encoding| {
            let outputs = outputs.iter().map(Option::as_ref);
            vec![new_columns::column(&names.output, encoding, outputs)]
        };
        self.keys.answer(rows.into(), names, evaluate_many, write)
    }
}
