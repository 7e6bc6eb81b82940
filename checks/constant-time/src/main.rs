//! Checks that no secret key shows in what the processor does: no branch and no
//! address depends on one.
//!
//! `cargo run --release -p klero-constant-time` runs what is in [`subject`] on each
//! backend, by the method that the backend allows:
//!
//! * **memcheck**: under valgrind, with the secrets marked as undefined memory. It
//!   follows them through every instruction, whatever their values; but it knows no
//!   AVX-512.
//! * **trace**: one step of the processor at a time, with several secrets; all runs
//!   must execute the same instructions and touch the same addresses. For the
//!   backends that valgrind cannot run.
//!
//! `klero-constant-time timing` is a third one, for a quiet machine: a statistical
//! test of the time itself, after Reparaz, Balasch and Verbauwhede, "Dude, is my code
//! constant time?" (2017). It alone would see an instruction that takes longer for
//! some operands.
//!
//! Each method must first find the leaks of [`subject::LEAKS`].

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod memcheck;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod subject;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod timing;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<()> {
    let method = std::env::args().nth(1);
    match method.as_deref() {
        None => every_backend(),
        Some("memcheck") => memcheck::check(),
        Some("trace") => trace::check(),
        Some("timing") => timing::check(),
        Some(other) => anyhow::bail!("expected memcheck, trace or timing, not {other:?}"),
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    eprintln!("!!! SKIPPED: constant time is checked on x86-64 Linux only");
}

/// One process for each backend, side by side: which backend is in use is settled once
/// in a process.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn every_backend() -> anyhow::Result<()> {
    use std::process::Command;

    let this = std::env::current_exe()?;
    let valgrind = Command::new("valgrind").arg("--version").output().is_ok();
    let mut running = Vec::new();
    for backend in klero::Backend::all() {
        let name = backend.name();
        let mut command;
        if matches!(name, "ifma" | "avx512") {
            command = Command::new(&this);
            command.arg("trace");
        } else if valgrind {
            command = Command::new("valgrind");
            command.args(["--quiet", "--error-limit=no"]);
            command.arg(&this).arg("memcheck");
        } else {
            eprintln!("!!! SKIPPED: {name} (valgrind is not installed)");
            continue;
        }
        running.push((name, command.env("KLERO_BACKEND", name).spawn()?));
    }
    for (name, mut child) in running {
        let status = child.wait()?;
        anyhow::ensure!(status.success(), "{name}: {status}");
    }
    Ok(())
}
