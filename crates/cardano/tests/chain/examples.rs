//! The examples, as programs.

use std::process::{Command, Output};

use crate::copy::Copy;

/// Runs an example on a directory; `None`, with a line that says so, if it was not built, as when
/// only this test was asked for.
fn run(name: &str, copy: &Copy, more: &[&str]) -> Option<Output> {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent()?.parent()?.join("examples").join(name);
    if !built.exists() {
        eprintln!("SKIPPED: no example at {}", built.display());
        return None;
    }
    let output = Command::new(built).arg(copy.path()).args(more).output();
    Some(output.unwrap())
}

/// A directory that has only chunks does not say its network; a name does.
#[test]
fn a_network_by_name() {
    let Some(copy) = Copy::of(0..2) else { return };
    for (name, words) in [("read", "blocks/s"), ("nonces", "0 363498d1")] {
        let Some(alone) = run(name, &copy, &[]) else {
            return;
        };
        let error = String::from_utf8_lossy(&alone.stderr).into_owned();
        assert!(error.starts_with("Error: Unknown"), "{error}");
        let named = run(name, &copy, &["preview"]).unwrap();
        let said = String::from_utf8_lossy(&named.stdout).into_owned();
        assert!(named.status.success() && said.contains(words), "{said}");
        let wrong = run(name, &copy, &["moonnet"]).unwrap();
        let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(error.contains("mainnet, preprod or preview"), "{error}");
    }
}
