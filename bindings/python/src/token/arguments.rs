//! What callers pass: texts that may come from anyone, caveats, and fields of a request.

use klero_token::{Caveat, Error, NotACaveat, RevocationId};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use zeroize::Zeroizing;

use super::invalid;
use crate::arguments::{Bytes, at};

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

/// What is revoked: ids of blocks, or a function that says whether an id is.
pub enum RevokedBlocks<'py> {
    Ids(Vec<RevocationId>),
    By(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for RevokedBlocks<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_callable() {
            return Ok(Self::By(object.to_owned()));
        }
        // Both are collections, though of no ids.
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(
                "expected revocation ids, such as a set of bytes, or a function",
            ));
        }
        let ids = object.try_iter()?.enumerate();
        let ids = ids.map(|(index, id)| {
            // What is not understood is an error: skipped, it would revoke nothing.
            let id: PyResult<Bytes<'_>> = id?.extract();
            let id = id.map_err(|error| at(object.py(), format_args!("id {index}"), error))?;
            Ok(RevocationId(*id.array("revocation id")?))
        });
        Ok(Self::Ids(ids.collect::<PyResult<_>>()?))
    }
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
