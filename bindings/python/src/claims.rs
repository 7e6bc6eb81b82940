//! Verdicts on claims in bytes.

use std::num::NonZeroU64;

use klero::{Claim, Output, Verdict, Verifier};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySequence, PyString, PyTuple};

use crate::arguments::{Bytes, SuiteArgument, read_all};
use crate::errors::InvalidProof;
use crate::threads::{Threads, in_shares};

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
    let claim = OwnClaim {
        key: public,
        alpha,
        proof,
        output,
    };
    verify_one(py, &Verifier::new(suite.0), &claim)
}

/// Verifies many claims on several threads, in much less time than one by one.
///
/// A claim is a sequence, such as a tuple or a list: (public, alpha, proof) or (public, alpha, proof,
/// output), where an output of None is none. Returns a list with one verdict for each claim, in order: the output, 64
/// bytes, if it is valid, or else an InvalidProof, which is not raised. Every verdict is that of
/// `verify`.
///
/// `threads` is how many threads verify, by default one per processor. KeyboardInterrupt ends the
/// call early.
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
    let claims = OwnClaim::read_all(claims)?;
    verdicts(py, &Verifier::new(suite.0), &claims, threads)
}

/// The output of a proof that is not verified, 64 bytes: `ECVRF_proof_to_hash` of RFC 9381. Only for
/// proofs known to be valid, such as one's own; any other is for `verify`.
///
/// Raises InvalidProof if the proof does not decode.
///
/// >>> import klero
/// >>> proof, output = klero.SecretKey.generate("praos").prove(b"slot 7")
/// >>> klero.proof_to_hash(proof, suite="praos") == output
/// True
#[pyfunction]
#[pyo3(signature = (proof, *, suite))]
pub fn proof_to_hash<'py>(
    py: Python<'py>,
    proof: Bytes<'py>,
    suite: SuiteArgument,
) -> PyResult<Bound<'py, PyBytes>> {
    returned(py, suite.0.proof_to_hash(proof.as_slice()))
}

/// An integer below n that an output of 64 bytes gives, such as the number of the winner of a lottery:
/// output * n // 2**512, where the bytes are a number in big-endian order. Each integer has
/// probability 1/n, with a relative error below 2**-448.
///
/// Raises ValueError if the output has not 64 bytes, or n is not from 1 to 2**64 - 1, and TypeError
/// if n is no integer.
///
/// >>> import klero
/// >>> _, output = klero.SecretKey.generate("praos").prove(b"raffle of 7 June")
/// >>> klero.below(output, 1000) < 1000
/// True
#[pyfunction]
pub fn below(output: Bytes<'_>, n: &Bound<'_, PyAny>) -> PyResult<u64> {
    let bytes = output.as_slice();
    let output = Output::try_from(bytes).map_err(|_| {
        let length = bytes.len();
        PyValueError::new_err(format!("output: expected 64 bytes, got {length}"))
    })?;
    let number = match n.extract::<u64>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(n.py()) => return Err(error),
        number => number.ok().and_then(NonZeroU64::new),
    };
    // Not repeated: it may have any number of digits.
    let number = number
        .ok_or_else(|| PyValueError::new_err("n: expected an integer from 1 to 2**64 - 1"))?;
    Ok(output.below(number))
}

/// The verdict on one claim: its output, or the exception.
pub fn verify_one<'py>(
    py: Python<'py>,
    verifier: &Verifier,
    claim: &OwnClaim<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let claim = claim.as_claim();
    returned(py, py.detach(|| verifier.verify(&claim)))
}

/// The verdict on each claim, in order: its output, or the exception.
pub fn verdicts<'py>(
    py: Python<'py>,
    verifier: &Verifier,
    claims: &[OwnClaim<'py>],
    threads: Threads,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let claims: Vec<_> = claims.iter().map(OwnClaim::as_claim).collect();
    let verdicts = in_shares(py, threads, &claims, |claims| {
        verifier.verify_many(claims).verdicts
    })?;
    let to_python = |verdict| match returned(py, verdict) {
        Ok(output) => output.into_any(),
        Err(invalid) => invalid.into_value(py).into_bound(py).into_any(),
    };
    Ok(verdicts.into_iter().map(to_python).collect())
}

fn returned(py: Python<'_>, verdict: Verdict) -> PyResult<Bound<'_, PyBytes>> {
    match verdict {
        Ok(output) => Ok(PyBytes::new(py, output.as_ref())),
        Err(reason) => Err(InvalidProof::new_err(reason.to_string())),
    }
}

/// A claim's bytes.
pub struct OwnClaim<'py> {
    pub key: Bytes<'py>,
    pub alpha: Bytes<'py>,
    pub proof: Bytes<'py>,
    pub output: Option<Bytes<'py>>,
}

impl<'py> OwnClaim<'py> {
    /// The claims of an iterable.
    pub fn read_all(claims: &Bound<'py, PyAny>) -> PyResult<Vec<Self>> {
        read_all(claims, "claim", Self::of)
    }

    fn of(claim: &Bound<'py, PyAny>) -> PyResult<Self> {
        let claim = fields(claim)?;
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

/// The items of a claim, which no other thread can change.
fn fields<'py>(claim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    if let Ok(tuple) = claim.cast::<PyTuple>() {
        return Ok(tuple.clone());
    }
    match claim.cast::<PySequence>() {
        Ok(sequence)
            if !claim.is_instance_of::<PyString>() && (3..=4).contains(&sequence.len()?) =>
        {
            sequence.to_tuple()
        }
        _ => Err(shape()),
    }
}

fn shape() -> PyErr {
    PyTypeError::new_err("expected (public, alpha, proof) or (public, alpha, proof, output)")
}
