//! Keys.

use klero::PublicKey;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::arguments::{Bytes, SuiteArgument, read_all};
use crate::threads::{Threads, in_shares};

/// A secret key. It belongs to one suite and proves in this suite only: proofs of one alpha
/// in two suites can reveal the key.
///
/// It is wiped from memory when it is no longer referenced. It is never printed and cannot be
/// pickled. A `bytes` or `str` that holds a seed or an envelope cannot be wiped.
///
/// >>> import klero
/// >>> key = klero.SecretKey.generate("rfc9381-ell2")
/// >>> proof, output = key.prove(b"the draw of 7 June")
/// >>> output == key.evaluate(b"the draw of 7 June")
/// True
#[pyclass(frozen, module = "klero")]
pub struct SecretKey(pub klero::SecretKey);

#[pymethods]
impl SecretKey {
    /// A new key from the operating system's random source. Raises OSError if that fails.
    #[staticmethod]
    fn generate(suite: SuiteArgument) -> PyResult<Self> {
        let key = klero::SecretKey::generate(suite.0);
        key.map(Self)
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The key of a seed: 32 secret, uniformly random bytes that are used for nothing else, for no
    /// key of another suite and for no Ed25519 key. Constant time.
    ///
    /// >>> import klero
    /// >>> klero.SecretKey.from_seed("praos", bytes(32)).public_key.hex()[:16]
    /// '3b6a27bcceb6a42d'
    #[staticmethod]
    fn from_seed(suite: SuiteArgument, seed: Bytes<'_>) -> PyResult<Self> {
        let seed = seed.array("seed")?;
        Ok(Self(klero::SecretKey::from_seed(suite.0, seed)))
    }

    /// The key of libsodium's 64 bytes: the seed and the public key. Raises ValueError if they
    /// do not belong together.
    #[staticmethod]
    fn from_libsodium(suite: SuiteArgument, secret: Bytes<'_>) -> PyResult<Self> {
        let secret = secret.array("secret key")?;
        let key = klero::SecretKey::from_libsodium(suite.0, secret);
        key.map(Self).map_err(unusable)
    }

    /// The key in a text, as in a key file: a text envelope, which says its suite
    /// (`VrfSigningKey_PraosVRF`, as cardano-cli writes it, or `KleroVrfSigningKey_` and the name of
    /// another suite); or hex, base64, Bech32 (`vrf_sk1...`) or CBOR in hex, of this suite. Raises
    /// ValueError, which repeats nothing of the text, if it is none of these, or if its suite is missing
    /// or another.
    ///
    /// >>> import klero
    /// >>> key = klero.SecretKey.generate("draft13")
    /// >>> klero.SecretKey.from_encoded(key.to_envelope()) == key
    /// True
    /// >>> klero.SecretKey.from_encoded("0x" + key.to_seed().hex(), "draft13") == key
    /// True
    #[staticmethod]
    #[pyo3(signature = (text, suite=None))]
    fn from_encoded(text: &str, suite: Option<SuiteArgument>) -> PyResult<Self> {
        let suite = suite.map(|suite| suite.0);
        // A line feed shows that it is text: 32 characters are no seed.
        let mut line = Zeroizing::new(String::with_capacity(text.len() + 1));
        line.push_str(text);
        line.push('\n');
        let key = klero::SecretKey::from_encoded(line.as_bytes(), suite);
        key.map(Self).map_err(unusable)
    }

    /// The text envelope of the key. Secret.
    fn to_envelope<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.0.to_envelope())
    }

    /// libsodium's 64 bytes: the seed and the public key. Secret.
    fn to_libsodium<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &*self.0.to_libsodium())
    }

    /// The seed, 32 bytes. Secret.
    fn to_seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.seed())
    }

    /// The public key, 32 bytes. It belongs to no suite.
    #[getter]
    fn public_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.public_key().as_bytes())
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.0.suite().name()
    }

    /// The proof (80, 128 or 144 bytes, depending on the suite) and the output (64 bytes) for
    /// alpha. Deterministic. Constant time in the key for a given alpha.
    fn prove<'py>(&self, py: Python<'py>, alpha: Bytes<'py>) -> Answer<'py> {
        let alpha = alpha.as_slice();
        answer(py, &py.detach(|| self.0.prove(alpha)))
    }

    /// A proof and an output for each alpha, in order, as `prove` gives them, on several threads.
    /// Constant time in the key for given alphas. KeyboardInterrupt ends the call early.
    #[pyo3(signature = (alphas, *, threads=None))]
    fn prove_many<'py>(
        &self,
        py: Python<'py>,
        alphas: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Vec<Answer<'py>>> {
        let alphas = read_all(alphas, "alpha", |alpha| alpha.extract::<Bytes<'_>>())?;
        let alphas: Vec<_> = alphas.iter().map(Bytes::as_slice).collect();
        let answers = in_shares(py, threads, &alphas, |alphas| self.0.prove_many(alphas))?;
        Ok(answers.iter().map(|pair| answer(py, pair)).collect())
    }

    /// The output for alpha, 64 bytes, without a proof: faster than `prove`. Constant time in the
    /// key for a given alpha.
    fn evaluate<'py>(&self, py: Python<'py>, alpha: Bytes<'py>) -> Bound<'py, PyBytes> {
        let alpha = alpha.as_slice();
        PyBytes::new(py, py.detach(|| self.0.evaluate(alpha)).as_ref())
    }

    /// The output for each alpha, in order, on several threads. Constant time in the key for given
    /// alphas. KeyboardInterrupt ends the call early.
    #[pyo3(signature = (alphas, *, threads=None))]
    fn evaluate_many<'py>(
        &self,
        py: Python<'py>,
        alphas: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let alphas = read_all(alphas, "alpha", |alpha| alpha.extract::<Bytes<'_>>())?;
        let alphas: Vec<_> = alphas.iter().map(Bytes::as_slice).collect();
        let outputs = in_shares(py, threads, &alphas, |alphas| self.0.evaluate_many(alphas))?;
        let outputs = outputs.iter();
        Ok(outputs.map(|o| PyBytes::new(py, o.as_ref())).collect())
    }

    /// Whether suite and seed are the same. Constant time in the seeds.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| self.0.ct_eq(&other.get().0).into())
    }

    fn __repr__(&self) -> String {
        let (suite, public) = (self.0.suite(), self.0.public_key());
        format!("<klero.SecretKey of {suite}, public key {public}>")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a secret key is not pickled or copied: store its text envelope, to_envelope()",
        ))
    }
}

