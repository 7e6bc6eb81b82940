//! What callers pass: texts that may come from anyone, caveats, and fields of a request.

use klero_token::{Caveat, Error, NotACaveat};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use zeroize::Zeroizing;

use super::invalid;
use crate::arguments::at;

/// The text of a token, a request or a statement. A `str` that is not Unicode, as servers make of
/// headers, is invalid like other texts that are none.
pub struct Encoded(Zeroizing<String>);

impl Encoded {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromPyObject<'_, '_> for Encoded {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?;
        let text = text.to_cow().map_err(|_| invalid(Error::Text))?;
        Ok(Self(Zeroizing::new(text.into_owned())))
    }
}

/// Caveats, each by its canonical text.
#[derive(Default)]
pub struct Caveats(pub Vec<Caveat>);

impl FromPyObject<'_, '_> for Caveats {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "expected a list of caveats, got str: one caveat is [\"method GET\"]",
            ));
        }
        let caveats = object.try_iter()?.enumerate();
        let caveats = caveats.map(|(index, caveat)| read(index, &caveat?));
        Ok(Self(caveats.collect::<PyResult<_>>()?))
    }
}

fn read(index: usize, caveat: &Bound<'_, PyAny>) -> PyResult<Caveat> {
    let text: PyResult<String> = caveat.extract();
    let text = text.map_err(|error| at(caveat.py(), format_args!("caveat {index}"), error))?;
    let caveat: Result<_, NotACaveat> = text.parse();
    caveat.map_err(|error| PyValueError::new_err(format!("caveat {index}: {error}")))
}

/// Fields of a request: a dictionary, or pairs, of which some may have one name.
#[derive(Default)]
pub struct Fields(pub Vec<(String, String)>);

impl FromPyObject<'_, '_> for Fields {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let pairs = match object.cast::<PyMapping>() {
            Ok(fields) => fields.items()?.into_any(),
            Err(_) => object.to_owned(),
        };
        let pairs = pairs.try_iter()?.enumerate().map(|(index, pair)| {
            let pair = pair?.extract();
            pair.map_err(|error| at(py, format_args!("field {index}"), error))
        });
        Ok(Self(pairs.collect::<PyResult<_>>()?))
    }
}
