//! Tests that run the example `read` as a program.

use std::path::Path;
use std::process::{Command, Output};

use klero_damage::Database;
use klero_forge::{Recipe, forge};

use crate::copy::Copy;

/// Runs the example on a directory. If the example was not built, prints a line and returns `None`. Cargo
/// does not build it if only this test was requested.
fn run(directory: &Path, more: &[&str]) -> Option<Output> {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent()?.parent()?.join("examples/read");
    if !built.exists() {
        eprintln!("SKIPPED: no example at {}", built.display());
        return None;
    }
    let output = Command::new(built).arg(directory).args(more).output();
    Some(output.unwrap())
}

/// A directory that has only chunks does not identify its network, and the example does not guess the
/// network. An unknown name of a network is also an error.
#[test]
fn no_network_is_guessed() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, chunks] = ["whole", "chunks"].map(|name| dir.path().join(name));
    forge(&Recipe::sample(), &whole, |_, _| {}).unwrap();
    let copy = Database::create(&chunks).unwrap();
    copy.link(&Database::at(whole.join("immutable")), 0..2)
        .unwrap();
    let error = |output: Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let Some(alone) = run(&chunks, &[]) else {
        return;
    };
    let alone = error(alone);
    assert!(alone.starts_with("Error: Unknown"), "{alone}");
    let wrong = error(run(&chunks, &["moonnet"]).unwrap());
    assert!(wrong.contains("mainnet, preprod or preview"), "{wrong}");
}

#[test]
fn a_network_by_name() {
    let Some(copy) = Copy::of(0..2) else { return };
    let Some(named) = run(copy.path(), &["preview"]) else {
        return;
    };
    let said = String::from_utf8_lossy(&named.stdout).into_owned();
    assert!(
        named.status.success() && said.contains("blocks/s"),
        "{said}"
    );
}
