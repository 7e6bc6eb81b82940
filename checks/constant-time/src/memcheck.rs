//! Secrets as undefined memory: valgrind reports every branch on something that was
//! computed from undefined memory, and every address.

use std::arch::asm;

use anyhow::ensure;
use klero::Suite;

use crate::subject::{self, LEAKS};

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
fn errors<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = request(COUNT_ERRORS, 0, 0);
    let result = work();
    (request(COUNT_ERRORS, 0, 0) - before, result)
}

pub fn check() -> anyhow::Result<()> {
    ensure!(
        request(RUNNING_ON_VALGRIND, 0, 0) > 0,
        "run this under valgrind"
    );
    let name = subject::backend()?.name();
    for (leak, function) in LEAKS {
        eprintln!("{name}: {leak}, which valgrind must report:");
        let (errors, ()) = errors(|| function(&subject::seed(0)));
        ensure!(errors > 0, "valgrind did not report {leak}");
    }
    for n in [1, 3, 17] {
        let seeds: Vec<_> = (0..n).map(subject::seed).collect();
        for suite in Suite::ALL {
            let (errors, keys) = errors(|| subject::keys(*suite, &seeds));
            ensure!(errors == 0, "{name}: the secret shows in key derivation");
            let (errors, proofs) = self::errors(|| subject::prove(&keys));
            ensure!(
                errors == 0,
                "{name}: the secret shows in {} proofs of {}",
                keys.len(),
                suite.name()
            );
            ensure!(subject::valid(&keys, &proofs));
        }
    }
    println!("{name}: constant time by valgrind");
    Ok(())
}
