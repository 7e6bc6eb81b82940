//! Loads peers from shared objects with the symbols of the README.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libloading::Library;

use crate::{Answer, Claims, Peer, Work};

type Verify = unsafe extern "C" fn(
    *const c_char,
    *const [u8; 32],
    *const u8,
    usize,
    *const u8,
    usize,
    *mut [u8; 64],
) -> c_int;
type Prove = unsafe extern "C" fn(
    *const c_char,
    *const [u8; 64],
    *const u8,
    usize,
    *mut u8,
    usize,
    *mut [u8; 64],
) -> c_int;
type VerifyBatch = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const [u8; 32],
    *const u8,
    usize,
    *const u8,
    *mut [u8; 64],
) -> c_int;
type Experiment = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    usize,
    *const [u8; 32],
    *const u8,
    usize,
    *const u8,
    usize,
) -> *mut c_void;
type Run = unsafe extern "C" fn(*mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);

/// Valid, invalid or not supported.
fn answer(code: c_int) -> Option<bool> {
    match code {
        1 => Some(true),
        0 => Some(false),
        _ => None,
    }
}

/// A loaded shared object. It does not support work for which it has no symbol.
pub struct Plugin {
    name: CString,
    verify: Option<Verify>,
    prove: Option<Prove>,
    verify_batch: Option<VerifyBatch>,
    experiment: Option<(Experiment, Run, Free)>,
    /// Contains the code of the functions above.
    _library: Library,
}

impl Plugin {
    /// Loads a shared object with the symbols of the README, under `name` or else its own name.
    pub fn load(path: &Path, name: Option<&str>) -> Result<Self> {
        // SAFETY: the object was built from this workspace or named by the user, and its symbols
        // have the types of the README.
        unsafe {
            let library =
                Library::new(path).with_context(|| format!("cannot load {}", path.display()))?;
            let name = match name {
                Some(name) => CString::new(name)?,
                None => {
                    let name = library
                        .get::<unsafe extern "C" fn() -> *const c_char>("klero_peer_name")?;
                    CStr::from_ptr(name()).to_owned()
                }
            };
            macro_rules! symbol {
                ($name:literal) => {
                    library.get($name).ok().map(|symbol| *symbol)
                };
            }
            let plugin = Self {
                name,
                verify: symbol!("klero_peer_verify"),
                prove: symbol!("klero_peer_prove"),
                verify_batch: symbol!("klero_peer_verify_batch"),
                experiment: match (
                    symbol!("klero_peer_experiment"),
                    symbol!("klero_peer_experiment_run"),
                    symbol!("klero_peer_experiment_free"),
                ) {
                    (Some(new), Some(run), Some(free)) => Some((new, run, free)),
                    _ => None,
                },
                _library: library,
            };
            ensure!(
                plugin.verify.is_some() || plugin.prove.is_some() || plugin.verify_batch.is_some(),
                "{} has none of klero_peer_verify, klero_peer_prove, klero_peer_verify_batch",
                path.display()
            );
            Ok(plugin)
        }
    }
}

impl Peer for Plugin {
    fn name(&self) -> &CStr {
        &self.name
    }

    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        let (suite, mut output) = (CString::new(suite).ok()?, [0; 64]);
        // SAFETY: every pointer goes to as many bytes as are said.
        let code = unsafe {
            self.verify?(
                suite.as_ptr(),
                key,
                alpha.as_ptr(),
                alpha.len(),
                proof.as_ptr(),
                proof.len(),
                &mut output,
            )
        };
        Some(answer(code)?.then_some(output))
    }

    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer {
        let (suite, mut output) = (CString::new(suite).ok()?, [0; 64]);
        // SAFETY: every pointer goes to as many bytes as are said.
        let code = unsafe {
            self.prove?(
                suite.as_ptr(),
                key,
                alpha.as_ptr(),
                alpha.len(),
                proof.as_mut_ptr(),
                proof.len(),
                &mut output,
            )
        };
        Some(answer(code)?.then_some(output))
    }

    fn verify_batch(
        &self,
        suite: &str,
        claims: &Claims<'_>,
        outputs: &mut [[u8; 64]],
    ) -> Option<bool> {
        if claims.proof_len != 128 || outputs.len() != claims.keys.len() {
            return None;
        }
        let suite = CString::new(suite).ok()?;
        // SAFETY: there are as many of everything as there are keys.
        answer(unsafe {
            self.verify_batch?(
                suite.as_ptr(),
                claims.keys.len(),
                claims.keys.as_ptr(),
                claims.alphas.as_ptr(),
                claims.alpha_len,
                claims.proofs.as_ptr(),
                outputs.as_mut_ptr(),
            )
        })
    }

    fn experiment(&self, name: &str, suite: &str, claims: &Claims<'_>) -> Option<Work> {
        struct Prepared {
            work: *mut c_void,
            run: Run,
            free: Free,
        }

        impl Drop for Prepared {
            fn drop(&mut self) {
                // SAFETY: it was prepared, and is freed only here.
                unsafe { (self.free)(self.work) }
            }
        }

        let (new, run, free) = self.experiment?;
        let (name, suite) = (CString::new(name).ok()?, CString::new(suite).ok()?);
        // SAFETY: there are as many of everything as there are keys.
        let work = unsafe {
            new(
                name.as_ptr(),
                suite.as_ptr(),
                claims.keys.len(),
                claims.keys.as_ptr(),
                claims.alphas.as_ptr(),
                claims.alpha_len,
                claims.proofs.as_ptr(),
                claims.proof_len,
            )
        };
        if work.is_null() {
            return None;
        }
        let prepared = Prepared { work, run, free };
        Some(Box::new(move || {
            let prepared = &prepared;
            // SAFETY: it was prepared and is not freed; plugins live as long as the program.
            unsafe { (prepared.run)(prepared.work) == 1 }
        }))
    }
}
