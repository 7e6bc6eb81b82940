//! The examples, as programs.

use std::path::Path;
use std::process::{Command, Output};

use klero_damage::Database;
use klero_forge::{Recipe, forge};

use crate::copy::Copy;

/// Runs an example on a directory; `None`, with a line that says so, if it was not built, as when
/// only this test was asked for.
fn run(name: &str, directory: &Path, more: &[&str]) -> Option<Output> {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent()?.parent()?.join("examples").join(name);
    if !built.exists() {
        eprintln!("SKIPPED: no example at {}", built.display());
        return None;
    }
    let output = Command::new(built).arg(directory).args(more).output();
    Some(output.unwrap())
}

/// A directory that has only chunks does not say its network, and no example guesses it. A name that no
/// network has is an error, too.
#[test]
fn no_network_is_guessed() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, chunks] = ["whole", "chunks"].map(|name| dir.path().join(name));
    forge(&Recipe::sample(), &whole, |_, _| {}).unwrap();
    let copy = Database::create(&chunks).unwrap();
    copy.link(&Database::at(whole.join("immutable")), 0..2)
        .unwrap();
    let error = |output: Output| String::from_utf8_lossy(&output.stderr).into_owned();
    for name in ["read", "nonces"] {
        let Some(alone) = run(name, &chunks, &[]) else {
            continue;
        };
        let alone = error(alone);
        assert!(alone.starts_with("Error: Unknown"), "{alone}");
        let wrong = error(run(name, &chunks, &["moonnet"]).unwrap());
        assert!(wrong.contains("mainnet, preprod or preview"), "{wrong}");
    }
}

#[test]
fn a_network_by_name() {
    let Some(copy) = Copy::of(0..2) else { return };
    for (name, words) in [("read", "blocks/s"), ("nonces", "0 363498d1")] {
        let Some(named) = run(name, copy.path(), &["preview"]) else {
            continue;
        };
        let said = String::from_utf8_lossy(&named.stdout).into_owned();
        assert!(named.status.success() && said.contains(words), "{said}");
    }
}
