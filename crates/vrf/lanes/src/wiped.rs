//! The wiping of data that functions leave on the stack.
//!
//! A value that is moved or returned can leave a copy behind, even in functions of other crates.
//! Dropping the value does not wipe that copy.

use zeroize::Zeroize;

/// Runs a function that computes with secrets, then overwrites the 8 KiB of stack below the caller, unless
/// the function panics. Copies of the result may stay elsewhere, so the result must keep secrets on the heap.
pub fn wiped<T>(work: impl FnOnce() -> T) -> T {
    let result = below(work);
    wipe();
    result
}

/// Runs the function on the stack below the caller's frame. [`wipe`] then overwrites 8 KiB of this stack.
#[inline(never)]
fn below<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Overwrites the 8 KiB of stack below the caller's frame. Earlier calls by the caller used this stack.
#[inline(never)]
fn wipe() {
    let mut words = [0u64; 1024];
    words.zeroize();
}
