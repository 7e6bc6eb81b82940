//! Requests to valgrind from the program that it runs: mark memory as secret or public, and
//! count errors. Without valgrind they do nothing.

use std::arch::asm;
use std::sync::atomic::{AtomicBool, Ordering};

// valgrind.h and memcheck.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 1;
const MAKE_MEM_DEFINED: u64 = MAKE_MEM_UNDEFINED + 1;

/// A client request; without valgrind it does nothing and returns 0.
fn request(code: u64, address: u64, len: u64) -> u64 {
    let request = [code, address, len, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 bits and change nothing, nor does the exchange;
    // valgrind knows the sequence, reads the request and writes the answer.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") &raw const request,
            inout("rdx") answer,
            out("rdi") _,
        );
    }
    answer
}

/// Whether this program runs under valgrind.
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) > 0
}

/// The number of errors that valgrind reports while this runs.
pub fn errors(work: impl FnOnce()) -> u64 {
    let before = request(COUNT_ERRORS, 0, 0);
    work();
    request(COUNT_ERRORS, 0, 0) - before
}

static NOTHING_IS_SECRET: AtomicBool = AtomicBool::new(false);

/// Runs work in which [`secret`] marks nothing.
pub fn without_secrets(work: impl FnOnce()) {
    NOTHING_IS_SECRET.store(true, Ordering::Relaxed);
    work();
    NOTHING_IS_SECRET.store(false, Ordering::Relaxed);
}

/// Marks a value as secret: as undefined memory.
pub fn secret<T: ?Sized>(value: &T) {
    if !NOTHING_IS_SECRET.load(Ordering::Relaxed) {
        mark(MAKE_MEM_UNDEFINED, value);
    }
}

/// Marks a value as public, whatever it was computed from.
pub fn public<T: ?Sized>(value: &T) {
    mark(MAKE_MEM_DEFINED, value);
}

fn mark<T: ?Sized>(code: u64, value: &T) {
    let address = (&raw const *value).cast::<u8>() as u64;
    request(code, address, size_of_val(value) as u64);
}
