//! Runs every method on every backend, and prints a table.

mod copier;
mod memcheck;
mod path;
mod subject;
mod table;
mod texts;
mod timing;
mod tokens;
mod trace;
mod valgrind;

use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use klero::Backend;

use table::Table;

pub fn main() -> anyhow::Result<()> {
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

fn the_only(name: &str) -> anyhow::Result<Backend> {
    let backend: Backend = name.parse()?;
    backend.make_default();
    Ok(backend)
}

/// The methods that the arguments leave out.
fn skipped<'a>(args: &[&'a str]) -> anyhow::Result<Vec<&'a str>> {
    let (pairs, rest) = args.as_chunks();
    let named = |[flag, method]: &[&'a str; 2]| {
        (*flag == "--skip" && ["valgrind", "trace"].contains(method)).then_some(*method)
    };
    let skipped: Option<Vec<_>> = pairs.iter().map(named).collect();
    match skipped {
        Some(skipped) if rest.is_empty() => Ok(skipped),
        _ => bail!(
            "expected timing, or any of --skip valgrind and --skip trace, not {:?}",
            args.join(" ")
        ),
    }
}

/// Runs one process for each backend and method, side by side. Valgrind's reports, which
/// include the planted leaks, are shown only if a check fails.
fn every_backend(skipped: &[&str]) -> anyhow::Result<()> {
    let secrets = match std::env::var(subject::VARIABLE) {
        Ok(secrets) => secrets,
        Err(_) => getrandom::u64().context("no random bytes")?.to_string(),
    };
    println!("With the secrets of {}={secrets}", subject::VARIABLE);
    for method in skipped {
        eprintln!("!!! SKIPPED: {method}");
    }
    if !skipped.contains(&"valgrind") {
        let mut version = Command::new("valgrind");
        version.arg("--version").stdout(Stdio::null());
        let hint = "cannot start valgrind; install it, or leave it out with --skip valgrind";
        version.status().context(hint)?;
    }
    let this = std::env::current_exe()?;
    let mut running = Vec::new();
    for backend in Backend::all() {
        let name = backend.name();
        let mut start = |method, mut command: Command| -> anyhow::Result<()> {
            if !skipped.contains(&method) {
                command
                    .args([method, name])
                    .env(subject::VARIABLE, &secrets);
                running.push((name, method, command.stdout(Stdio::piped()).spawn()?));
            }
            Ok(())
        };
        start("trace", Command::new(&this))?;
        if matches!(name, "avx2" | "portable") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--quiet", "--error-limit=no"]).arg(&this);
            valgrind.stderr(Stdio::piped());
            start("valgrind", valgrind)?;
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
