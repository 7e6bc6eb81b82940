//! One multiplication through libsodium's API, if the system has the library.

use std::ffi::c_int;

use klero_measure::ours::Claims;
use libloading::Library;

/// `crypto_scalarmult_ed25519_noclamp` on the Γ and s of the first n claims, with the checks
/// that the API makes; `None` if libsodium is not installed.
pub fn api_mul(claims: &Claims, n: usize) -> Option<impl FnMut() -> bool> {
    type ScalarMult = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int;
    let names = [
        "libsodium.so",
        "libsodium.so.26",
        "libsodium.so.23",
        "libsodium.dylib",
    ];
    // SAFETY: libsodium's functions have had these types since 1.0.17.
    let (library, multiply) = unsafe {
        let library = names.iter().find_map(|name| Library::new(*name).ok())?;
        let init = library
            .get::<unsafe extern "C" fn() -> c_int>("sodium_init")
            .ok()?;
        if init() < 0 {
            return None;
        }
        let multiply = library.get::<ScalarMult>("crypto_scalarmult_ed25519_noclamp");
        let multiply = *multiply.ok()?;
        (library, multiply)
    };
    let mut inputs = Vec::new();
    for i in 0..n {
        let proof = claims.proof(i);
        let (point, scalar): ([u8; 32], [u8; 32]) = (*proof.first_chunk()?, *proof.last_chunk()?);
        inputs.push((point, scalar));
    }
    Some(move || {
        let _still_there = &library;
        inputs.iter().all(|(point, scalar)| {
            let mut product = [0; 32];
            // SAFETY: all three are 32 bytes.
            unsafe { multiply(product.as_mut_ptr(), scalar.as_ptr(), point.as_ptr()) == 0 }
        })
    })
}
