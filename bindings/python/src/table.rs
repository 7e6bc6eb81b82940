//! Tables: verified, proved or evaluated batch by batch.

use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use klero_arrow::{Columns, Outcome, Rows, SecretTable, VerifyTable};
use klero_pipeline::Results;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arguments::SuiteArgument;
use crate::errors::TableError;
use crate::key::SecretKey;
use crate::stream::{Input, called_back, schema_capsule, stream_capsule};
use crate::threads::{Threads, pool};

/// Rows that one thread works on at a time, at most: the largest sum that the library makes. Longer
/// batches are divided, so that several threads share a table of some thousand rows.
const GROUP_ROWS: usize = 2048;

/// A table that is computed while it is read, batch by batch, and so can be larger than memory.
///
/// It speaks the Arrow PyCapsule interface: pass it to `pyarrow.table`, `polars.DataFrame`,
/// `pandas.DataFrame.from_arrow`, DuckDB, or whatever else reads Arrow. It can be read once. To
/// have it more often, keep what `to_pyarrow()`, `to_polars()` or `to_pandas()` returns.
///
/// What is wrong with one row is in that row's verdict. An error that ends the table, such as one of
/// its source, is a TableError from the three methods, and KeyboardInterrupt ends it between
/// batches. Other readers raise an exception of their own instead, with the same message.
///
/// Its source is read on the reader's thread, and batches for two rounds of work are read ahead.
#[pyclass(frozen, module = "klero")]
pub struct Table {
    schema: SchemaRef,
    answers: Mutex<Option<Answers>>,
    failure: Arc<Mutex<Option<PyErr>>>,
}

#[pymethods]
impl Table {
    /// The whole table as a pyarrow.Table.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::read(slf, slf.py().import("pyarrow")?.getattr("table")?)
    }

    /// The whole table as a polars.DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::read(slf, slf.py().import("polars")?.getattr("DataFrame")?)
    }

    /// The whole table as a pandas.DataFrame, by way of pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    /// A pyarrow.RecordBatchReader of the table, which reads it batch by batch.
    fn to_reader<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let reader = slf.py().import("pyarrow")?.getattr("RecordBatchReader")?;
        Self::read(slf, reader.getattr("from_stream")?)
    }

    /// The stream in a capsule, for readers of Arrow. A requested schema is ignored, as the
    /// interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = answers.take().ok_or_else(|| {
            TableError::new_err(
                "the table has been read, and can be read once: keep what to_pyarrow(), \
                 to_polars() or to_pandas() returns",
            )
        })?;
        stream_capsule(py, Box::new(answers))
    }

    /// The schema in a capsule, for readers of Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __repr__(&self) -> String {
        let names = self
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str());
        format!("<klero.Table of {}>", names.collect::<Vec<_>>().join(", "))
    }
}

impl Table {
    /// Passes the table to a reader, and raises what ended the table instead of what the
    /// reader makes of it.
    fn read<'py>(slf: &Bound<'py, Self>, reader: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        reader.call1((slf,)).map_err(|error| {
            let failure = &slf.get().failure;
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            match failure.take() {
                Some(failure) => {
                    failure.set_cause(py, Some(error));
                    failure
                }
                None => error,
            }
        })
    }
}

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
    let verify = VerifyTable::new(suite.map(|suite| suite.0)).columns(columns);
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
        let secret = secret.columns(columns);
        let input = Input::of(table)?;
        secret.check(&input.schema).map_err(refused)?;
        let answers = Answers::of(input, threads, move |rows| work(&secret, rows))?;
        if all_or_nothing {
            return answers.compute(py).map(Table::new);
        }
        Ok(Table::new(answers))
    }
}

impl Table {
    /// A table of one batch.
    pub fn of(batch: RecordBatch) -> Self {
        let answers = Answers {
            schema: batch.schema(),
            batches: Box::new(iter::once(Ok(batch))),
            ended: false,
            failure: Arc::default(),
            process: process::id(),
        };
        Self::new(answers)
    }

    fn new(answers: Answers) -> Self {
        Self {
            schema: answers.schema.clone(),
            failure: answers.failure.clone(),
            answers: Mutex::new(Some(answers)),
        }
    }
}

