//! Attenuable tokens, of the scheme that a key or the token itself names.

use klero_token::{
    Aggregate, Block, Bls, Chain, Challenge, Error, Kind, Limits, RevocationId, RootKeys, Scheme,
    Unverified, Verified, scheme_of_text,
};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::collections::BTreeMap;
use std::convert::Infallible;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::arguments::Bytes;
use crate::errors::InvalidToken;

/// Calls a function that is generic over the scheme, with the scheme of this name.
macro_rules! with_scheme {
    ($scheme:expr, $function:ident($($argument:expr),*)) => {
        match $scheme {
            "chain" => $function::<Chain>($($argument),*),
            "aggregate" => $function::<Aggregate>($($argument),*),
            "bls" => $function::<Bls>($($argument),*),
            name => Err(PyValueError::new_err(format!(
                "scheme {name:?}: expected chain, aggregate or bls"
            ))),
        }
    };
}

/// A secret key for tokens of one scheme: "chain", "aggregate" or "bls". It is wiped from memory
/// when it is no longer referenced, and is never printed or pickled.
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
        with_scheme!(scheme, generate())
    }

    /// The key of a seed: 32 secret, uniformly random bytes that are used for nothing else.
    #[staticmethod]
    fn from_seed(scheme: &str, seed: Bytes<'_>) -> PyResult<Self> {
        with_scheme!(scheme, from_seed(seed.array("seed")?))
    }

    /// The seed, 32 bytes. Secret.
    fn to_seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &**self.seed)
    }

    /// The public key.
    #[getter]
    fn public_key(&self) -> TokenPublicKey {
        self.public.clone()
    }

    /// The name of the scheme.
    #[getter]
    fn scheme(&self) -> &'static str {
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

fn generate<S: Scheme>() -> PyResult<TokenSecretKey> {
    let key = klero_token::SecretKey::<S>::generate();
    let key = key.map_err(|error| PyOSError::new_err(error.to_string()))?;
    from_seed::<S>(key.as_bytes())
}

fn from_seed<S: Scheme>(seed: &[u8; 32]) -> PyResult<TokenSecretKey> {
    let key = klero_token::SecretKey::<S>::from_seed(seed);
    Ok(TokenSecretKey {
        seed: Box::new(Zeroizing::new(*seed)),
        public: TokenPublicKey {
            scheme: S::NAME,
            bytes: key.public_key().as_bytes().to_vec(),
        },
    })
}

/// A public key for tokens of one scheme. `bytes(key)` are its 32 bytes, or 96 for "bls".
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
        with_scheme!(scheme, public(key.as_slice()))
    }

    /// The name of the scheme.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.scheme
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenPublicKey of {}, {}>",
            self.scheme,
            hex(&self.bytes)
        )
    }
}

fn public<S: Scheme>(bytes: &[u8]) -> PyResult<TokenPublicKey> {
    let key = klero_token::PublicKey::<S>::from_bytes(bytes).map_err(unusable)?;
    Ok(TokenPublicKey {
        scheme: S::NAME,
        bytes: key.as_bytes().to_vec(),
    })
}

/// A block of a token.
#[pyclass(frozen, module = "klero.token", get_all)]
pub struct TokenBlock {
    /// "root" (signed by the issuer), "caveats" (which narrow the token), "statement" (signed by a
    /// third party) or "opaque" (bytes that mean nothing here).
    kind: &'static str,
    /// Bytes whose meaning is up to the application.
    payload: Vec<u8>,
    /// The caveats of a "root" or "caveats" block, one to a line.
    caveats: Vec<u8>,
    /// The public key of the third party of a "statement" block, an Ed25519 key.
    third_party: Option<Vec<u8>>,
    /// The identifier, 32 bytes, by which the block and every token with it is revoked.
    revocation_id: [u8; 32],
}

#[pymethods]
impl TokenBlock {
    fn __repr__(&self) -> String {
        format!(
            "<klero.token.TokenBlock {}, {} bytes>",
            self.kind,
            self.payload.len()
        )
    }
}

