//! The floating-point environment: any, in the program; Rust, which estimates leader values, has its own.

use std::ffi::c_int;

unsafe extern "C" {
    fn feholdexcept(to: *mut [u128; 16]) -> c_int;
    fn fesetround(mode: c_int) -> c_int;
    fn fesetenv(from: *const [u128; 16]) -> c_int;
}

/// `FE_TONEAREST`, on every processor.
const TO_NEAREST: c_int = 0;

/// Calls a function, which does not panic, in Rust's environment.
pub(crate) fn as_expected<T>(call: impl FnOnce() -> T) -> T {
    let mut kept = [0; 16];
    // SAFETY: `fenv_t` has at most 32 bytes, and only the call sees the change.
    unsafe {
        feholdexcept(&raw mut kept);
        fesetround(TO_NEAREST);
    }
    let result = call();
    // SAFETY: it was written above.
    unsafe { fesetenv(&raw const kept) };
    result
}