/// The batches of the new table.
struct Answers {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, String>> + Send>,
    ended: bool,
    /// Why they ended early.
    failure: Arc<Mutex<Option<PyErr>>>,
    /// The process that has the threads.
    process: u32,
}

impl Answers {
    /// What `work` makes of the rows of a table.
    fn of(
        input: Input,
        threads: Threads,
        work: impl Fn(Rows) -> Result<Outcome, klero_arrow::TableError> + Send + Sync + 'static,
    ) -> PyResult<Self> {
        let empty = RecordBatch::new_empty(input.schema);
        let schema = work(Rows::from(empty)).map_err(refused)?.batch.schema();
        let groups = Groups {
            batches: input.batches,
            rest: None,
            next_row: 1,
        };
        let outcomes = Results::on(pool(threads)?, groups, work);
        let batches = outcomes.map(|outcome| match outcome? {
            Ok(outcome) => Ok(outcome.batch),
            Err(fault) => Err(fault.to_string()),
        });
        Ok(Self {
            schema,
            batches: Box::new(batches),
            ended: false,
            failure: Arc::default(),
            process: process::id(),
        })
    }

    /// The next batch, or why there is none; nothing follows an error. The GIL must not be held: a
    /// thread that drops the memory of a Python object takes it.
    fn pull(&mut self) -> Option<Result<RecordBatch, String>> {
        if self.ended {
            return None;
        }
        let pulled = if self.process == process::id() {
            catch_unwind(AssertUnwindSafe(|| self.batches.next())).unwrap_or_else(|panic| {
                Some(Err(format!("internal error: {}", message(panic.as_ref()))))
            })
        } else {
            Some(Err(
                "the table was made in another process: read it there".into()
            ))
        };
        self.ended = !matches!(pulled, Some(Ok(_)));
        pulled
    }

    /// Computes all batches.
    fn compute(mut self, py: Python<'_>) -> PyResult<Self> {
        let mut batches = Vec::new();
        while let Some(batch) = py.detach(|| self.pull()) {
            batches.push(batch.map_err(TableError::new_err)?);
            py.check_signals()?;
        }
        Ok(Self {
            batches: Box::new(batches.into_iter().map(Ok)),
            ended: false,
            ..self
        })
    }
}

impl Iterator for Answers {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failure = self.failure.clone();
        let fail = |error: PyErr, message: String| {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            // The C interface has no place for a zero.
            ArrowError::InvalidArgumentError(message.replace('\0', "\u{fffd}"))
        };
        let pulled = called_back(
            || {
                let batch = self.pull()?;
                Some(batch.map_err(|fault| fail(TableError::new_err(fault.clone()), fault)))
            },
            |_, error| {
                let message = format!("interrupted by {error}");
                Some(Err(fail(error, message)))
            },
        );
        self.ended |= !matches!(pulled, Some(Ok(_)));
        pulled
    }
}

impl RecordBatchReader for Answers {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The rows of a table in groups of at most [`GROUP_ROWS`].
struct Groups {
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    /// What is left of a batch; it has rows.
    rest: Option<RecordBatch>,
    next_row: u64,
}

impl Iterator for Groups {
    type Item = Result<Rows, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.batches.find(|batch| !is_empty(batch))? {
                Ok(batch) => batch,
                Err(error) => {
                    let row = self.next_row;
                    return Some(Err(format!(
                        "cannot read the table from row {row} on: {error}"
                    )));
                }
            },
        };
        let rows = batch.num_rows().min(GROUP_ROWS);
        if rows < batch.num_rows() {
            self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        let first_row = self.next_row;
        self.next_row += rows as u64;
        let batch = batch.slice(0, rows);
        Some(Ok(Rows {
            first_row,
            ..Rows::from(batch)
        }))
    }
}

fn is_empty(batch: &Result<RecordBatch, ArrowError>) -> bool {
    batch.as_ref().is_ok_and(|batch| batch.num_rows() == 0)
}

fn refused(fault: klero_arrow::TableError) -> PyErr {
    TableError::new_err(fault.to_string())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}
