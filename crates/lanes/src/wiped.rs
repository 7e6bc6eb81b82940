//! Wiping what functions leave on the stack.
//!
//! A value that is moved or returned can leave a copy behind, also in functions of other crates, and
//! dropping the value does not wipe that copy.

use zeroize::Zeroize;

/// The result of a function that calculates with secrets. The 8 KiB of stack below the caller are
/// overwritten, unless the function panics, so the result itself must hold its secrets on the heap.
pub fn wiped<T>(work: impl FnOnce() -> T) -> T {
    let result = below(work);
    wipe();
    result
}

/// Runs the function below the frame of the caller. [`wipe`] overwrites 8 KiB of what it leaves there.
#[inline(never)]
fn below<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Overwrites the 8 KiB of stack below the caller's frame, which other callees used.
#[inline(never)]
fn wipe() {
    let mut words = [0u64; 1024];
    words.zeroize();
}
