//! A proof for every row.

use std::fmt;
use std::sync::Mutex;

use arrow_schema::Schema;
use klero::{Output, Proof, ReuseCheck, SecretKey, Suite, prove_many};

use crate::columns::Columns;
use crate::encoding::Encoding;
use crate::error::TableError;
use crate::keys::{Keys, Request};
use crate::new_columns;
use crate::rows::{Outcome, Rows};
use crate::suites::by_suite;

/// Proves the rows of a table, one batch per call.
///
/// Reads the columns `alpha`, `suite` where it exists, and `seed` unless there is one key for
/// all rows. Writes `key`, `proof`, `output` and `verdict`, encoded like the alphas, and
/// removes `seed`.
///
/// Batches may come in any order and from any thread.
///
/// ```
/// use arrow_array::{cast::AsArray, record_batch};
/// use klero_arrow::ProveTable;
/// let seed = "07".repeat(32);
/// let table = record_batch!(
///     ("seed", Utf8, [seed.as_str(), "00"]),
///     ("suite", Utf8, ["praos", "praos"]),
///     ("alpha", Utf8, ["", ""])
/// )?;
/// let prove = ProveTable::with_seeds(None);
/// prove.check(&table.schema())?;
/// let outcome = prove.prove(table)?;
/// assert!(outcome.batch.column_by_name("seed").is_none());
/// assert_eq!(outcome.batch["proof"].as_string::<i32>().value(0).len(), 160);
/// assert_eq!(outcome.first_invalid.unwrap().reason, "seed has 1 bytes, expected 32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProveTable {
    keys: Keys,
    columns: Columns,
}

impl fmt::Debug for ProveTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProveTable")
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

impl ProveTable {
    /// Proves all rows with one key, in its suite. A column `seed` is refused.
    pub fn new(key: SecretKey) -> Self {
        Self {
            keys: Keys::One(key),
            columns: Columns::default(),
        }
    }

    /// Proves each row with the key of its `seed`, in this suite or, if it is `None`, in the
    /// one that the column `suite` names. For the latter about 120 bytes are kept for each
    /// distinct seed.
    pub fn with_seeds(suite: impl Into<Option<Suite>>) -> Self {
        Self {
            keys: Keys::Seeds {
                suite: suite.into(),
                reuse: Mutex::new(ReuseCheck::new()),
            },
            columns: Columns::default(),
        }
    }

    /// The same for columns of other names.
    ///
    /// ```
    /// use klero_arrow::{Columns, ProveTable};
    /// let columns = Columns { alpha: "input".into(), ..Columns::default() };
    /// let prove = ProveTable::with_seeds(klero::Suite::PRAOS).columns(columns);
    /// ```
    #[must_use]
    pub fn columns(self, columns: Columns) -> Self {
        Self { columns, ..self }
    }

    /// Refuses a schema that lacks a column, or has one that [`prove`](Self::prove) refuses. To
    /// be called once, where all batches have one schema.
    ///
    /// # Errors
    /// [`TableError`] names the column and says what was expected.
    pub fn check(&self, schema: &Schema) -> Result<(), TableError> {
        self.keys.check(schema, &self.columns)
    }

    /// The batch with a proof in each row that can be read, and without the column `seed`.
    ///
    /// A column that this batch lacks counts as null in every row, as in JSON lines, where
    /// batches of one table may have different columns. If keys are seeds, a row with a fault
    /// may have its seed in any column: nothing but its verdict is in the outcome.
    ///
    /// # Errors
    /// [`TableError::ReusedSeed`] if a seed came in another suite, in this batch or an earlier
    /// one: then publish no proof of this table. Otherwise as
    /// [`VerifyTable::verify`](crate::VerifyTable::verify), and
    /// [`TableError::KeyAndSeeds`].
    pub fn prove(&self, rows: impl Into<Rows>) -> Result<Outcome, TableError> {
        let rows = &self.keys.prepare(rows.into(), &self.columns)?;
        let request_columns = self.keys.columns(rows, &self.columns);
        let requests = self.keys.requests(rows, &request_columns)?;
        let proved = prove_all(&requests);

        let names = &self.columns;
        let schema = rows.batch.schema();
        let alpha = schema.field_with_name(&names.alpha);
        let encoding = alpha.ok().and_then(Encoding::of).unwrap_or(Encoding::Hex);
        let keys = requests
            .iter()
            .map(|request| request.as_ref().ok().map(|r| r.key.public_key()));
        let proofs = proved.iter().map(|p| p.as_ref().map(|(proof, _)| proof));
        let outputs = proved.iter().map(|p| p.as_ref().map(|(_, output)| output));
        let new = vec![
            new_columns::column(&names.key, encoding, keys),
            new_columns::column(&names.proof, encoding, proofs),
            new_columns::column(&names.output, encoding, outputs),
        ];
        let reasons: Vec<_> = requests
            .iter()
            .map(|request| request.as_ref().err().map(String::as_str))
            .collect();
        Outcome::new(rows, new, &names.verdict, Some(&names.seed), &reasons)
    }
}

/// The proofs of all requests, many at once.
fn prove_all(requests: &[Result<Request<'_>, String>]) -> Vec<Option<(Proof, Output)>> {
    let readable = requests.iter().enumerate();
    let readable =
        readable.filter_map(|(row, request)| Some((row, request.as_ref().ok()?.key.suite())));
    let mut proved = vec![None; requests.len()];
    for (_, members) in by_suite(readable) {
        let of_suite: Vec<(&SecretKey, &[u8])> = members
            .iter()
            .flat_map(|&row| &requests[row])
            .map(|request| (request.key.as_ref(), request.alpha.as_ref()))
            .collect();
        let proofs = prove_many(&of_suite).expect("all keys are of one suite");
        for (row, proof) in members.into_iter().zip(proofs) {
            proved[row] = Some(proof);
        }
    }
    proved
}
