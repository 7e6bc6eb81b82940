//! The interface of the benchmark to an implementation of ECVRF: a trait, and the same as symbols
//! of a shared object. [`export!`] makes the symbols from the trait.

#[cfg(feature = "load")]
pub mod plugin;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::slice;

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

/// An implementation of ECVRF. Suites have Klero's names. Every method returns whether everything
/// is valid (or done), or `None` if the suite or the work is not supported. Outputs are zeros on
/// entry; an implementation that does not compute outputs leaves them.
pub trait Peer {
    /// The name in tables.
    fn name(&self) -> &CStr;

    /// Verifies one proof, of 80 bytes or 128, and writes its output.
    fn verify(
        &self,
        suite: &str,
        key: &[u8; 32],
        alpha: &[u8],
        proof: &[u8],
        output: &mut [u8; 64],
    ) -> Option<bool>;

    /// Proves with `seed ‖ public key`, writes the proof, of the length of the suite, and
    /// its output.
    fn prove(
        &self,
        suite: &str,
        key: &[u8; 64],
        alpha: &[u8],
        proof: &mut [u8],
        output: &mut [u8; 64],
    ) -> Option<bool>;

    /// Verifies many proofs together. `outputs` are the claimed ones on entry, for
    /// implementations that need them, and the proven ones on return.
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

/// Valid, invalid or not supported, as the number of the C interface.
pub fn code(answer: Option<bool>) -> c_int {
    answer.map_or(-1, c_int::from)
}

/// The reverse of [`code`].
pub fn answer(code: c_int) -> Option<bool> {
    match code {
        1 => Some(true),
        0 => Some(false),
        _ => None,
    }
}

/// `klero_peer_name`.
pub type Name = unsafe extern "C" fn() -> *const c_char;
/// `klero_peer_verify`.
pub type Verify = unsafe extern "C" fn(
    *const c_char,
    *const u8,
    *const u8,
    usize,
    *const u8,
    usize,
    *mut u8,
) -> c_int;
/// `klero_peer_prove`.
pub type Prove = unsafe extern "C" fn(
    *const c_char,
    *const u8,
    *const u8,
    usize,
    *mut u8,
    usize,
    *mut u8,
) -> c_int;
/// `klero_peer_verify_batch`.
pub type VerifyBatch = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const u8,
    *const u8,
    usize,
    *const u8,
    *mut u8,
) -> c_int;
/// `klero_peer_experiment`.
pub type Experiment = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    usize,
    *const u8,
    *const u8,
    usize,
    *const u8,
    usize,
) -> *mut c_void;
/// `klero_peer_experiment_run`.
pub type ExperimentRun = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `klero_peer_experiment_free`.
pub type ExperimentFree = unsafe extern "C" fn(*mut c_void);

/// A C string.
///
/// # Safety
/// `text` ends with a zero byte and outlives the result.
unsafe fn text<'a>(text: *const c_char) -> &'a str {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// Claims behind pointers.
///
/// # Safety
/// Each points to n times its length in bytes, and the bytes outlive the result.
unsafe fn claims<'a>(
    n: usize,
    keys: *const u8,
    (alphas, alpha_len): (*const u8, usize),
    (proofs, proof_len): (*const u8, usize),
) -> Claims<'a> {
    // SAFETY: as the caller promises.
    unsafe {
        Claims {
            keys: slice::from_raw_parts(keys.cast(), n),
            alphas: slice::from_raw_parts(alphas, n * alpha_len),
            alpha_len,
            proofs: slice::from_raw_parts(proofs, n * proof_len),
            proof_len,
        }
    }
}

/// The bodies of the symbols, so that the macro contains only their names. The macro is their
/// only caller.
pub mod glue {
    #![allow(clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs)]
    use super::*;

    pub unsafe fn verify(
        peer: &dyn Peer,
        suite: *const c_char,
        key: *const u8,
        alpha: *const u8,
        alpha_len: usize,
        proof: *const u8,
        proof_len: usize,
        output: *mut u8,
    ) -> c_int {
        // SAFETY: the lengths are as the interface says.
        code(unsafe {
            peer.verify(
                text(suite),
                &*key.cast(),
                slice::from_raw_parts(alpha, alpha_len),
                slice::from_raw_parts(proof, proof_len),
                &mut *output.cast(),
            )
        })
    }

