//! Proving and evaluating, one input or many.

use std::ffi::c_int;
use std::num::NonZeroU64;
use std::ptr::NonNull;

use klero::{Output, Proof, Prover, SecretKey, Suite};
use klero_edge::{Misuse, items, object, place, write};

use crate::bytes::{Bytes, Room};
use crate::many::in_shares;
use crate::status::{Status, returned};

/// `klero_request`.
#[repr(C)]
pub struct Request {
    key: *const SecretKey,
    alpha: Bytes,
}

// SAFETY: the library only reads the key, and the program leaves it alone for the time of the
// call.
unsafe impl Sync for Request {}

const _: () = assert!(size_of::<Request>() == size_of::<[usize; 3]>());

impl Request {
    /// # Safety
    /// Each pointer is NULL or points to what the header says, which nobody writes during `'a`.
    unsafe fn read<'a>(&self) -> Result<(&'a SecretKey, &'a [u8]), Misuse> {
        // SAFETY: the caller's promise.
        unsafe { Ok((object(self.key)?, self.alpha.read()?)) }
    }
}

/// The suite of all requests, if they can be read; `None` if there are none.
///
/// # Safety
/// As [`Request::read`].
unsafe fn suite_of(requests: &[Request]) -> Result<Option<Suite>, Status> {
    let mut suite = None;
    for request in requests {
        // SAFETY: the caller's promise.
        let (key, _) = unsafe { request.read() }?;
        if *suite.get_or_insert(key.suite()) != key.suite() {
            return Err(Status::MIXED_SUITES);
        }
    }
    Ok(suite)
}

/// Makes a proof and writes it and the output.
///
/// # Safety
/// Each pointer is NULL or points to what the header says.
unsafe fn prove_with(
    key: *const SecretKey,
    alpha: *const u8,
    alpha_size: usize,
    proof: *mut u8,
    proof_size: usize,
    output: *mut u8,
    prove: impl FnOnce(&SecretKey, &[u8]) -> Result<(Proof, Output), Status>,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let (key, alpha) = unsafe { (object(key)?, items(alpha, alpha_size)?) };
        let to = place(proof)?;
        if proof_size != key.suite().proof_len() {
            return Err(Status::SIZE);
        }
        let (proof, proven) = prove(key, alpha)?;
        // SAFETY: the caller's promise; the arguments are not read again.
        unsafe {
            write(proof.as_bytes(), to);
            write_if_asked(&proven, output);
        }
        Ok(())
    })
}

/// Writes the output, unless the program wants none.
///
/// # Safety
/// `to` is NULL or points to 64 bytes.
pub(crate) unsafe fn write_if_asked(output: &Output, to: *mut u8) {
    if let Some(to) = NonNull::new(to) {
        // SAFETY: the caller's promise.
        unsafe { write(output.as_bytes(), to) };
    }
}

/// Proves one input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_prove(
    key: *const SecretKey,
    alpha: *const u8,
    alpha_size: usize,
    proof: *mut u8,
    proof_size: usize,
    output: *mut u8,
) -> c_int {
    let prove = |key: &SecretKey, alpha: &[u8]| Ok(key.prove(alpha));
    // SAFETY: the caller's promise.
    unsafe { prove_with(key, alpha, alpha_size, proof, proof_size, output, prove) }
}

/// Proves one input, and withholds a faulty proof.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_prove_checked(
    key: *const SecretKey,
    alpha: *const u8,
    alpha_size: usize,
    proof: *mut u8,
    proof_size: usize,
    output: *mut u8,
) -> c_int {
    let prove = |key: &SecretKey, alpha: &[u8]| key.prove_checked(alpha).map_err(Status::from);
    // SAFETY: the caller's promise.
    unsafe { prove_with(key, alpha, alpha_size, proof, proof_size, output, prove) }
}

/// Proves many inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_prove_many(
    requests: *const Request,
    count: usize,
    proofs: *mut u8,
    proofs_size: usize,
    outputs: *mut u8,
    threads: usize,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let requests = unsafe { items(requests, count) }?;
        // SAFETY: the caller's promise.
        let proof_len = unsafe { suite_of(requests) }?.map_or(0, Suite::proof_len);
        if count.checked_mul(proof_len) != Some(proofs_size) {
            return Err(Status::SIZE);
        }
        let proofs = Room::required(proofs, count)?;
        let outputs = Room::wanted(outputs);
        in_shares(count, threads, |share| {
            // SAFETY: the caller's promise.
            let read: Vec<_> = unsafe { read_all(&requests[share.clone()]) };
            let made = Prover::new().prove_many(&read);
            for (i, (proof, output)) in share.zip(&made) {
                // SAFETY: the caller's promise.
                unsafe {
                    proofs.put(i * proof_len, proof.as_bytes());
                    outputs.put(i * 64, output.as_bytes());
                }
            }
        });
        Ok(())
    })
}

/// Evaluates one input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_evaluate(
    key: *const SecretKey,
    alpha: *const u8,
    alpha_size: usize,
    output: *mut u8,
) -> c_int {
    returned(|| {
        let to = place(output)?;
        // SAFETY: the caller's promise.
        let (key, alpha) = unsafe { (object(key)?, items(alpha, alpha_size)?) };
        let output = key.evaluate(alpha);
        // SAFETY: the caller's promise; the arguments are not read again.
        unsafe { write(output.as_bytes(), to) };
        Ok(())
    })
}

/// An integer below n that an output gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_output_below(output: *const u8, n: u64, below: *mut u64) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let output = Output(unsafe { *object(output.cast::<[u8; 64]>())? });
        let to = place(below.cast::<u8>())?;
        let n = NonZeroU64::new(n).ok_or(Status::SIZE)?;
        // SAFETY: the caller's promise; the arguments are not read again.
        unsafe { write(&output.below(n).to_ne_bytes(), to) };
        Ok(())
    })
}

/// Evaluates many inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_evaluate_many(
    requests: *const Request,
    count: usize,
    outputs: *mut u8,
    threads: usize,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let requests = unsafe { items(requests, count) }?;
        // SAFETY: the caller's promise.
        unsafe { suite_of(requests) }?;
        let outputs = Room::required(outputs, count)?;
        in_shares(count, threads, |share| {
            // SAFETY: the caller's promise.
            let read: Vec<_> = unsafe { read_all(&requests[share.clone()]) };
            let made = Prover::new().evaluate_many(&read);
            for (i, output) in share.zip(&made) {
                // SAFETY: the caller's promise.
                unsafe { outputs.put(i * 64, output.as_bytes()) };
            }
        });
        Ok(())
    })
}

/// Requests of which [`suite_of`] found that they can be read.
///
/// # Safety
/// As [`Request::read`].
unsafe fn read_all<'a>(requests: &[Request]) -> Vec<(&'a SecretKey, &'a [u8])> {
    let read = |request: &Request| {
        // SAFETY: the caller's promise.
        unsafe { request.read() }.expect("no NULL was found")
    };
    requests.iter().map(read).collect()
}
