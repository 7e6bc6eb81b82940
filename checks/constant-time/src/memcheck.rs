//! Secrets as undefined memory: valgrind reports every branch on something that was
//! computed from undefined memory, and every address.

use std::arch::asm;

use anyhow::ensure;
use klero::{Backend, Suite};

use crate::subject::{LEAKS, Part};

// valgrind.h and memcheck.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 1;
const MAKE_MEM_DEFINED: u64 = MAKE_MEM_UNDEFINED + 1;

/// A client request of valgrind's; without valgrind it does nothing and gives 0.
fn request(code: u64, address: u64, len: u64) -> u64 {
    let request = [code, address, len, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 and change nothing, nor does the exchange;
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

/// Marks a value as secret.
pub fn secret<T: ?Sized>(value: &T) {
    mark(MAKE_MEM_UNDEFINED, value);
}

/// Marks a value as public, whatever it was computed from.
pub fn public<T: ?Sized>(value: &T) {
    mark(MAKE_MEM_DEFINED, value);
}

fn mark<T: ?Sized>(code: u64, value: &T) {
    let address = (&raw const *value).cast::<u8>() as u64;
    request(code, address, size_of_val(value) as u64);
}

/// How many errors valgrind reports while this runs.
fn errors(work: impl FnOnce()) -> u64 {
    let before = request(COUNT_ERRORS, 0, 0);
    work();
    request(COUNT_ERRORS, 0, 0) - before
}

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    ensure!(
        request(RUNNING_ON_VALGRIND, 0, 0) > 0,
        "run this under valgrind"
    );
    let name = backend.name();
    let parts = Part::all(Suite::ALL);
    for part in &parts {
        // Their values do not matter to valgrind, but how many they are.
        let provers = &part.runs(backend)[0];
        for leak in &LEAKS {
            let errors = errors(|| part.run(provers, Some(leak)));
            ensure!(
                errors > 0,
                "{name}: valgrind does not report {} in {}",
                leak.0,
                part.name()
            );
        }
        let errors = errors(|| part.run(provers, None));
        ensure!(errors == 0, "{name}: the secret shows in {}", part.name());
    }
    println!("{name}: {} parts show valgrind no secret", parts.len());
    Ok(())
}
