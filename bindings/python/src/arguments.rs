//! What callers pass: bytes and suites.

use std::fmt;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// A bytes-like argument. Anything but `bytes` is copied, so that no other thread can change it
/// while it is read.
#[derive(IntoPyObject)]
pub struct Bytes<'py>(Bound<'py, PyBytes>);

impl Bytes<'_> {
    pub fn as_slice(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The bytes, if there are N. `what` names them for the error.
    pub fn array<const N: usize>(&self, what: &str) -> PyResult<&[u8; N]> {
        let bytes = self.as_slice();
        bytes.try_into().map_err(|_| {
            PyValueError::new_err(format!("{what} has {} bytes, expected {N}", bytes.len()))
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Bytes<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self(bytes.to_owned()));
        }
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "expected bytes, got str: decode hex with bytes.fromhex",
            ));
        }
        let view = PyMemoryView::from(&object).map_err(|_| {
            PyTypeError::new_err(format!("expected bytes, got {}", type_of(object)))
        })?;
        Ok(Self(view.call_method0("tobytes")?.cast_into()?))
    }
}

/// A whole number that the argument `name` takes; `expected` says which they are.
pub fn whole_number<T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>>(
    name: &str,
    expected: &str,
    object: Borrowed<'_, '_, PyAny>,
) -> PyResult<T> {
    object.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyTypeError>(object.py()) {
            PyTypeError::new_err(format!(
                "{name}: expected {expected}, got {}",
                type_of(object)
            ))
        } else {
            PyValueError::new_err(format!("{name}: expected {expected}, got {}", *object))
        }
    })
}

fn type_of(object: Borrowed<'_, '_, PyAny>) -> String {
    let name = object.get_type().name();
    name.map_or_else(|_| "an object".into(), |name| name.to_string())
}

/// What `read` makes of the items of an iterable. Each is a `what` in errors.
pub fn read_all<'py, T>(
    iterable: &Bound<'py, PyAny>,
    what: &str,
    read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let py = iterable.py();
    let items = iterable.try_iter()?.enumerate();
    let items = items.map(|(index, item)| {
        // There may be no end of them.
        if index % LOOK == 0 {
            py.check_signals()?;
        }
        read(&item?).map_err(|error| at(py, format_args!("{what} {index}"), error))
    });
    items.collect()
}

/// Items that are read between two looks for signals.
const LOOK: usize = 4096;

/// The error of an argument's type, with the place of the item that it is about.
pub fn at(py: Python<'_>, place: fmt::Arguments<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(format!("{place}: {}", error.value(py)))
    } else {
        error
    }
}

/// An error unless an argument is of this class of the package, one of its dataclasses.
pub fn expect(object: &Bound<'_, PyAny>, module: &str, class: &str) -> PyResult<()> {
    let expected = object.py().import(module)?.getattr(class)?;
    match object.is_instance(&expected)? {
        true => Ok(()),
        false => Err(PyTypeError::new_err(format!(
            "expected a {class}, got {}",
            type_of(object.as_borrowed())
        ))),
    }
}

/// A suite by name, or one of `suites()`.
#[derive(Clone, Copy)]
pub struct SuiteArgument(pub klero::Suite);

impl FromPyObject<'_, '_> for SuiteArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name: PyResult<String> = match object.is_instance_of::<PyString>() {
            true => object.extract(),
            false => {
                expect(&object, "klero", "Suite").and_then(|()| object.getattr("name")?.extract())
            }
        };
        let name =
            name.map_err(|_| PyTypeError::new_err("suite: expected a name such as \"praos\""))?;
        let suite = name.parse::<klero::Suite>();
        suite
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// All suites.
///
/// >>> import klero
/// >>> [suite.name for suite in klero.suites()][:2]
/// ['praos', 'praos-original']
#[pyfunction]
pub fn suites(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let class = py.import("klero")?.getattr("Suite")?;
    let suites = klero::Suite::ALL.iter();
    suites
        .map(|suite| class.call1((suite.name(), suite.proof_len(), suite.used_by())))
        .collect()
}