/// What a token says: not verified, unless `verify` returned it.
#[pyclass(frozen, module = "klero.token", get_all)]
pub struct TokenContent {
    /// The name of the scheme.
    scheme: &'static str,
    /// The number of the root key.
    root_id: u32,
    /// Whether the token answers a challenge, and nothing can be added to it.
    sealed: bool,
    /// The blocks, the issuer's first.
    blocks: Vec<Py<TokenBlock>>,
}

#[pymethods]
impl TokenContent {
    fn __repr__(&self) -> String {
        let Self { scheme, blocks, .. } = self;
        format!(
            "<klero.token.TokenContent of {scheme}, {} blocks>",
            blocks.len()
        )
    }
}

impl TokenContent {
    fn of(
        py: Python<'_>,
        scheme: &'static str,
        root_id: u32,
        sealed: bool,
        blocks: &[Block],
        ids: Vec<RevocationId>,
    ) -> PyResult<Self> {
        let blocks = blocks.iter().zip(ids).map(|(block, id)| {
            let block = TokenBlock {
                kind: match block.kind() {
                    Kind::Root => "root",
                    Kind::Caveats => "caveats",
                    Kind::Statement => "statement",
                    Kind::Opaque => "opaque",
                },
                payload: block.payload().to_vec(),
                caveats: block.caveats().to_vec(),
                third_party: block.third_party().map(<[u8]>::to_vec),
                revocation_id: id.0,
            };
            Py::new(py, block)
        });
        Ok(Self {
            scheme,
            root_id,
            sealed,
            blocks: blocks.collect::<PyResult<_>>()?,
        })
    }
}

/// A new token of one block, signed by the issuer's key, as text. `root_id` is the number by which
/// verifiers find that key. Whoever has the text can use the token: treat it as a password.
#[pyfunction]
#[pyo3(signature = (key, payload, *, root_id=0))]
pub fn mint_token(
    key: Bound<'_, TokenSecretKey>,
    payload: Bytes<'_>,
    root_id: u32,
) -> PyResult<TokenText> {
    let key = key.get();
    with_scheme!(
        key.scheme(),
        mint_as(&key.seed, payload.as_slice(), root_id)
    )
}

fn mint_as<S: Scheme>(seed: &[u8; 32], payload: &[u8], root_id: u32) -> PyResult<TokenText> {
    let root = klero_token::SecretKey::<S>::from_seed(seed);
    text(Verified::mint(&root, root_id, payload, &[]))
}

/// The token with one more block, which narrows it. The token is verified first: raises InvalidToken
/// if it is invalid, or sealed.
#[pyfunction]
#[pyo3(signature = (token, payload, *, roots))]
pub fn append_token(token: &str, payload: Bytes<'_>, roots: Roots) -> PyResult<TokenText> {
    with_scheme!(scheme(token)?, append_as(token, payload.as_slice(), &roots))
}

fn append_as<S: Scheme>(token: &str, payload: &[u8], roots: &Roots) -> PyResult<TokenText> {
    text(verified::<S>(token, roots, None)?.append(payload))
}

/// The token sealed to a verifier's challenge: 16 or more random bytes that the verifier has never
/// used, the verifier's name, and the time of the challenge in seconds since 1970. The token is
/// verified first: raises InvalidToken if it is invalid, or sealed.
#[pyfunction]
#[pyo3(signature = (token, *, roots, nonce, audience, time))]
pub fn seal_token(
    token: &str,
    roots: Roots,
    nonce: Bytes<'_>,
    audience: &str,
    time: u64,
) -> PyResult<TokenText> {
    let challenge = Challenge {
        nonce: nonce.as_slice(),
        audience,
        time,
    };
    with_scheme!(scheme(token)?, seal_as(token, &roots, &challenge))
}

fn seal_as<S: Scheme>(
    token: &str,
    roots: &Roots,
    challenge: &Challenge<'_>,
) -> PyResult<TokenText> {
    text(verified::<S>(token, roots, None)?.seal(challenge))
}

