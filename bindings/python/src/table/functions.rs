//! What makes a table of another one.

use std::collections::BTreeMap;

use klero_arrow::{Columns, Options, Outcome, Rows, SecretTable, VerifyTable};
use pyo3::exceptions::{PyTypeError, PyValueError};
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
/// row the one that the column `suite` names. `columns` says which of them have other names, as in
/// {"key": "pk"}.
///
/// The table is checked and its first batch not yet read when the call returns. `threads` is
/// how many threads verify, by default one per processor.
///
/// Raises TableError if a column is missing or cannot hold bytes, and ValueError if `columns` names
/// one that Klero does not know.
///
/// >>> import klero, pyarrow as pa
/// >>> key = klero.SecretKey.generate("praos")
/// >>> proof, output = key.prove(b"slot 7")
/// >>> claims = pa.table({"key": [key.public_key] * 2, "alpha": [b"slot 7", b"slot 8"],
/// ...                    "proof": [proof] * 2})
/// >>> pa.table(klero.verify_table(claims, suite="praos"))["verdict"].to_pylist()
/// ['valid', 'invalid: challenge mismatch']
#[pyfunction]
#[pyo3(signature = (table, *, suite=None, columns=None, threads=None))]
pub fn verify_table(
    table: &Bound<'_, PyAny>,
    suite: Option<SuiteArgument>,
    columns: Option<Names>,
    threads: Threads,
) -> PyResult<Table> {
    let verify = VerifyTable::new(suite.map(|suite| suite.0)).options(options(columns)?);
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
/// The columns of the new table are binary if `alpha` is, and else hex. `columns` gives columns other
/// names, as for `verify_table`.
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
#[pyo3(signature = (table, *, key=None, suite=None, columns=None, threads=None))]
pub fn prove_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    key: Option<Bound<'_, SecretKey>>,
    suite: Option<SuiteArgument>,
    columns: Option<Names>,
    threads: Threads,
) -> PyResult<Table> {
    let (secret, options) = (Secret::new(key, suite)?, options(columns)?);
    secret.answer(py, table, options, threads, SecretTable::prove)
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
#[pyo3(signature = (table, *, key=None, suite=None, columns=None, threads=None))]
pub fn evaluate_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    key: Option<Bound<'_, SecretKey>>,
    suite: Option<SuiteArgument>,
    columns: Option<Names>,
    threads: Threads,
) -> PyResult<Table> {
    let (secret, options) = (Secret::new(key, suite)?, options(columns)?);
    secret.answer(py, table, options, threads, SecretTable::evaluate)
}

/// The argument `columns`: Klero's names of columns, and those that the table has for them.
type Names = BTreeMap<String, String>;

fn options(names: Option<Names>) -> PyResult<Options> {
    let mut columns = Columns::default();
    for (column, name) in names.unwrap_or_default() {
        let place = match column.as_str() {
            "key" => &mut columns.key,
            "alpha" => &mut columns.alpha,
            "proof" => &mut columns.proof,
            "output" => &mut columns.output,
            "suite" => &mut columns.suite,
            "seed" => &mut columns.seed,
            "verdict" => &mut columns.verdict,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "columns: {column:?} is none of key, alpha, proof, output, suite, seed, verdict"
                )));
            }
        };
        *place = name;
    }
    Ok(Options {
        columns,
        ..Options::default()
    })
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
        options: Options,
        threads: Threads,
        work: fn(&SecretTable, Rows) -> Result<Outcome, klero_arrow::TableError>,
    ) -> PyResult<Table> {
        // A seed that comes in two suites may be noticed late.
        let all_or_nothing = matches!(self, Self::Seeds(None));
        let secret = match self {
            Self::Key(key) => SecretTable::new(key),
            Self::Seeds(suite) => SecretTable::with_seeds(suite),
        };
        let secret = secret.options(options);
        let input = Input::of(table)?;
        secret.check(&input.schema).map_err(refused)?;
        let answers = Answers::of(input, threads, move |rows| work(&secret, rows))?;
        if all_or_nothing {
            return answers.compute(py).map(Table::new);
        }
        Ok(Table::new(answers))
    }
}
