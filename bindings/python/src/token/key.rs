//! Keys of issuers and third parties, and the root keys that a verifier accepts.

use std::collections::BTreeMap;

use klero_token::{Error, Keys, PublicKey, RootKeys, Scheme, SecretKey, ThirdParty};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::arguments::Bytes;

/// Calls a function that is generic over the scheme, with the scheme of this name; or with other
/// keys, if another name is given.
macro_rules! with_scheme {
    ($scheme:expr, $function:ident $arguments:tt $(, $name:literal ($whose:literal) => $keys:ty)?) => {
        match $scheme {
            "chain" => $function::<klero_token::Chain> $arguments,
            "aggregate" => $function::<klero_token::Aggregate> $arguments,
            $($name => $function::<$keys> $arguments,)?
            name => Err(pyo3::exceptions::PyValueError::new_err(format!(
                concat!(
                    "scheme {:?}: expected chain or aggregate"
                    $(, ", or ", $name, " for ", $whose)?
                ),
                name
            ))),
        }
    };
}

pub(super) use with_scheme;

/// Calls a function that is generic over the keys, with those of this name: of a scheme, or of
/// third parties.
macro_rules! with_keys {
    ($name:expr, $function:ident $arguments:tt) => {
        with_scheme!($name, $function $arguments, "ed25519" ("a third party") => ThirdParty)
    };
}

/// A secret key: of an issuer, for tokens of one scheme ("chain" or "aggregate"), or of a
/// third party, for statements in tokens of every scheme ("ed25519"). It is wiped from memory when
/// it is no longer referenced, and is never printed or pickled.
#[pyclass(frozen, module = "klero.token")]
pub struct TokenSecretKey {
    seed: Box<Zeroizing<[u8; 32]>>,
    public: TokenPublicKey,
}

#[pymethods]
impl TokenSecretKey {
    /// A new key from the operating system's random source.
    #[staticmethod]
    #[pyo3(signature = (scheme="chain"))]
    fn generate(scheme: &str) -> PyResult<Self> {
        with_keys!(scheme, generate())
    }

    /// The key of a seed: 32 secret, uniformly random bytes that are used for nothing else.
    #[staticmethod]
    fn from_seed(scheme: &str, seed: Bytes<'_>) -> PyResult<Self> {
        with_keys!(scheme, from_seed(seed.array("seed")?))
    }

    /// The seed, 32 bytes. Secret.
    fn to_seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.seed())
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> TokenPublicKey {
        self.public.clone()
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    pub(super) fn scheme(&self) -> &'static str {
        self.public.scheme
    }

    /// Whether scheme and seed are the same. Constant time in the seeds.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.scheme() == other.scheme() && self.seed.ct_eq(&**other.seed).into()
        })
    }

    fn __repr__(&self) -> String {
        let TokenPublicKey { scheme, bytes } = &self.public;
        format!(
            "<klero.token.TokenSecretKey of {scheme}, public key {}>",
            hex(bytes)
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a secret key is not pickled or copied: store its seed, to_seed()",
        ))
    }
}

impl TokenSecretKey {
    pub(super) fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// The key, if it is a third party's.
    pub(super) fn of_third_party(&self) -> PyResult<SecretKey<ThirdParty>> {
        match self.scheme() {
            ThirdParty::NAME => Ok(SecretKey::from_seed(self.seed())),
            scheme => Err(PyValueError::new_err(format!(
                "a key of scheme {scheme:?}: expected one of \"ed25519\", which is a third party's"
            ))),
        }
    }
}

fn generate<K: Keys>() -> PyResult<TokenSecretKey> {
    let key = SecretKey::<K>::generate();
    let key = key.map_err(|error| PyOSError::new_err(error.to_string()))?;
    from_seed::<K>(key.as_bytes())
}

fn from_seed<K: Keys>(seed: &[u8; 32]) -> PyResult<TokenSecretKey> {
    let key = SecretKey::<K>::from_seed(seed);
    Ok(TokenSecretKey {
        seed: Box::new(Zeroizing::new(*seed)),
        public: TokenPublicKey::of(key.public_key()),
    })
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
pub struct TokenPublicKey {
    scheme: &'static str,
    bytes: Vec<u8>,
}

#[pymethods]
impl TokenPublicKey {
    /// The key with these bytes. Raises ValueError if it is not one that verifiers accept.
    #[new]
    fn new(scheme: &str, key: Bytes<'_>) -> PyResult<Self> {
        with_keys!(scheme, from_bytes(key.as_slice()))
    }

    /// The key with this text: the name of the scheme, a colon, and base64url. Raises ValueError if
    /// it is not one that verifiers accept.
    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Self> {
        // What is not such a text may be secret, so the error does not show it.
        let (scheme, _) = text.split_once(':').ok_or_else(|| {
            PyValueError::new_err("expected the text of a public key, such as \"chain:...\"")
        })?;
        with_keys!(scheme, from_text(text))
    }

    /// The name of the scheme; "ed25519" of a third party's key.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.scheme
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __str__(&self) -> PyResult<String> {
        with_keys!(self.scheme, to_text(&self.bytes))
    }

    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenPublicKey of {}, {}>",
            self.scheme,
            hex(&self.bytes)
        )
    }
}

impl TokenPublicKey {
    fn of<K: Keys>(key: &PublicKey<K>) -> Self {
        Self {
            scheme: K::NAME,
            bytes: key.as_bytes().to_vec(),
        }
    }
}

fn from_bytes<K: Keys>(bytes: &[u8]) -> PyResult<TokenPublicKey> {
    let key = PublicKey::<K>::from_bytes(bytes).map_err(unusable)?;
    Ok(TokenPublicKey::of(&key))
}

fn from_text<K: Keys>(text: &str) -> PyResult<TokenPublicKey> {
    let key: PublicKey<K> = text.parse().map_err(unusable)?;
    Ok(TokenPublicKey::of(&key))
}

fn to_text<K: Keys>(bytes: &[u8]) -> PyResult<String> {
    let key = PublicKey::<K>::from_bytes(bytes).map_err(unusable)?;
    Ok(key.to_string())
}

/// The root keys of an argument: one with the number 0, or a dictionary by number.
pub struct Roots(BTreeMap<u32, TokenPublicKey>);

impl FromPyObject<'_, '_> for Roots {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(key) = object.cast::<TokenPublicKey>() {
            return Ok(Self(BTreeMap::from([(0, key.get().clone())])));
        }
        let keys: BTreeMap<u32, Bound<'_, TokenPublicKey>> = object.extract().map_err(|_| {
            PyTypeError::new_err("expected a TokenPublicKey, or a dictionary of them by number")
        })?;
        let keys = keys.into_iter().map(|(id, key)| (id, key.get().clone()));
        Ok(Self(keys.collect()))
    }
}

impl Roots {
    pub(super) fn of<S: Scheme>(&self) -> PyResult<RootKeys<S>> {
        let mut roots = RootKeys::new();
        for (&id, key) in self.0.iter().filter(|(_, key)| key.scheme == S::NAME) {
            let key = PublicKey::from_bytes(&key.bytes).map_err(unusable)?;
            roots.insert(id, key);
        }
        Ok(roots)
    }
}

fn unusable(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
