//! Has Cargo build the programs that the mutants need, all with the same features.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::mutant::Program;

/// A program that was built.
pub(crate) struct Built {
    pub(crate) file: PathBuf,
    /// The directory of its package, in which Cargo runs tests.
    pub(crate) directory: PathBuf,
}

/// Builds these programs of the workspace in `tree`.
pub(crate) fn build(
    tree: &Path,
    target: &Path,
    programs: &BTreeSet<Program>,
) -> Result<BTreeMap<Program, Built>> {
    let mut built = BTreeMap::new();
    // Of the whole workspace, whose features are then those of every other command.
    let mut tests = vec!["test", "--no-run", "--workspace"];
    let mut runs = vec!["build", "--bins"];
    let mut targets = BTreeSet::new();
    for Program { package, target } in programs {
        match target.is_empty() {
            true => runs.extend(["--package", package]),
            false => _ = targets.insert(target),
        }
    }
    // Cargo takes `--lib` once.
    tests.extend(targets.into_iter().flatten().map(String::as_str));
    cargo(tree, target, &tests, &mut built)?;
    if runs.len() > 2 {
        cargo(tree, target, &runs, &mut built)?;
    }
    for program in programs {
        ensure!(
            built.contains_key(program),
            "Cargo built no program for {program:?}"
        );
    }
    Ok(built)
}

fn cargo(
    tree: &Path,
    target: &Path,
    arguments: &[&str],
    built: &mut BTreeMap<Program, Built>,
) -> Result<()> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(arguments)
        .args(["--release", "--message-format=json-render-diagnostics"])
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "--cap-lints=allow")
        .current_dir(tree)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "the copy with the mutants does not compile"
    );
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some((program, made)) = program(&message) {
            built.insert(program, made);
        }
    }
    Ok(())
}

/// The program that Cargo says it has built.
fn program(message: &Value) -> Option<(Program, Built)> {
    let file = message["executable"].as_str()?;
    let name = message["target"]["name"].as_str()?;
    let kind = message["target"]["kind"][0].as_str()?;
    let target = match (message["profile"]["test"].as_bool()?, kind) {
        (false, "bin") => vec![],
        (true, "lib") => vec!["--lib"],
        (true, "bin") => vec!["--bin", name],
        (true, "test") => vec!["--test", name],
        _ => return None,
    };
    let package = package(message["package_id"].as_str()?)?;
    let directory = Path::new(message["manifest_path"].as_str()?).parent()?;
    let built = Built {
        file: file.into(),
        directory: directory.to_owned(),
    };
    Some((Program::new(package, &target), built))
}

/// The name in `path+file:///DIRECTORY#NAME@VERSION`, or, where the directory has the same name,
/// `path+file:///DIRECTORY#VERSION`.
fn package(package_id: &str) -> Option<&str> {
    let (directory, rest) = package_id.rsplit_once('#')?;
    match rest.split_once('@') {
        Some((name, _)) => Some(name),
        None => directory.rsplit('/').next(),
    }
}
