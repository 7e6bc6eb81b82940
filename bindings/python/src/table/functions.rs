//! What makes a table of another one.

use klero_arrow::{Columns, Options, Outcome, Rows, SecretTable, VerifyTable};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::answers::Answers;
use super::{Table, refused};
use crate::arguments::SuiteArgument;
use crate::key::SecretKey;
use crate::stream::Input;
use crate::threads::Threads;

/// Verifies the claims of a table: gives the same table with a column `verdict`, which is `valid`
/// or `invalid: ` and the reason, and a column `output`.
///
/// `table` is anything with the Arrow PyCapsule interface: a table, batch or reader of pyarrow,
/// a data frame of polars or pandas, a relation of DuckDB. Its columns `key` (the public key),
/// `alpha` and `proof` are binary, or text that holds hex. If it has a column `output`, that
/// output is claimed where it is not null, and else filled in. The suite is `suite`, or for each
/// row the one that the column `suite` names. The columns may have other names, which the
/// arguments of their names give (for the column `suite`, `suite_column`).
///
/// The table is checked and its first batch not yet read when the call returns. `threads` is
/// how many threads verify, by default one per processor.
///
/// Raises TableError if a column is missing or cannot hold bytes.
///
/// >>> import klero, pyarrow as pa
/// >>> key = klero.SecretKey.generate("praos")
/// >>> proof, output = key.prove(b"slot 7")
/// >>> claims = pa.table({"key": [key.public_key] * 2, "alpha": [b"slot 7", b"slot 8"],
/// ...                    "proof": [proof] * 2})
/// >>> pa.table(klero.verify_table(claims, suite="praos"))["verdict"].to_pylist()
/// ['valid', 'invalid: challenge mismatch']
#[pyfunction]
#[pyo3(signature = (
    table, *, suite=None, key="key", alpha="alpha", proof="proof",
    output="output", suite_column="suite", verdict="verdict", threads=None
))]
#[allow(clippy::too_many_arguments)] // They are keywords in Python.
pub fn verify_table(
    table: &Bound<'_, PyAny>,
    suite: Option<SuiteArgument>,
    key: &str,
    alpha: &str,
    proof: &str,
    output: &str,
    suite_column: &str,
    verdict: &str,
    threads: Threads,
) -> PyResult<Table> {
    let columns = Columns {
        key: key.into(),
        alpha: alpha.into(),
        proof: proof.into(),
        output: output.into(),
        suite: suite_column.into(),
        verdict: verdict.into(),
        ..Columns::default()
    };
    let verify = VerifyTable::new(suite.map(|suite| suite.0)).options(Options {
        columns,
        ..Options::default()
    });
    let input = Input::of(table)?;
    verify.check(&input.schema).map_err(refused)?;
    Answers::of(input, threads, move |rows| verify.verify(rows)).map(Table::new)
}

/// Proves the rows of a table: gives the same table with the columns `key` (the public key),
/// `proof`, `output` and `verdict`, and without the column `seed`.
///
/// The secret key is `key`, for all rows; or each row has one in the column `seed`, 32 bytes, of
/// the suite `suite` or of the one that the column `suite` names. Every row is proved whose
/// verdict is `valid`; the verdict of another says what cannot be read.
///
/// If a column names the suites, one seed may come in two of them, which would reveal it: then
/// TableError is raised and no proof is given. For that the whole table is computed, and kept in
/// memory, before the call returns. Otherwise it is computed while it is read.
///
/// The columns of the new table are binary if `alpha` is, and else hex. The arguments of their
/// names give the columns other names (`key_column` and `suite_column` for `key` and `suite`).
///
/// >>> import klero, pyarrow as pa
/// >>> key = klero.SecretKey.generate("praos")
/// >>> slots = pa.table({"alpha": [b"slot 7", b"slot 8"]})
/// >>> proved = pa.table(klero.prove_table(slots, key=key))
/// >>> proved.column_names
/// ['alpha', 'key', 'proof', 'output', 'verdict']
/// >>> proved["output"][0].as_py() == key.evaluate(b"slot 7")
/// True
#[pyfunction]
#[pyo3(signature = (
    table, *, key=None, suite=None, alpha="alpha", seed="seed",
    key_column="key", proof="proof", output="output",
    suite_column="suite", verdict="verdict", threads=None
))]
#[allow(clippy::too_many_arguments)] // They are keywords in Python.
pub fn prove_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    key: Option<Bound<'_, SecretKey>>,
    suite: Option<SuiteArgument>,
    alpha: &str,
    seed: &str,
    key_column: &str,
    proof: &str,
    output: &str,
    suite_column: &str,
    verdict: &str,
    threads: Threads,
) -> PyResult<Table> {
    let columns = Columns {
        key: key_column.into(),
        alpha: alpha.into(),
        proof: proof.into(),
        output: output.into(),
        suite: suite_column.into(),
        seed: seed.into(),
        verdict: verdict.into(),
    };
    let secret = Secret::new(key, suite)?;
    secret.answer(py, table, columns, threads, SecretTable::prove)
}

