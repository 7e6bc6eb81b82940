//! Has Cargo build the programs that the mutants need, all with the same features.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::mutant::{Program, Target};

/// A program that was built.
pub(crate) struct Built {
    pub(crate) file: PathBuf,
    /// The directory of its package, in which Cargo runs tests.
    pub(crate) directory: PathBuf,
}

/// A line of what Cargo prints, as far as it is of use.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    package_id: String,
    target: Option<OfTarget>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct OfTarget {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Builds these programs of the workspace in `tree`.
pub(crate) fn build(
    tree: &Path,
    target: &Path,
    programs: &BTreeSet<Program>,
) -> Result<BTreeMap<Program, Built>> {
    let mut built = BTreeMap::new();
    let tests = programs.iter().filter_map(|program| match &program.target {
        Target::Run => None,
        Target::Lib => Some(vec!["--lib".to_owned()]),
        Target::Bin(name) => Some(vec!["--bin".to_owned(), name.clone()]),
        Target::Test(name) => Some(vec!["--test".to_owned(), name.clone()]),
    });
    let tests: BTreeSet<_> = tests.collect();
    // Of the whole workspace, whose features are then those of every other command.
    let tests = ["test", "--no-run", "--workspace"]
        .map(str::to_owned)
        .into_iter()
        .chain(tests.into_iter().flatten());
    cargo(tree, target, tests, &mut built)?;
    let runs = programs
        .iter()
        .filter(|program| program.target == Target::Run);
    let runs = runs.flat_map(|program| ["--package".to_owned(), program.package.clone()]);
    let runs: Vec<_> = runs.collect();
    if !runs.is_empty() {
        let build = ["build".to_owned(), "--bins".to_owned()];
        cargo(tree, target, build.into_iter().chain(runs), &mut built)?;
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
    arguments: impl Iterator<Item = String>,
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
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            continue;
        };
        if let Some((program, file)) = program(&message) {
            let directory = message.manifest_path.parent().map(Path::to_owned);
            let directory = directory.context("a manifest in a directory")?;
            built.insert(program, Built { file, directory });
        }
    }
    Ok(())
}

/// The program that Cargo says it has built.
fn program(message: &Message) -> Option<(Program, PathBuf)> {
    let (true, Some(target), Some(profile), Some(file)) = (
        message.reason == "compiler-artifact",
        &message.target,
        &message.profile,
        &message.executable,
    ) else {
        return None;
    };
    let is = |kind: &str| target.kind.iter().any(|of_target| of_target == kind);
    let target = match profile.test {
        false if is("bin") => Target::Run,
        true if is("lib") => Target::Lib,
        true if is("bin") => Target::Bin(target.name.clone()),
        true if is("test") => Target::Test(target.name.clone()),
        _ => return None,
    };
    let package = name(&message.package_id)?.to_owned();
    Some((Program { package, target }, file.clone()))
}

/// The name in `path+file:///DIRECTORY#NAME@VERSION`, or, where the directory has the same name,
/// `path+file:///DIRECTORY#VERSION`.
fn name(package_id: &str) -> Option<&str> {
    let (directory, rest) = package_id.rsplit_once('#')?;
    match rest.split_once('@') {
        Some((name, _)) => Some(name),
        None => directory.rsplit('/').next(),
    }
}
