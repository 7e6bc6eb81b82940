//! What callers pass: texts that may come from anyone, caveats, and fields of a request.

use klero_token::{Caveat, Error, RelyingParty, RevocationId};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use zeroize::Zeroizing;

use crate::arguments::{Bytes, at, expect};

/// The text of a token, a request or a statement. A `str` that is not Unicode, as servers make of
/// headers, is invalid like other texts that are none.
pub fn encoded(object: &Bound<'_, PyAny>) -> PyResult<Zeroizing<String>> {
    let text = object.cast::<PyString>()?;
    // What is not UTF-8 is not base64url.
    let text = text.to_cow().unwrap_or("=".into());
    Ok(Zeroizing::new(text.into_owned()))
}

/// Caveats, each by its canonical text.
pub fn caveats(object: &Bound<'_, PyAny>) -> PyResult<Vec<Caveat>> {
    if object.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "expected a list of caveats, got str: one caveat is [\"method GET\"]",
        ));
    }
    let caveats = object.try_iter()?.enumerate();
    caveats
        .map(|(index, caveat)| read(index, &caveat?))
        .collect()
}

fn read(index: usize, caveat: &Bound<'_, PyAny>) -> PyResult<Caveat> {
    let text: PyResult<String> = caveat.extract();
    let text = text.map_err(|error| at(caveat.py(), format_args!("caveat {index}"), error))?;
    let caveat: Result<_, Error> = text.parse();
    caveat.map_err(|error| PyValueError::new_err(format!("caveat {index}: {error}")))
}

/// The nonce, the audience and the time of a challenge.
pub type Challenged<'py> = (Bytes<'py>, String, u64);

/// The fields of a `klero.token.Challenge`.
pub fn challenge<'py>(object: &Bound<'py, PyAny>) -> PyResult<Challenged<'py>> {
    expect(object, "klero.token", "Challenge")?;
    let (nonce, audience) = (object.getattr("nonce")?, object.getattr("audience")?);
    let time = object.getattr("time")?.extract()?;
    Ok((nonce.extract()?, audience.extract()?, time))
}

/// The same, or none.
pub fn optional_challenge<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Challenged<'py>>> {
    if object.is_none() {
        return Ok(None);
    }
    challenge(object).map(Some)
}

/// A `klero.token.RelyingParty`, or none.
pub fn relying_party(object: &Bound<'_, PyAny>) -> PyResult<Option<RelyingParty>> {
    if object.is_none() {
        return Ok(None);
    }
    expect(object, "klero.token", "RelyingParty")?;
    Ok(Some(RelyingParty {
        id: object.getattr("id")?.extract()?,
        origins: object.getattr("origins")?.extract()?,
        user_verification: object.getattr("user_verification")?.extract()?,
    }))
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
pub fn fields(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<(String, String)>>> {
    if object.is_none() {
        return Ok(None);
    }
    let pairs = match object.cast::<PyMapping>() {
        Ok(fields) => fields.items()?.into_any(),
        Err(_) => object.clone(),
    };
    let pairs = pairs.try_iter()?.enumerate().map(|(index, pair)| {
        let pair = pair?.extract();
        pair.map_err(|error| at(object.py(), format_args!("field {index}"), error))
    });
    pairs.collect::<PyResult<_>>().map(Some)
}
