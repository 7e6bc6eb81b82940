//! Checks that the libraries run in constant time: no branch and no address depends on a
//! secret: a key, the end of a bearer's token, or the text of either.
//!
//! `cargo run --release -p klero-constant-time` runs what is in `check/subject` on
//! each backend, by two methods:
//!
//! * **valgrind**, on the backends that it can run: it does not know AVX-512. Secrets are
//!   marked as undefined memory, which valgrind follows through every instruction, whatever
//!   the values are.
//! * **trace**, on all backends: runs with different secrets, edge cases among them, must
//!   execute the same blocks of code and access the same addresses. The code is copied
//!   while it runs, with instructions added that record its addresses.
//!
//! Each method must first find two leaks planted in each part. `--skip valgrind` and
//! `--skip trace` leave a method out; a method that cannot be used and is not left out is
//! an error. At its end the program prints what was tried.
//!
//! The number of hashes that try-and-increment takes depends on alpha and on the public key,
//! and may show. Under valgrind both are public; for the trace each key has an alpha that
//! takes one hash, so that all runs are alike.
//!
//! `klero-constant-time timing` is a third method, for a quiet machine: a statistical
//! test of the time itself, after Reparaz, Balasch and Verbauwhede, "Dude, is my code
//! constant time?" (2017). Only this method finds an instruction that takes longer for
//! some operands.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod check;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<()> {
    check::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    eprintln!("constant time can be checked on x86-64 Linux only");
    std::process::exit(1);
}