/// Evaluates the rows of a table: gives the same table with the columns `key`, `output` and
/// `verdict`, and without the column `seed`. The outputs are those of `prove_table`, in less time.
///
/// Keys, suites, columns and errors are those of `prove_table`.
///
/// >>> import klero, pyarrow as pa
/// >>> key = klero.SecretKey.generate("praos")
/// >>> slots = pa.table({"alpha": [b"slot 7", b"slot 8"]})
/// >>> evaluated = pa.table(klero.evaluate_table(slots, key=key))
/// >>> evaluated["output"].to_pylist() == key.evaluate_many([b"slot 7", b"slot 8"])
/// True
#[pyfunction]
#[pyo3(signature = (
    table, *, key=None, suite=None, alpha="alpha", seed="seed",
    key_column="key", output="output", suite_column="suite",
    verdict="verdict", threads=None
))]
#[allow(clippy::too_many_arguments)] // They are keywords in Python.
pub fn evaluate_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    key: Option<Bound<'_, SecretKey>>,
    suite: Option<SuiteArgument>,
    alpha: &str,
    seed: &str,
    key_column: &str,
    output: &str,
    suite_column: &str,
    verdict: &str,
    threads: Threads,
) -> PyResult<Table> {
    let columns = Columns {
        key: key_column.into(),
        alpha: alpha.into(),
        output: output.into(),
        suite: suite_column.into(),
        seed: seed.into(),
        verdict: verdict.into(),
        ..Columns::default()
    };
    let secret = Secret::new(key, suite)?;
    secret.answer(py, table, columns, threads, SecretTable::evaluate)
}

/// The secret keys of a table.
enum Secret {
    /// One key for all rows.
    Key(klero::SecretKey),
    /// Seeds of this suite, or of suites that a column names.
    Seeds(Option<klero::Suite>),
}

impl Secret {
    fn new(key: Option<Bound<'_, SecretKey>>, suite: Option<SuiteArgument>) -> PyResult<Self> {
        match (key, suite) {
            (Some(_), Some(_)) => Err(PyTypeError::new_err(
                "key and suite were given: expected one, because a key has its suite",
            )),
            (Some(key), None) => Ok(Self::Key(key.get().0.clone())),
            (None, suite) => Ok(Self::Seeds(suite.map(|suite| suite.0))),
        }
    }

    fn answer(
        self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        columns: Columns,
        threads: Threads,
        work: fn(&SecretTable, Rows) -> Result<Outcome, klero_arrow::TableError>,
    ) -> PyResult<Table> {
        // A seed that comes in two suites may be noticed late.
        let all_or_nothing = matches!(self, Self::Seeds(None));
        let secret = match self {
            Self::Key(key) => SecretTable::new(key),
            Self::Seeds(suite) => SecretTable::with_seeds(suite),
        };
        let secret = secret.options(Options {
            columns,
            ..Options::default()
        });
        let input = Input::of(table)?;
        secret.check(&input.schema).map_err(refused)?;
        let answers = Answers::of(input, threads, move |rows| work(&secret, rows))?;
        if all_or_nothing {
            return answers.compute(py).map(Table::new);
        }
        Ok(Table::new(answers))
    }
}