/// Verifies a token and returns its content. With `nonce`, `audience` and `time`, the verifier's
/// challenge, only a token sealed to it is valid; without them only one that is not sealed.
///
/// `roots` are the issuers' public keys: one, or a dictionary of them by number.
///
/// Raises InvalidToken if the token is invalid; its attribute `reason` says why.
///
/// >>> from klero import token
/// >>> issuer = token.TokenSecretKey.generate()
/// >>> minted = token.mint(issuer, b"account 17: all")
/// >>> narrowed = token.append(minted, b"read only", roots=issuer.public_key)
/// >>> content = token.verify(narrowed, roots=issuer.public_key)
/// >>> [block.payload for block in content.blocks]
/// [b'account 17: all', b'read only']
#[pyfunction]
#[pyo3(signature = (token, *, roots, nonce=None, audience=None, time=None))]
pub fn verify_token<'py>(
    py: Python<'py>,
    token: &str,
    roots: Roots,
    nonce: Option<Bytes<'py>>,
    audience: Option<&str>,
    time: Option<u64>,
) -> PyResult<TokenContent> {
    let challenge = match (&nonce, audience, time) {
        (None, None, None) => None,
        (Some(nonce), Some(audience), Some(time)) => Some(Challenge {
            nonce: nonce.as_slice(),
            audience,
            time,
        }),
        _ => {
            return Err(PyTypeError::new_err(
                "a challenge is nonce, audience and time: expected all of them or none",
            ));
        }
    };
    with_scheme!(scheme(token)?, verify_as(py, token, &roots, challenge))
}

fn verify_as<S: Scheme>(
    py: Python<'_>,
    token: &str,
    roots: &Roots,
    challenge: Option<Challenge<'_>>,
) -> PyResult<TokenContent> {
    let token = verified::<S>(token, roots, challenge)?;
    let ids = token.revocation_ids();
    TokenContent::of(
        py,
        S::NAME,
        token.root_id(),
        token.is_sealed(),
        token.blocks(),
        ids,
    )
}

/// The content of a token, **not verified**: for diagnostics only. Raises InvalidToken if the text is
/// no token.
#[pyfunction]
pub fn inspect_token(py: Python<'_>, token: &str) -> PyResult<TokenContent> {
    with_scheme!(scheme(token)?, inspect_as(py, token))
}

fn inspect_as<S: Scheme>(py: Python<'_>, token: &str) -> PyResult<TokenContent> {
    let token = decoded::<S>(token)?;
    let ids = token.revocation_ids();
    let blocks = token.unverified_blocks();
    TokenContent::of(py, S::NAME, token.root_id(), token.is_sealed(), blocks, ids)
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
    fn of<S: Scheme>(&self) -> PyResult<RootKeys<S>> {
        let mut roots = RootKeys::new();
        for (&id, key) in self.0.iter().filter(|(_, key)| key.scheme == S::NAME) {
            let key = klero_token::PublicKey::from_bytes(&key.bytes).map_err(unusable)?;
            roots.insert(id, key);
        }
        Ok(roots)
    }
}

fn scheme(token: &str) -> PyResult<&'static str> {
    scheme_of_text(token).map_err(invalid)
}

fn decoded<S: Scheme>(token: &str) -> PyResult<Unverified<S>> {
    Unverified::from_text(token, &Limits::default()).map_err(invalid)
}

fn verified<S: Scheme>(
    token: &str,
    roots: &Roots,
    challenge: Option<Challenge<'_>>,
) -> PyResult<Verified<S>> {
    let token = decoded(token)?;
    token
        .verify(&roots.of()?, challenge.as_ref())
        .map_err(invalid)
}

/// A token as text, of which Python has the only copy that is not wiped.
pub struct TokenText(Zeroizing<String>);

impl<'py> IntoPyObject<'py> for TokenText {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyString::new(py, &self.0))
    }
}

fn text<S: Scheme>(token: Result<Verified<S>, Error>) -> PyResult<TokenText> {
    let text = token.and_then(|token| token.to_text());
    text.map(TokenText).map_err(|error| match error {
        Error::NoRandomness(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    })
}

fn invalid(error: Error) -> PyErr {
    InvalidToken::new_err(error.to_string())
}

fn unusable(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
