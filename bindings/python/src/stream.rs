//! Arrow's C interface in Python capsules (the PyCapsule interface): tables in and out, without
//! copying a value.

// The C interface is raw pointers.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{
    Array, ArrayReader, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, make_array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::types::capsule::PyCapsuleMethods;

use crate::errors::TableError;

/// A table as a Python object gives it.
pub struct Input {
    pub schema: SchemaRef,
    pub batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

impl Input {
    /// The table of an object that speaks the PyCapsule interface.
    pub fn of(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        if table.hasattr("__arrow_c_stream__")? {
            let capsule = table.call_method0("__arrow_c_stream__")?;
            let stream = take(&capsule, STREAM, FFI_ArrowArrayStream::from_raw)?;
            Self::of_stream(stream).map_err(unreadable)
        } else if table.hasattr("__arrow_c_array__")? {
            let capsules = table.call_method0("__arrow_c_array__")?;
            let schema = take(&capsules.get_item(0)?, SCHEMA, FFI_ArrowSchema::from_raw)?;
            let array = take(&capsules.get_item(1)?, ARRAY, FFI_ArrowArray::from_raw)?;
            Self::of_array(array, &schema).map_err(unreadable)
        } else {
            let name = table.get_type().qualname()?;
            Err(PyTypeError::new_err(format!(
                "expected a table with the Arrow PyCapsule interface (of pyarrow, polars, pandas, \
                 DuckDB, …), got {name}"
            )))
        }
    }

    fn of_stream(stream: FFI_ArrowArrayStream) -> Result<Self, ArrowError> {
        let reader = ArrayStreamReader::try_new(stream)?;
        let schema = schema_of(reader.field())?;
        let of = schema.clone();
        let batches = reader.map(move |array| batch_of(&of, &array?));
        Ok(Self {
            schema,
            batches: Box::new(batches),
        })
    }

    fn of_array(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<Self, ArrowError> {
        if array.is_released() {
            return Err(ArrowError::InvalidArgumentError(
                "its capsules have been read before".into(),
            ));
        }
        let field = Field::try_from(schema)?;
        // SAFETY: array and schema are those of one call of `__arrow_c_array__`, whose
        // contract is that of the C interface.
        let array = make_array(unsafe { from_ffi(array, schema) }?);
        let schema = schema_of(&field)?;
        let batch = batch_of(&schema, &array);
        Ok(Self {
            schema,
            batches: Box::new(std::iter::once(batch)),
        })
    }
}

/// The names of capsules that hold a structure of Arrow's C interface.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Moves the structure out of a capsule of its name by its `from_raw`, which marks it as released.
fn take<T>(
    capsule: &Bound<'_, PyAny>,
    name: &CStr,
    from_raw: unsafe fn(*mut T) -> T,
) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(name))?;
    // SAFETY: a capsule of this name holds this structure, which its consumer moves out
    // while it holds the GIL.
    Ok(unsafe { from_raw(pointer.cast().as_ptr()) })
}

fn schema_of(field: &Field) -> Result<SchemaRef, ArrowError> {
    match field.data_type() {
        DataType::Struct(fields) => {
            let schema = Schema::new(fields.clone()).with_metadata(field.metadata().clone());
            Ok(Arc::new(schema))
        }
        other => Err(ArrowError::SchemaError(format!(
            "expected a table, got one column of type {other}"
        ))),
    }
}

fn batch_of(schema: &SchemaRef, rows: &ArrayRef) -> Result<RecordBatch, ArrowError> {
    if rows.null_count() > 0 {
        return Err(ArrowError::InvalidArgumentError(
            "a whole row is null: expected a table, whose columns may have nulls".into(),
        ));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let columns = rows.as_struct().columns().to_vec();
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}

fn unreadable(error: ArrowError) -> PyErr {
    TableError::new_err(format!("the table cannot be read: {error}"))
}

/// A capsule with a stream of batches.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(batches);
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// A capsule with a schema.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(unreadable)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Runs `work` without the GIL in a callback of the C interface, unless an exception comes from a
/// signal, such as KeyboardInterrupt; then `interrupted` with the GIL. The caller may hold the GIL or
/// not.
pub fn called_back<T: Send>(
    work: impl FnOnce() -> T + Send,
    interrupted: impl FnOnce(Python<'_>, PyErr) -> T,
) -> T {
    // SAFETY: may be called at any time.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return work();
    }
    // Not `Python::attach`: below a function of this module it takes for granted that the GIL
    // is held, but a library that was called from there may have released it.
    // SAFETY: Python is initialized, and the state is given back below.
    let state = unsafe { ffi::PyGILState_Ensure() };
    // SAFETY: the GIL is held until the state is given back, which is after all uses of `py`.
    let py = unsafe { Python::assume_attached() };
    let result = catch_unwind(AssertUnwindSafe(|| match py.check_signals() {
        Ok(()) => py.detach(work),
        Err(error) => interrupted(py, error),
    }));
    // SAFETY: the state is that of the call above, on the same thread.
    unsafe { ffi::PyGILState_Release(state) };
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
