//! Keys of issuers and third parties, and the root keys that a verifier accepts.

use std::collections::BTreeMap;

use klero_token::{Error, PublicKey, RootKeys, Scheme, SecretKey, ThirdParty};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::Bytes;

/// The keys of a third party.
const THIRD_PARTY: &str = ThirdParty::NAME;

/// What is no name of a scheme, or of third parties' keys.
fn unknown(scheme: &str) -> PyErr {
    PyValueError::new_err(format!(
        "scheme {scheme:?}: expected chain or aggregate, or {THIRD_PARTY} for a third party"
    ))
}

/// A secret key: of an issuer, for tokens of one scheme ("chain" or "aggregate"), or of a
/// third party, for statements in tokens of every scheme ("ed25519"). It is wiped from memory when
/// it is no longer referenced, and is never printed or pickled.
#[pyclass(frozen, module = "klero.token")]
pub struct TokenSecretKey(Secret);

#[derive(PartialEq, Eq)]
enum Secret {
    Issuer(SecretKey),
    ThirdParty(SecretKey<ThirdParty>),
}

#[pymethods]
impl TokenSecretKey {
    /// A new key from the operating system's random source.
    #[staticmethod]
    #[pyo3(signature = (scheme="chain"))]
    fn generate(scheme: &str) -> PyResult<Self> {
        let key = match scheme {
            THIRD_PARTY => SecretKey::generate(ThirdParty).map(Secret::ThirdParty),
            name => SecretKey::generate(Scheme::named(name).ok_or_else(|| unknown(name))?)
                .map(Secret::Issuer),
        };
        key.map(Self)
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The key of a seed: 32 secret, uniformly random bytes that are used for nothing else.
    #[staticmethod]
    fn from_seed(scheme: &str, seed: Bytes<'_>) -> PyResult<Self> {
        let key = match (scheme, Scheme::named(scheme)) {
            (THIRD_PARTY, _) => {
                Secret::ThirdParty(SecretKey::from_seed(ThirdParty, seed.array("seed")?))
            }
            (_, Some(scheme)) => Secret::Issuer(SecretKey::from_seed(scheme, seed.array("seed")?)),
            (name, None) => return Err(unknown(name)),
        };
        Ok(Self(key))
    }

    /// The seed, 32 bytes. Secret.
    fn to_seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.seed())
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> TokenPublicKey {
        TokenPublicKey(match &self.0 {
            Secret::Issuer(key) => Public::Issuer(*key.public_key()),
            Secret::ThirdParty(key) => Public::ThirdParty(*key.public_key()),
        })
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.public_key().scheme()
    }

    /// Whether scheme and seed are the same. Constant time in the seeds.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.0 == other.get().0)
    }

    fn __repr__(&self) -> String {
        let public = self.public_key();
        format!(
            "<klero.token.TokenSecretKey of {}, public key {}>",
            public.scheme(),
            hex(public.as_bytes())
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a secret key is not pickled or copied: store its seed, to_seed()",
        ))
    }
}

impl TokenSecretKey {
    fn seed(&self) -> &[u8; 32] {
        match &self.0 {
            Secret::Issuer(key) => key.as_bytes(),
            Secret::ThirdParty(key) => key.as_bytes(),
        }
    }

    /// The key, if it is an issuer's.
    pub(super) fn of_issuer(&self) -> PyResult<&SecretKey> {
        match &self.0 {
            Secret::Issuer(key) => Ok(key),
            Secret::ThirdParty(_) => Err(PyValueError::new_err(format!(
                "scheme {THIRD_PARTY:?}: expected chain or aggregate"
            ))),
        }
    }

    /// The key, if it is a third party's.
    pub(super) fn of_third_party(&self) -> PyResult<&SecretKey<ThirdParty>> {
        match &self.0 {
            Secret::ThirdParty(key) => Ok(key),
            Secret::Issuer(key) => Err(PyValueError::new_err(format!(
                "a key of scheme {:?}: expected one of \"ed25519\", which is a third party's",
                key.scheme().name()
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
pub struct TokenPublicKey(Public);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Public {
    Issuer(PublicKey),
    ThirdParty(PublicKey<ThirdParty>),
}

#[pymethods]
impl TokenPublicKey {
    /// The key with these bytes. Raises ValueError if it is not one that verifiers accept.
    #[new]
    fn new(scheme: &str, key: Bytes<'_>) -> PyResult<Self> {
        let key = match (scheme, Scheme::named(scheme)) {
            (THIRD_PARTY, _) => {
                PublicKey::from_bytes(ThirdParty, key.as_slice()).map(Public::ThirdParty)
            }
            (_, Some(scheme)) => PublicKey::from_bytes(scheme, key.as_slice()).map(Public::Issuer),
            (name, None) => return Err(unknown(name)),
        };
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
        let key = match (scheme, Scheme::named(scheme)) {
            (THIRD_PARTY, _) => text.parse().map(Public::ThirdParty),
            (_, Some(_)) => text.parse().map(Public::Issuer),
            (name, None) => return Err(unknown(name)),
        };
        key.map(Self).map_err(unusable)
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    fn scheme(&self) -> &'static str {
        match &self.0 {
            Public::Issuer(key) => key.scheme().name(),
            Public::ThirdParty(_) => THIRD_PARTY,
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.as_bytes())
    }

    fn __str__(&self) -> String {
        match &self.0 {
            Public::Issuer(key) => key.to_string(),
            Public::ThirdParty(key) => key.to_string(),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenPublicKey of {}, {}>",
            self.scheme(),
            hex(self.as_bytes())
        )
    }
}

impl TokenPublicKey {
    fn as_bytes(&self) -> &[u8; 32] {
        match &self.0 {
            Public::Issuer(key) => key.as_bytes(),
            Public::ThirdParty(key) => key.as_bytes(),
        }
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
        let issuers = keys.into_iter().filter_map(|(id, key)| match key.get().0 {
            Public::Issuer(key) => Some((id, key)),
            Public::ThirdParty(_) => None,
        });
        Ok(Self(issuers.collect()))
    }
}

fn unusable(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
