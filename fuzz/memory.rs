//! Counts what is allocated for an input.

use std::alloc::System;

use cap::Cap;

/// What may be allocated at one time, in bytes. More than that ends the process.
const AT_ONCE: usize = 512 << 20;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, AT_ONCE);

/// Runs this, which may allocate `most` bytes in all.
pub fn within<T>(most: usize, run: impl FnOnce() -> T) -> T {
    let before = MEMORY.total_allocated();
    let result = run();
    let taken = MEMORY.total_allocated() - before;
    assert!(
        taken <= most,
        "{taken} bytes of memory, expected at most {most}"
    );
    result
}
