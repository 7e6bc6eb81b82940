//! Verifying, one claim or many.

use std::ffi::{c_char, c_int};

use klero::{Claim, Method, Suite, Verdict};
use klero_edge::{Misuse, items, object, place, write};

use crate::bytes::{Bytes, Room};
use crate::key::free;
use crate::many::in_shares;
use crate::names;
use crate::prove::write_if_asked;
use crate::status::{Status, returned};

/// `klero_verifier`.
pub struct Verifier {
    suite: Suite,
    verifier: klero::Verifier,
}

/// `klero_claim`.
#[repr(C)]
pub struct RawClaim {
    key: Bytes,
    alpha: Bytes,
    proof: Bytes,
    output: Bytes,
}

const _: () = assert!(size_of::<RawClaim>() == size_of::<[usize; 8]>());

impl RawClaim {
    /// # Safety
    /// Each pointer is NULL or points to what the header says, which nobody writes during `'a`.
    unsafe fn read<'a>(&self) -> Result<Claim<'a>, Misuse> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Claim {
                key: self.key.read()?,
                alpha: self.alpha.read()?,
                proof: self.proof.read()?,
                output: match self.output.is_absent() {
                    true => None,
                    false => Some(self.output.read()?),
                },
            })
        }
    }
}

/// A verifier for a suite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verifier_new(
    suite: *const c_char,
    verifier: *mut *mut Verifier,
) -> c_int {
    returned(|| {
        let to = place(verifier)?;
        // SAFETY: the caller's promise.
        let suite = unsafe { names::suite(suite) }?;
        let verifier = klero::Verifier::new(suite);
        let made = Box::new(Verifier { suite, verifier });
        // SAFETY: the caller's promise.
        unsafe { to.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// Chooses the backend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verifier_set_backend(
    verifier: *mut Verifier,
    backend: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise.
    let backend = || unsafe { names::backend(backend) };
    // SAFETY: the caller's promise.
    unsafe { set(verifier, |verifier| Ok(verifier.backend(backend()?))) }
}

/// Chooses the method.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verifier_set_method(
    verifier: *mut Verifier,
    method: c_int,
) -> c_int {
    let method = match method {
        0 => Ok(Method::Auto),
        1 => Ok(Method::Sum),
        2 => Ok(Method::OneByOne),
        _ => Err(Status::UNKNOWN_METHOD),
    };
    // SAFETY: the caller's promise.
    unsafe { set(verifier, |verifier| Ok(verifier.method(method?))) }
}

/// Keeps public keys between calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verifier_set_kept_keys(
    verifier: *mut Verifier,
    count: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { set(verifier, |verifier| Ok(verifier.keep_keys(count))) }
}

/// # Safety
/// `verifier` is NULL or a handle that no other thread uses.
unsafe fn set(
    verifier: *mut Verifier,
    change: impl FnOnce(klero::Verifier) -> Result<klero::Verifier, Status>,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let verifier = unsafe { verifier.as_mut() }.ok_or(Status::NULL)?;
        verifier.verifier = change(verifier.verifier.clone())?;
        Ok(())
    })
}

/// Frees the verifier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verifier_free(verifier: *mut Verifier) {
    // SAFETY: the caller's promise.
    unsafe { free(verifier) };
}

/// Verifies one claim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verify(
    verifier: *const Verifier,
    claim: *const RawClaim,
    output: *mut u8,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let (verifier, claim) = unsafe { (object(verifier)?, object(claim)?.read()?) };
        let proven = verifier.verifier.verify(&claim)?;
        // SAFETY: the caller's promise; the claim is not read again.
        unsafe { write_if_asked(&proven, output) };
        Ok(())
    })
}

/// Verifies many claims.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verify_many(
    verifier: *const Verifier,
    claims: *const RawClaim,
    count: usize,
    verdicts: *mut c_int,
    outputs: *mut u8,
    threads: usize,
) -> c_int {
    let status = returned(|| {
        // SAFETY: the caller's promise.
        let (verifier, claims) = unsafe { (object(verifier)?, items(claims, count)?) };
        for claim in claims {
            // SAFETY: the caller's promise.
            let _ = unsafe { claim.read() }?;
        }
        let verdicts = Room::required(verdicts, count)?;
        let outputs = Room::wanted(outputs);
        in_shares(count, threads, |share| {
            let read = |claim: &RawClaim| {
                // SAFETY: the caller's promise.
                unsafe { claim.read() }.expect("no NULL was found")
            };
            let claims: Vec<_> = claims[share.clone()].iter().map(read).collect();
            let made = verifier.verifier.verify_many(&claims).verdicts;
            for (i, verdict) in share.zip(&made) {
                // SAFETY: the caller's promise.
                unsafe { write_verdict(i, verdict, &verdicts, &outputs) };
            }
        });
        Ok(())
    });
    // SAFETY: the caller's promise; without an error each claim has a verdict.
    unsafe { of_all(status, verdicts, count) }
}

/// # Safety
/// There is room for the values of item `i`.
unsafe fn write_verdict(i: usize, verdict: &Verdict, verdicts: &Room<c_int>, outputs: &Room<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        match verdict {
            Ok(output) => {
                verdicts.put(i, &[0]);
                outputs.put(i * 64, output.as_bytes());
            }
            Err(reason) => verdicts.put(i, &[Status::from(*reason).number()]),
        }
    }
}

/// What verifying many returns: 0 only if every claim is valid. After a defect no verdict stands.
///
/// # Safety
/// If `status` is 0 there are `count` verdicts; if it is a defect, room for them.
unsafe fn of_all(status: c_int, verdicts: *mut c_int, count: usize) -> c_int {
    if status == Status::INTERNAL.number() {
        for i in 0..count {
            // SAFETY: the caller's promise: nothing panics before the arguments are checked.
            unsafe { verdicts.add(i).write(status) };
        }
    }
    if status != 0 {
        return status;
    }
    // SAFETY: the caller's promise.
    let verdicts = unsafe { items(verdicts, count) }.unwrap_or_default();
    let invalid = verdicts.iter().find(|verdict| **verdict != 0);
    invalid.copied().unwrap_or(0)
}

/// Writes the output of a proof without verifying it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_proof_to_hash(
    verifier: *const Verifier,
    proof: *const u8,
    proof_size: usize,
    output: *mut u8,
) -> c_int {
    returned(|| {
        let to = place(output)?;
        // SAFETY: the caller's promise.
        let (verifier, proof) = unsafe { (object(verifier)?, items(proof, proof_size)?) };
        let of_proof = verifier.suite.proof_to_hash(proof)?;
        // SAFETY: the caller's promise; the proof is not read again.
        unsafe { write(of_proof.as_bytes(), to) };
        Ok(())
    })
}
