//! Keys of issuers and third parties, and the root keys that a verifier accepts.

use std::collections::BTreeMap;

use klero_token::{Error, KeyKind, PublicKey, RootKeys, SecretKey};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::Bytes;

/// The kind of keys of this name: a scheme, or third parties'.
fn kind(scheme: &str) -> PyResult<KeyKind> {
    let kind = KeyKind::named(scheme);
    let kind = kind.filter(|kind| !matches!(kind, KeyKind::Es256 | KeyKind::Passkey));
    kind.ok_or_else(|| {
        PyValueError::new_err(format!(
            "scheme {scheme:?}: expected chain or aggregate, or ed25519 for a third party"
        ))
    })
}

/// A secret key: of an issuer, for tokens of one scheme ("chain" or "aggregate"), or of a
/// third party, for statements in tokens of every scheme ("ed25519"). It is wiped from memory when
/// it is no longer referenced, and is never printed or pickled.
#[pyclass(frozen, module = "klero.token")]
pub struct TokenSecretKey(SecretKey);

#[pymethods]
impl TokenSecretKey {
    /// A new key from the operating system's random source.
    #[staticmethod]
    #[pyo3(signature = (scheme="chain"))]
    fn generate(scheme: &str) -> PyResult<Self> {
        SecretKey::generate(kind(scheme)?)
            .map(Self)
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The key of a seed: 32 secret, uniformly random bytes that are used for nothing else.
    #[staticmethod]
    fn from_seed(scheme: &str, seed: Bytes<'_>) -> PyResult<Self> {
        let (kind, seed) = (kind(scheme)?, seed.array::<32>("seed")?);
        SecretKey::from_bytes(kind, seed)
            .map(Self)
            .map_err(unusable)
    }

    /// The seed, 32 bytes. Secret.
    fn to_seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> TokenPublicKey {
        TokenPublicKey(*self.0.public_key())
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.0.kind().name()
    }

    /// Whether scheme and seed are the same. Constant time in the seeds.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.0 == other.get().0)
    }

    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenSecretKey of {}, public key {}>",
            self.0.kind(),
            hex(self.0.public_key().as_bytes())
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a secret key is not pickled or copied: store its seed, to_seed()",
        ))
    }
}

impl TokenSecretKey {
    /// The key, if it is an issuer's.
    pub(super) fn of_issuer(&self) -> PyResult<&SecretKey> {
        match self.0.kind().scheme() {
            Some(_) => Ok(&self.0),
            None => Err(PyValueError::new_err(
                "scheme \"ed25519\": expected chain or aggregate",
            )),
        }
    }

    /// The key, if it is a third party's.
    pub(super) fn of_third_party(&self) -> PyResult<&SecretKey> {
        match self.0.kind().scheme() {
            None => Ok(&self.0),
            Some(scheme) => Err(PyValueError::new_err(format!(
                "a key of scheme {:?}: expected one of \"ed25519\", which is a third party's",
                scheme.name()
            ))),
        }
    }
}

/// A public key: of an issuer, for tokens of one scheme, or of a third party ("ed25519").
/// `bytes(key)` are its 32 bytes. `str(key)` is its text, as in a caveat and on
/// the command line.
///
/// >>> from klero import token
/// >>> key = token.TokenSecretKey.from_seed("ed25519", bytes(32)).public_key
/// >>> str(key)
/// 'ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik'
/// >>> token.TokenPublicKey.from_text(str(key)) == key
/// True
#[pyclass(frozen, eq, hash, module = "klero.token")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TokenPublicKey(PublicKey);

#[pymethods]
impl TokenPublicKey {
    /// The key with these bytes. Raises ValueError if it is not one that verifiers accept.
    #[new]
    fn new(scheme: &str, key: Bytes<'_>) -> PyResult<Self> {
        let key = PublicKey::from_bytes(kind(scheme)?, key.as_slice());
        key.map(Self).map_err(unusable)
    }

    /// The key with this text: the name of the scheme, a colon, and base64url. Raises ValueError if
    /// it is not one that verifiers accept.
    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Self> {
        // What is not such a text may be secret, so the error does not show it.
        let (scheme, _) = text.split_once(':').ok_or_else(|| {
            PyValueError::new_err("expected the text of a public key, such as \"chain:...\"")
        })?;
        kind(scheme)?;
        text.parse().map(Self).map_err(unusable)
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.0.kind().name()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenPublicKey of {}, {}>",
            self.scheme(),
            hex(self.0.as_bytes())
        )
    }
}

/// The root keys of an argument: one with the number 0, or a dictionary by number. A third party's key
/// is the root of no token.
pub struct Roots(pub RootKeys);

impl FromPyObject<'_, '_> for Roots {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let keys: BTreeMap<u32, Bound<'_, TokenPublicKey>> = match object.cast::<TokenPublicKey>() {
            Ok(key) => BTreeMap::from([(0, key.to_owned())]),
            Err(_) => object.extract().map_err(|_| {
                PyTypeError::new_err("expected a TokenPublicKey, or a dictionary of them by number")
            })?,
        };
        let keys = keys.into_iter().map(|(id, key)| (id, key.get().0));
        Ok(Self(keys.collect()))
    }
}

fn unusable(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
