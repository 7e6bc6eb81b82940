//! A verifier that is made once and used many times.

use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{Bytes, SuiteArgument, whole_number};
use crate::claims::{OwnClaim, verdicts, verify_one};
use crate::threads::Threads;

/// A verifier of one suite, which can keep public keys between calls.
///
/// `keep_keys` is the largest number of public keys to keep, 4.3 KB each. If keys come back,
/// `verify_many` takes 13 to 20 % less time for claims that it verifies one by one; if they do not, it
/// takes a few percent more. A claim alone gains nothing. No verdict depends on it.
///
/// Threads may share a verifier.
///
/// >>> import klero
/// >>> key = klero.SecretKey.generate("praos")
/// >>> verifier = klero.Verifier("praos", keep_keys=3000)
/// >>> for epoch in range(3):
/// ...     alphas = [b"%d %d" % (epoch, slot) for slot in range(100)]
/// ...     proofs = key.prove_many(alphas)
/// ...     claims = [(key.public_key, alpha, *proof) for alpha, proof in zip(alphas, proofs)]
/// ...     verdicts = verifier.verify_many(claims)
/// ...     print(all(isinstance(verdict, bytes) for verdict in verdicts))
/// True
/// True
/// True
#[pyclass(frozen, module = "klero")]
pub struct Verifier {
    suite: klero::Suite,
    keep_keys: usize,
    /// Locked for moments, and only with the GIL: no other thread has it when the process forks.
    kept: Mutex<Kept>,
}

/// A verifier with the keys that it keeps, and the process that it is of. In a forked child the lock
/// of its keys may be held by a thread that is not there.
struct Kept {
    verifier: klero::Verifier,
    process: u32,
}

#[pymethods]
impl Verifier {
    #[new]
    #[pyo3(signature = (suite, *, keep_keys=0))]
    fn new(suite: SuiteArgument, #[pyo3(from_py_with = keep_keys)] keep_keys: u32) -> Self {
        let (SuiteArgument(suite), keep_keys) = (suite, keep_keys as usize);
        Self {
            suite,
            keep_keys,
            kept: Mutex::new(Kept::new(suite, keep_keys)),
        }
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.suite.name()
    }

    /// Verifies one proof, as the function `verify` does.
    #[pyo3(signature = (public, alpha, proof, *, output=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        public: Bytes<'py>,
        alpha: Bytes<'py>,
        proof: Bytes<'py>,
        output: Option<Bytes<'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let claim = OwnClaim {
            key: public,
            alpha,
            proof,
            output,
        };
        verify_one(py, &self.verifier(), &claim)
    }

    /// Verifies many claims on several threads, as the function `verify_many` does.
    #[pyo3(signature = (claims, *, threads=None))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        claims: &Bound<'py, PyAny>,
        threads: Threads,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let claims = OwnClaim::read_all(claims)?;
        verdicts(py, &self.verifier(), &claims, threads)
    }

    fn __repr__(&self) -> String {
        let Self {
            suite, keep_keys, ..
        } = self;
        format!("<klero.Verifier of {suite}, keeps {keep_keys} keys>")
    }
}

impl Verifier {
    /// The verifier of this process.
    fn verifier(&self) -> klero::Verifier {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.process != process::id() {
            *kept = Kept::new(self.suite, self.keep_keys);
        }
        kept.verifier.clone()
    }
}

impl Kept {
    fn new(suite: klero::Suite, keep_keys: usize) -> Self {
        Self {
            verifier: klero::Verifier::new(suite).keep_keys(keep_keys),
            process: process::id(),
        }
    }
}

/// The argument `keep_keys`.
fn keep_keys(object: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole_number("keep_keys", "0 to 4294967295", object.as_borrowed())
}
