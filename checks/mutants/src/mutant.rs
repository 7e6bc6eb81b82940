//! A mutant as the files in `mutants/` describe it: a place in the source, what to write there
//! instead, and the test that must notice.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use proc_macro2::TokenStream;
use serde::Deserialize;

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    /// What is wrong with it, in a few words. No other mutant has the same.
    pub(crate) what: String,
    /// The file, from the root of the repository.
    pub(crate) file: String,
    /// Text that the place comes after, where `from` alone occurs more than once.
    #[serde(default)]
    pub(crate) after: String,
    /// An expression, or whole statements without `let`, as the source has them.
    pub(crate) from: String,
    /// What stands there in the mutant.
    pub(crate) to: String,
    /// The arguments of Cargo by which the fault must be found.
    pub(crate) found_by: Finder,
}

/// What must fail: `test -p PACKAGE (--lib | --bin NAME | --test NAME) TEST` or `run -p PACKAGE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Finder {
    text: String,
    pub(crate) program: Program,
    /// The whole name of the test; nothing, if a program is run.
    pub(crate) test: Option<String>,
}

/// A program that Cargo builds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Program {
    pub(crate) package: String,
    /// The words by which `cargo test` selects it; none for what `cargo run` runs.
    pub(crate) target: Vec<String>,
}

impl TryFrom<String> for Finder {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Self> {
        let words: Vec<_> = text.split(' ').collect();
        let (package, target, test) = match &words[..] {
            ["run", "-p", package] => (package, &[][..], None),
            ["test", "-p", package, target @ .., test]
                if matches!(target, ["--lib"] | ["--bin" | "--test", _]) =>
            {
                (package, target, Some(*test))
            }
            _ => bail!(
                "{text:?}: expected `test -p PACKAGE (--lib | --bin NAME | --test NAME) TEST` \
                 or `run -p PACKAGE`"
            ),
        };
        Ok(Self {
            program: Program::new(package, target),
            test: test.map(str::to_owned),
            text,
        })
    }
}

impl Program {
    pub(crate) fn new(package: &str, target: &[&str]) -> Self {
        Self {
            package: package.to_owned(),
            target: target.iter().map(|&word| word.to_owned()).collect(),
        }
    }
}

impl std::fmt::Display for Finder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cargo {}", self.text)
    }
}

/// A file of mutants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mutant: Vec<Mutant>,
}

/// All mutants, in the order of the files' names.
pub(crate) fn read(directory: &Path) -> Result<Vec<Mutant>> {
    let mut files: Vec<_> = std::fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut mutants = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path)?;
        let file: File = toml::from_str(&text).with_context(|| path.display().to_string())?;
        mutants.extend(file.mutant);
    }
    let mut names = BTreeSet::new();
    for Mutant { what, from, to, .. } in &mutants {
        ensure!(names.insert(what), "two mutants are called {what:?}");
        for text in [from, to] {
            // The switch puts each between brackets of its own.
            let balanced = TokenStream::from_str(text).is_ok();
            ensure!(
                balanced,
                "{what:?}: {text:?} is not Rust, or its brackets do not match"
            );
        }
    }
    Ok(mutants)
}
