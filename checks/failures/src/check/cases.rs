//! The commands that are run, each in a directory of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use klero_cardano::Era;
use klero_forge::{Recipe, forge};

/// A command, what it needs, and how its result is compared.
pub struct Case {
    pub name: &'static str,
    /// Separated by spaces.
    pub arguments: &'static str,
    /// The files of the library that it works on.
    pub given: &'static [&'static str],
    pub result: Outcome,
}

/// What a command leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The same each time.
    Same,
    /// New keys each time: of the same lengths.
    Random,
    /// A report on a chain, as JSON with times. It may say in addition that something was not read.
    Report,
}

const fn case(
    name: &'static str,
    arguments: &'static str,
    given: &'static [&'static str],
    result: Outcome,
) -> Case {
    Case {
        name,
        arguments,
        given,
        result,
    }
}

/// All of them. `keep` is a file that exists before, and is replaced.
pub const ALL: [Case; 9] = [
    case(
        "verify a table",
        "batch verify --suite praos claims.csv --json --out out.jsonl",
        &["claims.csv"],
        Outcome::Same,
    ),
    case(
        "verify a table with wrong claims, in place of an older file",
        "batch verify --suite praos wrong.parquet --json --out keep.csv.gz",
        &["wrong.parquet", "keep.csv.gz"],
        Outcome::Same,
    ),
    case(
        "verify a table, to standard output",
        "batch verify --suite praos claims.csv --json",
        &["claims.csv"],
        Outcome::Same,
    ),
    case(
        "prove a table",
        "batch prove --key vrf.skey claims.csv --json --out out.parquet",
        &["claims.csv", "vrf.skey"],
        Outcome::Same,
    ),
    case(
        "verify a chain",
        "chain verify chain --json --threads 2",
        &["chain"],
        Outcome::Report,
    ),
    case(
        "verify a chain, with a state file",
        "chain verify chain --json --state state.json",
        &["chain"],
        Outcome::Report,
    ),
    case(
        "make a key pair of a suite",
        "keygen --suite praos",
        &[],
        Outcome::Random,
    ),
    case(
        "make a key pair for tokens",
        "token keygen",
        &[],
        Outcome::Random,
    ),
    case(
        "mint a token",
        "token mint --key token.skey --payload x --out token",
        &["token.skey"],
        Outcome::Random,
    ),
];

/// The files that the cases work on.
pub struct Library(PathBuf);

impl Library {
    /// Makes them in this directory, with the command itself.
    pub fn new(klero: &Path, dir: PathBuf) -> anyhow::Result<Self> {
        let run = |arguments: &[&str]| -> anyhow::Result<()> {
            let output = Command::new(klero)
                .args(arguments)
                .current_dir(&dir)
                .output()
                .with_context(|| format!("cannot start {}", klero.display()))?;
            ensure!(output.status.success(), "{arguments:?}: {output:?}");
            Ok(())
        };
        let sample = [
            "sample", "--suite", "praos", "--count", "6", "--keys", "2", "--out",
        ];
        run(&[&sample[..], &["claims.csv"]].concat())?;
        run(&[&sample[..], &["wrong.parquet", "--invalid", "0.5"]].concat())?;
        run(&["keygen", "--suite", "praos"])?;
        run(&["token", "keygen"])?;
        std::fs::write(dir.join("keep.csv.gz"), "an older file")?;
        let recipe = Recipe {
            k: 1,
            ..Recipe::of_eras(&[(Era::Shelley, 1), (Era::Conway, 1)])
        };
        forge(&recipe, &dir.join("chain"), |_, _| {})?;
        Ok(Self(dir))
    }

    /// Puts the files of a case into a directory.
    pub fn prepare(&self, case: &Case, dir: &Path) -> anyhow::Result<()> {
        for name in case.given {
            copy(&self.0.join(name), &dir.join(name))?;
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(drop);
    }
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// The content of every file in a directory, by its path there.
pub fn files(dir: &Path) -> std::io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_owned();
                found.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
