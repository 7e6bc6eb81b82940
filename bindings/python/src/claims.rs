//! Verdicts on claims in bytes.

use klero::{Claim, Verdict, Verifier};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arguments::{Bytes, SuiteArgument, at};
use crate::errors::InvalidProof;
use crate::threads::{Threads, share};

/// Verifies one proof and returns the output that it proves, 64 bytes.
///
/// Untrusted bytes of any length are fine. If `output` is given, the proof must be for it.
/// Takes variable time; nothing here is secret.
///
/// Raises InvalidProof if the proof is invalid; its attribute `reason` says why.
///
/// >>> import klero
/// >>> key = klero.SecretKey.generate("praos")
/// >>> proof, output = key.prove(b"slot 7")
/// >>> klero.verify(key.public_key, b"slot 7", proof, suite="praos") == output
/// True
/// >>> klero.verify(key.public_key, b"slot 8", proof, suite="praos")
/// Traceback (most recent call last):
///     ...
/// klero.InvalidProof: challenge mismatch
#[pyfunction]
#[pyo3(signature = (public, alpha, proof, *, suite, output=None))]
pub fn verify<'py>(
    py: Python<'py>,
    public: Bytes<'py>,
    alpha: Bytes<'py>,
    proof: Bytes<'py>,
    suite: SuiteArgument,
    output: Option<Bytes<'py>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let claim = Claim {
        key: public.as_slice(),
        alpha: alpha.as_slice(),
        proof: proof.as_slice(),
        output: output.as_ref().map(Bytes::as_slice),
    };
    match py.detach(|| Verifier::new(suite.0).verify(&claim)) {
        Ok(output) => Ok(PyBytes::new(py, output.as_ref())),
        Err(reason) => Err(InvalidProof::new_err(reason.to_string())),
    }
}

/// Verifies many claims on several threads, in much less time than one by one.
///
/// A claim is a tuple (public, alpha, proof) or (public, alpha, proof, output), where an output
/// of None is none. Returns a list with one verdict for each claim, in order: the output, 64
/// bytes, if it is valid, or else an InvalidProof, which is not raised. Every verdict is that of
/// `verify`.
///
/// `threads` is how many threads verify, by default one per processor.
///
/// >>> import klero
/// >>> key = klero.SecretKey.generate("praos")
/// >>> proof, output = key.prove(b"slot 7")
/// >>> claims = [(key.public_key, alpha, proof) for alpha in (b"slot 7", b"slot 8")]
/// >>> verdicts = klero.verify_many(claims, suite="praos")
/// >>> verdicts[0] == output, verdicts[1]
/// (True, InvalidProof('challenge mismatch'))
#[pyfunction]
#[pyo3(signature = (claims, *, suite, threads=None))]
pub fn verify_many<'py>(
    py: Python<'py>,
    claims: &Bound<'py, PyAny>,
    suite: SuiteArgument,
    threads: Threads,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let claims = claims.try_iter()?.enumerate();
    let claims = claims.map(|(index, claim)| {
        OwnClaim::of(&claim?).map_err(|error| at(py, format_args!("claim {index}"), error))
    });
    let claims: Vec<_> = claims.collect::<PyResult<_>>()?;
    let borrowed: Vec<_> = claims.iter().map(OwnClaim::as_claim).collect();
    let verdicts = share(py, threads, borrowed.len(), || {
        suite.0.verify_many(&borrowed)
    })?;
    let to_python = |verdict: Verdict| match verdict {
        Ok(output) => Ok(PyBytes::new(py, output.as_ref()).into_any()),
        Err(reason) => Ok(InvalidProof::new_err(reason.to_string())
            .into_value(py)
            .into_bound(py)
            .into_any()),
    };
    verdicts.into_iter().map(to_python).collect()
}

/// A claim's bytes.
struct OwnClaim<'py> {
    key: Bytes<'py>,
    alpha: Bytes<'py>,
    proof: Bytes<'py>,
    output: Option<Bytes<'py>>,
}

impl<'py> OwnClaim<'py> {
    fn of(claim: &Bound<'py, PyAny>) -> PyResult<Self> {
        let shape = || {
            PyTypeError::new_err(
                "expected (public, alpha, proof) or (public, alpha, proof, output)",
            )
        };
        let claim = claim.cast::<PyTuple>().map_err(|_| shape())?;
        let output = match claim.len() {
            3 => None,
            4 => claim.get_item(3)?.extract()?,
            _ => return Err(shape()),
        };
        Ok(Self {
            key: claim.get_item(0)?.extract()?,
            alpha: claim.get_item(1)?.extract()?,
            proof: claim.get_item(2)?.extract()?,
            output,
        })
    }

    fn as_claim(&self) -> Claim<'_> {
        Claim {
            key: self.key.as_slice(),
            alpha: self.alpha.as_slice(),
            proof: self.proof.as_slice(),
            output: self.output.as_ref().map(Bytes::as_slice),
        }
    }
}
