//! The interface of the benchmark to an implementation of ECVRF: a trait, and the same as symbols
//! of a shared object. [`export!`] makes the symbols from the trait.

#[cfg(feature = "load")]
pub mod plugin;

use std::ffi::CStr;

/// Claims of one suite as bytes, concatenated by column.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// Public keys.
    pub keys: &'a [[u8; 32]],
    /// Alphas, each of `alpha_len` bytes.
    pub alphas: &'a [u8],
    /// The length of an alpha.
    pub alpha_len: usize,
    /// Proofs, each of `proof_len` bytes.
    pub proofs: &'a [u8],
    /// The length of a proof.
    pub proof_len: usize,
}

impl<'a> Claims<'a> {
    /// The alpha of claim `i`.
    pub fn alpha(&self, i: usize) -> &'a [u8] {
        &self.alphas[i * self.alpha_len..][..self.alpha_len]
    }

    /// The proof of claim `i`.
    pub fn proof(&self, i: usize) -> &'a [u8] {
        &self.proofs[i * self.proof_len..][..self.proof_len]
    }
}

/// The work of an experiment: does it once and returns whether the result is right.
pub type Work = Box<dyn FnMut() -> bool>;

/// The output if the proof is valid or made, zeros from an implementation that computes none;
/// `Some(None)` if not; `None` if the suite or the work is not supported.
pub type Answer = Option<Option<[u8; 64]>>;

/// An implementation of ECVRF. Suites have Klero's names.
pub trait Peer {
    /// The name in tables.
    fn name(&self) -> &CStr;

    /// Verifies one proof, of 80 bytes or 128.
    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer;

    /// Proves with `seed ‖ public key` and writes the proof, of the length of the suite.
    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer;

    /// Verifies many proofs together, and returns whether all are valid. `outputs` are the claimed
    /// ones on entry, for implementations that need them, and the proven ones on return.
    fn verify_batch(
        &self,
        _suite: &str,
        _claims: &Claims<'_>,
        _outputs: &mut [[u8; 64]],
    ) -> Option<bool> {
        None
    }

    /// Prepares a part of the work on claims that is measured alone.
    fn experiment(&self, _name: &str, _suite: &str, _claims: &Claims<'_>) -> Option<Work> {
        None
    }
}

/// The parts of the symbols that are the same for every peer. The macro is their only caller.
#[doc(hidden)]
pub mod glue {
    #![allow(clippy::missing_safety_doc, missing_docs)]
    use super::{Answer, Claims};
    use std::ffi::{CStr, c_char, c_int};
    use std::slice::from_raw_parts;

    pub unsafe fn text<'a>(text: *const c_char) -> &'a str {
        // SAFETY: it ends with a zero byte, as the interface says.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
    }

    pub unsafe fn claims<'a>(
        n: usize,
        keys: *const [u8; 32],
        (alphas, alpha_len): (*const u8, usize),
        (proofs, proof_len): (*const u8, usize),
    ) -> Claims<'a> {
        // SAFETY: each points to n times its length in bytes, as the interface says.
        unsafe {
            Claims {
                keys: from_raw_parts(keys, n),
                alphas: from_raw_parts(alphas, n * alpha_len),
                alpha_len,
                proofs: from_raw_parts(proofs, n * proof_len),
                proof_len,
            }
        }
    }

    pub unsafe fn answer(answer: Answer, output: *mut [u8; 64]) -> c_int {
        if let Some(Some(proven)) = answer {
            // SAFETY: it points to 64 bytes, as the interface says.
            unsafe { *output = proven };
        }
        answer.map_or(-1, |proven| proven.is_some().into())
    }
}

/// Exports a peer as the symbols of this shared object.
#[macro_export]
macro_rules! export {
    ($peer:expr) => {
        mod exported {
            #![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]
            use super::*;
            use ::std::ffi::{CString, c_char, c_int, c_void};
            use ::std::slice::{from_raw_parts, from_raw_parts_mut};
            use ::std::sync::OnceLock;
            use $crate::{Peer, Work, glue};

            #[unsafe(no_mangle)]
            pub extern "C" fn klero_peer_name() -> *const c_char {
                static NAME: OnceLock<CString> = OnceLock::new();
                NAME.get_or_init(|| Peer::name(&$peer).to_owned()).as_ptr()
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_verify(
                suite: *const c_char,
                key: *const [u8; 32],
                alpha: *const u8,
                alpha_len: usize,
                proof: *const u8,
                proof_len: usize,
                output: *mut [u8; 64],
            ) -> c_int {
                // SAFETY: the lengths are as the interface says.
                unsafe {
                    let alpha = from_raw_parts(alpha, alpha_len);
                    let proof = from_raw_parts(proof, proof_len);
                    let answer = $peer.verify(glue::text(suite), &*key, alpha, proof);
                    glue::answer(answer, output)
                }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_prove(
                suite: *const c_char,
                key: *const [u8; 64],
                alpha: *const u8,
                alpha_len: usize,
                proof: *mut u8,
                proof_len: usize,
                output: *mut [u8; 64],
            ) -> c_int {
                // SAFETY: the lengths are as the interface says.
                unsafe {
                    let alpha = from_raw_parts(alpha, alpha_len);
                    let proof = from_raw_parts_mut(proof, proof_len);
                    let answer = $peer.prove(glue::text(suite), &*key, alpha, proof);
                    glue::answer(answer, output)
                }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_verify_batch(
                suite: *const c_char,
                n: usize,
                keys: *const [u8; 32],
                alphas: *const u8,
                alpha_len: usize,
                proofs: *const u8,
                outputs: *mut [u8; 64],
            ) -> c_int {
                // SAFETY: the lengths are as the interface says.
                unsafe {
                    let claims = glue::claims(n, keys, (alphas, alpha_len), (proofs, 128));
                    let outputs = from_raw_parts_mut(outputs, n);
                    let valid = $peer.verify_batch(glue::text(suite), &claims, outputs);
                    valid.map_or(-1, c_int::from)
                }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment(
                name: *const c_char,
                suite: *const c_char,
                n: usize,
                keys: *const [u8; 32],
                alphas: *const u8,
                alpha_len: usize,
                proofs: *const u8,
                proof_len: usize,
            ) -> *mut c_void {
                // SAFETY: the lengths are as the interface says.
                let work = unsafe {
                    let claims = glue::claims(n, keys, (alphas, alpha_len), (proofs, proof_len));
                    $peer.experiment(glue::text(name), glue::text(suite), &claims)
                };
                work.map_or(::std::ptr::null_mut(), |work| {
                    Box::into_raw(Box::new(work)).cast()
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment_run(work: *mut c_void) -> c_int {
                // SAFETY: it comes from `klero_peer_experiment` and is not freed.
                let work = unsafe { &mut *work.cast::<Work>() };
                c_int::from(work())
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment_free(work: *mut c_void) {
                // SAFETY: it comes from `klero_peer_experiment` and is freed only once.
                drop(unsafe { Box::from_raw(work.cast::<Work>()) });
            }
        }
    };
}