    pub unsafe fn prove(
        peer: &dyn Peer,
        suite: *const c_char,
        key: *const u8,
        alpha: *const u8,
        alpha_len: usize,
        proof: *mut u8,
        proof_len: usize,
        output: *mut u8,
    ) -> c_int {
        // SAFETY: the lengths are as the interface says.
        code(unsafe {
            peer.prove(
                text(suite),
                &*key.cast(),
                slice::from_raw_parts(alpha, alpha_len),
                slice::from_raw_parts_mut(proof, proof_len),
                &mut *output.cast(),
            )
        })
    }

    pub unsafe fn verify_batch(
        peer: &dyn Peer,
        suite: *const c_char,
        n: usize,
        keys: *const u8,
        alphas: *const u8,
        alpha_len: usize,
        proofs: *const u8,
        outputs: *mut u8,
    ) -> c_int {
        // SAFETY: the lengths are as the interface says.
        code(unsafe {
            let claims = claims(n, keys, (alphas, alpha_len), (proofs, 128));
            let outputs = slice::from_raw_parts_mut(outputs.cast(), n);
            peer.verify_batch(text(suite), &claims, outputs)
        })
    }

    pub unsafe fn experiment(
        peer: &dyn Peer,
        name: *const c_char,
        suite: *const c_char,
        n: usize,
        keys: *const u8,
        alphas: *const u8,
        alpha_len: usize,
        proofs: *const u8,
        proof_len: usize,
    ) -> *mut c_void {
        // SAFETY: the lengths are as the interface says.
        let work = unsafe {
            let claims = claims(n, keys, (alphas, alpha_len), (proofs, proof_len));
            peer.experiment(text(name), text(suite), &claims)
        };
        work.map_or(std::ptr::null_mut(), |work| {
            Box::into_raw(Box::new(work)).cast()
        })
    }

    pub unsafe fn experiment_run(work: *mut c_void) -> c_int {
        // SAFETY: it comes from `experiment` and is not freed.
        let work = unsafe { &mut *work.cast::<Work>() };
        c_int::from(work())
    }

    pub unsafe fn experiment_free(work: *mut c_void) {
        // SAFETY: it comes from `experiment` and is freed only once.
        drop(unsafe { Box::from_raw(work.cast::<Work>()) });
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
            use ::std::sync::OnceLock;
            use $crate::{Peer, glue};

            /// The name of the peer.
            #[unsafe(no_mangle)]
            pub extern "C" fn klero_peer_name() -> *const c_char {
                static NAME: OnceLock<CString> = OnceLock::new();
                NAME.get_or_init(|| Peer::name(&$peer).to_owned()).as_ptr()
            }

            /// Verifies one proof.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_verify(
                suite: *const c_char,
                key: *const u8,
                alpha: *const u8,
                alpha_len: usize,
                proof: *const u8,
                proof_len: usize,
                output: *mut u8,
            ) -> c_int {
                // SAFETY: as the interface says.
                unsafe {
                    glue::verify(
                        &$peer, suite, key, alpha, alpha_len, proof, proof_len, output,
                    )
                }
            }

            /// Proves.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_prove(
                suite: *const c_char,
                key: *const u8,
                alpha: *const u8,
                alpha_len: usize,
                proof: *mut u8,
                proof_len: usize,
                output: *mut u8,
            ) -> c_int {
                // SAFETY: as the interface says.
                unsafe {
                    glue::prove(
                        &$peer, suite, key, alpha, alpha_len, proof, proof_len, output,
                    )
                }
            }

            /// Verifies many proofs of 128 bytes.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_verify_batch(
                suite: *const c_char,
                n: usize,
                keys: *const u8,
                alphas: *const u8,
                alpha_len: usize,
                proofs: *const u8,
                outputs: *mut u8,
            ) -> c_int {
                // SAFETY: as the interface says.
                unsafe {
                    glue::verify_batch(&$peer, suite, n, keys, alphas, alpha_len, proofs, outputs)
                }
            }

            /// Prepares an experiment.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment(
                name: *const c_char,
                suite: *const c_char,
                n: usize,
                keys: *const u8,
                alphas: *const u8,
                alpha_len: usize,
                proofs: *const u8,
                proof_len: usize,
            ) -> *mut c_void {
                // SAFETY: as the interface says.
                unsafe {
                    glue::experiment(
                        &$peer, name, suite, n, keys, alphas, alpha_len, proofs, proof_len,
                    )
                }
            }

            /// Runs an experiment once.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment_run(work: *mut c_void) -> c_int {
                // SAFETY: as the interface says.
                unsafe { glue::experiment_run(work) }
            }

            /// Frees an experiment.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn klero_peer_experiment_free(work: *mut c_void) {
                // SAFETY: as the interface says.
                unsafe { glue::experiment_free(work) }
            }
        }
    };
}
