//! Lets every call of the `klero` command to the operating system fail once.
//!
//! A command is run without a fault; then with the first read that fails, the second, and so on until
//! it ends without having reached the fault; and so for each kind of call and each error. Then it must
//! have ended with the right result, or with an error: exit status 2 and a message, no panic, no file
//! left behind, none that existed lost or half written. After a short read or write, or a call that a
//! signal interrupted, only the right result will do.
//!
//! Before, it must find three faults that are planted: a program that ignores a failed write, one that
//! ignores a failed fsync, and one that leaves its temporary file.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod check;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<()> {
    check::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    eprintln!("calls are traced on Linux on x86-64 only");
    std::process::exit(2);
}
