//! Tables: verified, proved or evaluated batch by batch.

mod answers;
mod functions;

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use self::answers::Answers;
pub use self::functions::{evaluate_table, prove_table, verify_table};
use crate::errors::TableError;
use crate::stream::{schema_capsule, stream_capsule};

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
    /// A table of one batch.
    pub fn of(batch: RecordBatch) -> Self {
        Self::new(Answers::of_one(batch))
    }

    fn new(answers: Answers) -> Self {
        Self {
            schema: answers.schema.clone(),
            failure: answers.failure.clone(),
            answers: Mutex::new(Some(answers)),
        }
    }

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

fn refused(fault: klero_arrow::TableError) -> PyErr {
    TableError::new_err(fault.to_string())
}
