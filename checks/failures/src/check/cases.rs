//! The commands that are run, each in a directory of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use klero_cardano::Era;
use klero_forge::{Recipe, forge};

/// What a command leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The same each time.
    #[default]
    Same,
    /// New keys each time: of the same lengths.
    Random,
    /// A report on a chain, as JSON with times. It may say in addition that something was not read.
    Report,
}

impl Outcome {
    /// Told by the first word of the arguments.
    pub fn of(arguments: &str) -> Self {
        match arguments.split(' ').next() {
            Some("chain") => Self::Report,
            Some("keygen" | "token") => Self::Random,
            _ => Self::Same,
        }
    }
}

/// The arguments of each. `keep` is a file that exists before, and is replaced; half of the claims
/// of `wrong` are invalid.
pub const ALL: [&str; 9] = [
    "batch verify --suite praos claims.csv --json --out out.jsonl",
    "batch verify --suite praos wrong.parquet --json --out keep.csv.gz",
    "batch verify --json claims.csv --suite praos",
    "batch prove --key vrf.skey claims.csv --json --out out.parquet",
    "chain verify chain --json --threads 2",
    "chain verify chain --json --state state.json",
    "keygen --suite praos",
    "token keygen",
    "token mint --key token.skey --payload x --out token",
];

/// A directory with the files that the cases work on.
pub struct Library(PathBuf);

impl Library {
    /// Makes them in a new directory, with the command itself.
    pub fn new(klero: &Path, dir: PathBuf) -> anyhow::Result<Self> {
        fs::create_dir(&dir)?;
        let sample = "sample --suite praos --count 6 --keys 2 --out";
        for arguments in [
            &format!("{sample} claims.csv"),
            &format!("{sample} wrong.parquet --invalid 0.5"),
            "keygen --suite praos",
            "token keygen",
        ] {
            let mut command = Command::new(klero);
            command.args(arguments.split(' ')).current_dir(&dir);
            let output = command.output().context("cannot start the command")?;
            ensure!(output.status.success(), "{arguments}: {output:?}");
        }
        fs::write(dir.join("keep.csv.gz"), "an older file")?;
        let recipe = Recipe {
            k: 1,
            ..Recipe::of_eras(&[(Era::Shelley, 1), (Era::Conway, 1)])
        };
        forge(&recipe, &dir.join("chain"), |_, _| {})?;
        Ok(Self(dir))
    }

    /// Puts the files that the arguments of a case name into its directory.
    pub fn give(&self, arguments: &str, dir: &Path) -> io::Result<()> {
        for word in arguments.split(' ').skip(1) {
            let file = self.0.join(word);
            if file.exists() {
                copy(&file, &dir.join(word))?;
            }
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// The content of every file in a directory, by its path there.
pub fn files(dir: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_owned();
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