/// Checks that verifiers accept a public key. Raises ValueError, with the reason, if they do not: then
/// no proof by it is valid. Takes variable time; nothing here is secret.
///
/// >>> import klero
/// >>> klero.check_public_key(klero.SecretKey.generate("praos").public_key)
/// >>> klero.check_public_key(bytes(32))
/// Traceback (most recent call last):
///     ...
/// ValueError: public key has small order
#[pyfunction]
pub fn check_public_key(public: Bytes<'_>) -> PyResult<()> {
    public_key(&public).map(|_| ())
}

/// The public key in a text, 32 bytes, and the name of the suite that its secret key belongs to, if the
/// text is a text envelope. Hex, base64, Bech32 (`vrf_vk1...`) and CBOR in hex name none. Raises
/// ValueError if it is none of these, or no key that verifiers accept.
///
/// >>> import klero
/// >>> public = klero.SecretKey.from_seed("praos", bytes(32)).public_key
/// >>> text = klero.public_key_to_envelope(public, "praos")
/// >>> klero.public_key_from_encoded(text) == (public, "praos")
/// True
/// >>> klero.public_key_from_encoded(public.hex()) == (public, None)
/// True
#[pyfunction]
pub fn public_key_from_encoded<'py>(
    py: Python<'py>,
    text: &str,
) -> PyResult<(Bound<'py, PyBytes>, Option<&'static str>)> {
    let (key, suite) = PublicKey::from_encoded(text.as_bytes()).map_err(unusable)?;
    Ok((
        PyBytes::new(py, key.as_bytes()),
        suite.map(klero::Suite::name),
    ))
}

/// The text envelope of a public key, whose secret key is of this suite; for `praos` as
/// cardano-cli writes it. Raises ValueError if it is not one that verifiers accept.
#[pyfunction]
pub fn public_key_to_envelope(public: Bytes<'_>, suite: SuiteArgument) -> PyResult<String> {
    Ok(public_key(&public)?.to_envelope(suite.0))
}

fn public_key(bytes: &Bytes<'_>) -> PyResult<PublicKey> {
    let key = PublicKey::from_bytes(bytes.as_slice());
    key.map_err(|reason| PyValueError::new_err(reason.to_string()))
}

/// A proof and an output.
type Answer<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn answer<'py>(py: Python<'py>, (proof, output): &(klero::Proof, klero::Output)) -> Answer<'py> {
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    (bytes(proof.as_bytes()), bytes(output.as_ref()))
}

fn unusable(error: klero::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
