//! Random bytes, from the `crypto.getRandomValues` of JavaScript.

use getrandom::Error;

#[link(wasm_import_module = "klero")]
unsafe extern "C" {
    /// Writes random bytes to an address. Returns whether it did: 1 or 0.
    fn random(address: *mut u8, len: usize) -> i32;
}

/// What the crate `getrandom` calls.
///
/// # Safety
/// `address` is that of `len` bytes that nothing else uses meanwhile.
// SAFETY: no other symbol of the program has this name, and this is the signature that `getrandom`
// declares.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(address: *mut u8, len: usize) -> Result<(), Error> {
    // SAFETY: the import writes these bytes and no others.
    match unsafe { random(address, len) } {
        1 => Ok(()),
        _ => Err(Error::UNEXPECTED),
    }
}
