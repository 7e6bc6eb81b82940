//! ECVRF written plainly on curve25519-dalek 5, as a careful user of that crate
//! would today: its fastest public calls, shared inversions, nothing of its own
//! below the point but the draft-03 map, which dalek lacks.
//!
//! dalek chooses its backend by a build flag, so the benchmark builds this crate
//! once for each as a shared object and loads them all through the C ABI here.
//! Every function gives 1 for valid or done, 0 for invalid, and -1 for a suite that
//! is not written here or a proof length that is not the suite's.

mod ecvrf;
mod elligator;

use std::ffi::{CStr, c_char, c_int};
use std::slice;

use ecvrf::Suite;

const UNSUPPORTED: c_int = -1;

/// Which library on which backend: `dalek5-ifma`, `dalek5-avx2` or `dalek5-serial`.
#[unsafe(no_mangle)]
pub extern "C" fn klero_peer_name() -> *const c_char {
    let name = if cfg!(curve25519_dalek_backend = "avx512") {
        c"dalek5-ifma"
    } else if cfg!(curve25519_dalek_backend = "simd") {
        c"dalek5-avx2"
    } else {
        c"dalek5-serial"
    };
    name.as_ptr()
}

/// Verifies one proof and writes its output.
///
/// # Safety
/// `suite` ends with a zero byte; `key` points to 32 bytes, `alpha` and `proof` to as
/// many as are said, `output` to 64 that may be written.
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
    // SAFETY: as the caller promises.
    let (suite, key, alpha, proof, output) = unsafe {
        (
            CStr::from_ptr(suite),
            &*key.cast(),
            slice::from_raw_parts(alpha, alpha_len),
            slice::from_raw_parts(proof, proof_len),
            &mut *output.cast(),
        )
    };
    let (Some(suite), Ok(proof)) = (Suite::by_name(suite.to_bytes()), proof.try_into()) else {
        return UNSUPPORTED;
    };
    if suite.proof_len != proof_len {
        return UNSUPPORTED;
    }
    done(suite.verify(key, alpha, proof), output)
}

/// Proves with `seed ‖ public key` and writes proof and output.
///
/// # Safety
/// `suite` ends with a zero byte; `key` points to 64 bytes, `alpha` to as many as are
/// said, `proof` to `proof_len` and `output` to 64 that may be written.
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
    // SAFETY: as the caller promises.
    let (suite, key, alpha, proof, output) = unsafe {
        (
            CStr::from_ptr(suite),
            &*key.cast(),
            slice::from_raw_parts(alpha, alpha_len),
            slice::from_raw_parts_mut(proof, proof_len),
            &mut *output.cast(),
        )
    };
    match Suite::by_name(suite.to_bytes()) {
        Some(suite) if suite.proof_len == proof_len => done(suite.prove(key, alpha, proof), output),
        _ => UNSUPPORTED,
    }
}

/// Verifies n proofs of 128 bytes together and writes their outputs; 0 if any is
/// invalid.
///
/// # Safety
/// `suite` ends with a zero byte; `keys`, `alphas` and `proofs` point to 32, `alpha_len`
/// and 128 times n bytes, `outputs` to 64 times n that may be written.
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
    // SAFETY: as the caller promises.
    let (suite, keys, alphas, proofs, outputs) = unsafe {
        (
            CStr::from_ptr(suite),
            slice::from_raw_parts(keys.cast(), n),
            (0..n)
                .map(|i| slice::from_raw_parts(alphas.add(i * alpha_len), alpha_len))
                .collect::<Vec<_>>(),
            slice::from_raw_parts(proofs.cast(), n),
            slice::from_raw_parts_mut(outputs.cast(), n),
        )
    };
    match Suite::by_name(suite.to_bytes()) {
        Some(suite) if suite.proof_len == 128 => {
            suite.verify_batch(keys, &alphas, proofs, outputs).into()
        }
        _ => UNSUPPORTED,
    }
}

fn done(result: Option<[u8; 64]>, output: &mut [u8; 64]) -> c_int {
    if let Some(result) = result {
        *output = result;
    }
    result.is_some().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same proofs and outputs as Klero's, byte for byte, and the same verdicts.
    #[test]
    fn agrees_with_klero() {
        for suite in klero::Suite::all() {
            let Some(peer) = Suite::by_name(suite.name.as_bytes()) else {
                continue;
            };
            let (mut keys, mut alphas, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
            for i in 0..50u8 {
                let key = klero::SecretKey::from_seed(&[i; 32]);
                let alpha = vec![i; usize::from(i)];
                let (expected, output) = suite.prove(&key, &alpha);
                let mut proof = vec![0; suite.proof_len()];
                let made = peer.prove(&key.to_bytes(), &alpha, &mut proof);
                assert_eq!(
                    (proof.as_slice(), made),
                    (expected.as_bytes(), Some(output.0))
                );
                if let Ok(mut proof) = proof.as_slice().try_into() {
                    let pk = key.public_key().as_bytes();
                    assert_eq!(peer.verify(pk, &alpha, &proof), Some(output.0));
                    proof[50] ^= 1;
                    assert_eq!(peer.verify(pk, &alpha, &proof), None);
                }
                keys.push(*key.public_key().as_bytes());
                alphas.push(alpha);
                proofs.push(proof);
            }
            let alphas: Vec<_> = alphas.iter().map(Vec::as_slice).collect();
            let proofs: Result<Vec<[u8; 128]>, _> =
                proofs.into_iter().map(TryFrom::try_from).collect();
            if let Ok(mut proofs) = proofs {
                let mut outputs = [[0; 64]; 50];
                assert!(peer.verify_batch(&keys, &alphas, &proofs, &mut outputs));
                proofs[17][100] ^= 1;
                assert!(!peer.verify_batch(&keys, &alphas, &proofs, &mut outputs));
            }
        }
    }
}
