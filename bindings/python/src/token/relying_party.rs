//! Relying parties, for whom a verifier takes assertions of passkeys.

use klero_token::RelyingParty;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::read_all;

/// For whom a verifier accepts what passkeys sign: the domain `id` that they belong to (`rp.id`), and
/// the `origins` of the pages that may ask them, as browsers write them, without a slash at the end.
/// With `user_verification` the passkey must have verified its user, for example by a PIN or a
/// fingerprint, and not only have noticed that somebody is there.
///
/// >>> from klero import token
/// >>> pages = ["https://example.org", "https://www.example.org"]
/// >>> party = token.RelyingParty("example.org", pages, user_verification=True)
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> minted = token.mint(issuer, b"account 17")
/// >>> known = {"roots": issuer.public_key, "challenge": None, "relying_party": party}
/// >>> token.check(minted, now=0, revoked=(), **known)
/// b'account 17'
#[pyclass(
    frozen,
    eq,
    hash,
    get_all,
    module = "klero.token",
    name = "RelyingParty"
)]
#[derive(PartialEq, Eq, Hash)]
pub struct TokenRelyingParty {
    /// The domain that the passkeys belong to.
    id: String,
    /// The pages that may ask.
    origins: Vec<String>,
    /// Whether the user must be verified.
    user_verification: bool,
}

#[pymethods]
impl TokenRelyingParty {
    /// Raises ValueError if there are no origins.
    #[new]
    #[pyo3(signature = (id, origins, *, user_verification))]
    fn new(id: String, origins: &Bound<'_, PyAny>, user_verification: bool) -> PyResult<Self> {
        if origins.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "expected a list of origins, got str: one origin is [\"https://example.org\"]",
            ));
        }
        let origins: Vec<String> = read_all(origins, "origin", |origin| origin.extract())?;
        if origins.is_empty() {
            return Err(PyValueError::new_err(
                "no origins: nothing that a passkey signs would be accepted",
            ));
        }
        Ok(Self {
            id,
            origins,
            user_verification,
        })
    }

    fn __repr__(&self) -> String {
        let Self {
            id,
            origins,
            user_verification,
        } = self;
        let verified = if *user_verification {
            ", verified users"
        } else {
            ""
        };
        format!("<klero.token.RelyingParty {id:?}, origins {origins:?}{verified}>")
    }
}

impl TokenRelyingParty {
    pub(super) fn get(&self) -> RelyingParty {
        RelyingParty {
            id: self.id.clone(),
            origins: self.origins.clone(),
            user_verification: self.user_verification,
        }
    }
}
