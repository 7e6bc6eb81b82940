//! Peers behind the C ABI: building the composed one once for each backend of
//! dalek, and loading them.

use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libloading::Library;

use crate::contender::Contender;
use crate::inputs::{ALPHA_LEN, Answers, Inputs, Row, Work};

/// The values of `curve25519_dalek_backend` that this processor can run. With
/// `avx512` dalek takes IFMA if these two are detected at run time, and AVX2 if not.
pub fn dalek_backends() -> Vec<&'static str> {
    let mut backends = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as detected;
        if detected!("avx512ifma") && detected!("avx512vl") {
            backends.push("avx512");
        }
        if detected!("avx2") {
            backends.push("simd");
        }
    }
    backends.push("serial");
    backends
}

/// Builds the composed peer with that backend of dalek; cargo shows its progress.
pub fn build(backend: &str) -> Result<PathBuf> {
    let target = std::env::current_exe()?
        .parent()
        .context("the program is in no directory")?
        .join("peers")
        .join(backend);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    eprintln!("Building the composed peer with dalek's backend \"{backend}\"");
    let status = Command::new(cargo)
        .args(["build", "--profile=peer", "--package=klero-peer-composed"])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env(
            "RUSTFLAGS",
            format!("--cfg curve25519_dalek_backend=\"{backend}\""),
        )
        .status()
        .context("cargo does not start")?;
    ensure!(status.success(), "the composed peer did not build");
    let file = libloading::library_filename("klero_peer_composed");
    Ok(target.join("peer").join(file))
}

type Verify = unsafe extern "C" fn(
    *const c_char,
    *const u8,
    *const u8,
    usize,
    *const u8,
    usize,
    *mut u8,
) -> c_int;
type Prove = unsafe extern "C" fn(
    *const c_char,
    *const u8,
    *const u8,
    usize,
    *mut u8,
    usize,
    *mut u8,
) -> c_int;
type VerifyBatch = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const u8,
    *const u8,
    usize,
    *const u8,
    *mut u8,
) -> c_int;

/// A loaded shared object.
pub struct Peer {
    name: String,
    verify: Verify,
    prove: Prove,
    verify_batch: VerifyBatch,
    /// Holds the code of the functions above.
    _library: Library,
}

impl Peer {
    /// Loads a shared object that has the symbols of the README.
    pub fn load(path: &Path) -> Result<Self> {
        // SAFETY: the object was just built from this workspace; loading it runs no
        // code of its own, and the symbols have these types.
        unsafe {
            let library = Library::new(path)
                .with_context(|| format!("{} cannot be loaded", path.display()))?;
            let name =
                *library.get::<unsafe extern "C" fn() -> *const c_char>("klero_peer_name")?;
            Ok(Self {
                name: CStr::from_ptr(name()).to_str()?.to_owned(),
                verify: *library.get("klero_peer_verify")?,
                prove: *library.get("klero_peer_prove")?,
                verify_batch: *library.get("klero_peer_verify_batch")?,
                _library: library,
            })
        }
    }
}

impl Contender for Peer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&self, row: &Row, inputs: &Inputs, answers: &mut Answers) -> Option<bool> {
        let name = CString::new(row.suite.name).ok()?;
        let len = row.suite.proof_len();
        let answer = |code| match code {
            1 => Some(true),
            0 => Some(false),
            _ => None,
        };
        let (suite, mut all) = (name.as_ptr(), 0..row.claims);
        match row.work {
            Work::Verify if len == 128 => {
                // SAFETY: `Inputs` and `Answers` hold as many of everything as the row
                // has claims, one after the other.
                answer(unsafe {
                    (self.verify_batch)(
                        suite,
                        row.claims,
                        inputs.keys.as_flattened().as_ptr(),
                        inputs.alphas.as_flattened().as_ptr(),
                        ALPHA_LEN,
                        inputs.proofs.as_ptr(),
                        answers.outputs.as_flattened_mut().as_mut_ptr(),
                    )
                })
            }
            Work::Verify | Work::VerifyAlone => all.try_fold(true, |valid, i| {
                let (proof, output) = (inputs.proof(row.suite, i), &mut answers.outputs[i]);
                // SAFETY: every pointer goes to as many bytes as are said.
                let code = unsafe {
                    (self.verify)(
                        suite,
                        inputs.keys[i].as_ptr(),
                        inputs.alphas[i].as_ptr(),
                        ALPHA_LEN,
                        proof.as_ptr(),
                        len,
                        output.as_mut_ptr(),
                    )
                };
                Some(answer(code)? && valid)
            }),
            Work::Prove | Work::ProveAlone => all.try_fold(true, |valid, i| {
                let (proof, output) = (&mut answers.proofs[i * len..], &mut answers.outputs[i]);
                // SAFETY: every pointer goes to as many bytes as are said.
                let code = unsafe {
                    (self.prove)(
                        suite,
                        inputs.secret_bytes[i].as_ptr(),
                        inputs.alphas[i].as_ptr(),
                        ALPHA_LEN,
                        proof.as_mut_ptr(),
                        len,
                        output.as_mut_ptr(),
                    )
                };
                Some(answer(code)? && valid)
            }),
        }
    }
}
