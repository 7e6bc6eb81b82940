//! Checks that the libraries run in constant time: no branch and no address depends on a
//! secret: a key, the end of a bearer's token, or the text of either.
//!
//! `cargo run --release -p klero-constant-time` runs what is in [`subject`] on each
//! backend, by two methods:
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
mod copier;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod memcheck;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod secret_path;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod subject;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod table;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod texts;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod timing;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tokens;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod valgrind;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        // A process for each backend, since a default backend is one for the whole process.
        ["valgrind", backend] => memcheck::check(the_only(backend)?),
        ["trace", backend] => trace::check(the_only(backend)?),
        ["timing"] => timing::check(),
        _ => every_backend(&skipped(&args)?),
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    eprintln!("constant time can be checked on x86-64 Linux only");
    std::process::exit(1);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_only(name: &str) -> anyhow::Result<klero::Backend> {
    let backend: klero::Backend = name.parse()?;
    backend.make_default();
    Ok(backend)
}

/// The methods that the arguments leave out.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn skipped<'a>(args: &[&'a str]) -> anyhow::Result<Vec<&'a str>> {
    let (pairs, rest) = args.as_chunks();
    let named = |[flag, method]: &[&'a str; 2]| {
        (*flag == "--skip" && ["valgrind", "trace"].contains(method)).then_some(*method)
    };
    let skipped: Option<Vec<_>> = pairs.iter().map(named).collect();
    match skipped {
        Some(skipped) if rest.is_empty() => Ok(skipped),
        _ => anyhow::bail!(
            "expected timing, or any of --skip valgrind and --skip trace, not {:?}",
            args.join(" ")
        ),
    }
}

/// Runs one process for each backend and method, side by side. Valgrind's reports, which
/// include the planted leaks, are shown only if a check fails.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn every_backend(skipped: &[&str]) -> anyhow::Result<()> {
    use std::process::{Command, Stdio};

    use anyhow::{Context, ensure};

    use crate::table::Table;

    let secrets = match std::env::var(subject::VARIABLE) {
        Ok(secrets) => secrets,
        Err(_) => getrandom::u64().context("no random bytes")?.to_string(),
    };
    println!("With the secrets of {}={secrets}", subject::VARIABLE);
    for method in skipped {
        eprintln!("!!! SKIPPED: {method}");
    }
    if !skipped.contains(&"valgrind") {
        Command::new("valgrind")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .context("cannot start valgrind; install it, or leave it out with --skip valgrind")?;
    }
    let this = std::env::current_exe()?;
    let mut running = Vec::new();
    for backend in klero::Backend::all() {
        let name = backend.name();
        if !skipped.contains(&"trace") {
            let mut command = Command::new(&this);
            command.args(["trace", name]).stdout(Stdio::piped());
            command.env(subject::VARIABLE, &secrets);
            running.push((name, "trace", command.spawn()?));
        }
        if !skipped.contains(&"valgrind") && matches!(name, "avx2" | "portable") {
            let child = Command::new("valgrind")
                .args(["--quiet", "--error-limit=no"])
                .arg(&this)
                .args(["valgrind", name])
                .env(subject::VARIABLE, &secrets)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            running.push((name, "valgrind", child));
        }
    }
    let mut failed = Vec::new();
    let mut table = Table::default();
    for (name, method, child) in running {
        let ended = child.wait_with_output()?;
        if !ended.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&ended.stderr));
            failed.push((name, method));
        }
        table.add(name, method, &String::from_utf8(ended.stdout)?);
    }
    ensure!(
        failed.is_empty(),
        "not constant time, or not checked: {failed:?}"
    );
    print!("{table}");
    for path in tokens::NOT_CHECKED {
        println!("!!! NOT CHECKED: {path}");
    }
    Ok(())
}
