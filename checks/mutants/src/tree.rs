//! A copy of the repository in which every mutant can be switched on.
//!
//! Where a mutant changes an expression, the copy has `if crate::planted_mutant::on(17) { wrong } else { right }`,
//! and every crate has a module `planted_mutant` that reads the number from the environment. So one build
//! serves all mutants, and the repository itself has no trace of them.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::mutant::Mutant;

/// The variable with the number of the mutant that is on.
pub(crate) const VARIABLE: &str = "KLERO_MUTANT";

/// What every crate gets. The numbers begin with 0.
const SWITCH: &str = r#"
mod planted_mutant {
    extern crate std;

    pub(crate) fn on(number: usize) -> bool {
        static ON: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
        *ON.get_or_init(|| std::env::var("KLERO_MUTANT").ok()?.parse().ok()) == Some(number)
    }
}
"#;

/// Copies the tracked files of the repository, with the mutants. What is there already and does not
/// change keeps its time, so that Cargo builds the rest alone.
pub(crate) fn write(root: &Path, copy: &Path, mutants: &[Mutant]) -> Result<()> {
    let tracked = tracked(root)?;
    for Mutant { what, file, .. } in mutants {
        let is_tracked = tracked.iter().any(|tracked| tracked == Path::new(file));
        ensure!(
            is_tracked,
            "{file} of {what:?} is not a file of the repository"
        );
    }
    for file in tracked {
        let mut bytes = fs::read(root.join(&file))?;
        let of_file = mutants.iter().enumerate();
        let of_file: Vec<_> = of_file
            .filter(|(_, mutant)| Path::new(&mutant.file) == file)
            .collect();
        let is_root = is_root_of_crate(&file);
        if is_root || !of_file.is_empty() {
            let text = String::from_utf8(bytes).context("source in UTF-8")?;
            let switch = if is_root { SWITCH } else { "" };
            bytes = (with_mutants(&text, &of_file)? + switch).into_bytes();
        }
        write_if_new(&copy.join(&file), &bytes)?;
    }
    Ok(())
}

/// The files that git tracks, and those that it does not know yet and does not ignore.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let arguments = "ls-files -z --cached --others --exclude-standard";
    let output = Command::new("git")
        .args(arguments.split(' '))
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    ensure!(output.status.success(), "git ls-files failed");
    let names = String::from_utf8(output.stdout).context("names in UTF-8")?;
    let names = names.split_terminator('\0').map(PathBuf::from);
    Ok(names.filter(|name| root.join(name).is_file()).collect())
}

/// Whether a crate of the workspace begins with this file.
fn is_root_of_crate(file: &Path) -> bool {
    file.ends_with("src/lib.rs") || file.ends_with("src/main.rs")
}

/// A mutant with its number.
type Numbered<'a> = (usize, &'a Mutant);

/// The text in which each of its mutants is chosen by its number.
fn with_mutants(text: &str, mutants: &[Numbered<'_>]) -> Result<String> {
    let mut places: BTreeMap<usize, (Range<usize>, Vec<Numbered<'_>>)> = BTreeMap::new();
    for &(number, mutant) in mutants {
        let range = find(text, mutant).with_context(|| format!("mutant {:?}", mutant.what))?;
        let (known, here) = places.entry(range.start).or_insert((range.clone(), vec![]));
        ensure!(
            *known == range,
            "mutants {:?} and {:?} begin at one place and end at two",
            here[0].1.what,
            mutant.what
        );
        here.push((number, mutant));
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, mutants) in places.into_values() {
        ensure!(
            at <= range.start,
            "mutant {:?} overlaps with another",
            mutants[0].1.what
        );
        out += &text[at..range.start];
        out += &choice(&text[range.clone()], &mutants);
        at = range.end;
    }
    Ok(out + &text[at..])
}

/// Where the text has what the mutant changes.
fn find(text: &str, mutant: &Mutant) -> Result<Range<usize>> {
    let Mutant { after, from, .. } = mutant;
    let begin = text
        .find(after)
        .with_context(|| format!("{} does not have {after:?}", mutant.file))?;
    let mut found = text[begin..].match_indices(from.as_str());
    let (at, _) = found
        .next()
        .with_context(|| format!("{} does not have {from:?}", mutant.file))?;
    ensure!(
        !after.is_empty() || found.next().is_none(),
        "{} has {from:?} more than once; say what it comes after",
        mutant.file
    );
    Ok(begin + at..begin + at + from.len())
}

/// Source that does the right thing unless a mutant is on.
fn choice(right: &str, mutants: &[Numbered<'_>]) -> String {
    let wrong = mutants.iter().map(|(number, mutant)| {
        format!(
            "if crate::planted_mutant::on({number}) {{ {} }} else ",
            mutant.to.trim()
        )
    });
    let chosen = format!("{}{{ {right} }}", wrong.collect::<String>());
    // Statements need no parentheses, and may not have them.
    if right.trim_end().ends_with([';', '}']) {
        chosen
    } else {
        format!("({chosen})")
    }
}

fn write_if_new(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant;

    /// So that no change of the source goes by that a mutant does not follow.
    #[test]
    fn every_mutant_finds_its_place() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mutants = mutant::read(&here.join("mutants")).unwrap();
        for mutant in &mutants {
            let text = fs::read_to_string(here.join("../..").join(&mutant.file)).unwrap();
            let changed = with_mutants(&text, &[(0, mutant)]).unwrap();
            assert_ne!(changed, text, "{:?}", mutant.what);
            // Neither a binding nor an arm of a match can stand in a block of its own.
            let from = mutant.from.trim();
            let is_whole = !from.starts_with("let ") && !from.ends_with(',');
            assert!(is_whole, "{:?}: {from:?} is no expression", mutant.what);
        }
    }

    #[test]
    fn every_finder_is_in_its_program() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for mutant in mutant::read(&here.join("mutants")).unwrap() {
            let finder = &mutant.found_by;
            let Some(test) = &finder.test else { continue };
            let package = finder.program.package.trim_start_matches("klero-");
            // A crate stands alone, or in the folder of a product.
            let folders = fs::read_dir(here.join("../../crates")).unwrap();
            let package = folders
                .map(|folder| folder.unwrap().path())
                .flat_map(|folder| [folder.with_file_name(package), folder.join(package)])
                .find(|package| package.join("Cargo.toml").exists())
                .unwrap_or_else(|| panic!("{:?}: there is no {package}", mutant.what));
            let first = test.split("::").next().unwrap();
            let (roots, item) = match &finder.program.target[..] {
                // A macro may make a module of tests, so that its name alone is looked for.
                [_, name] => {
                    let roots = [format!("tests/{name}.rs"), format!("tests/{name}/main.rs")];
                    (roots.to_vec(), first.to_owned())
                }
                _ => (vec!["src/lib.rs".into()], format!("mod {first};")),
            };
            let text = roots
                .iter()
                .find_map(|root| fs::read_to_string(package.join(root)).ok())
                .unwrap_or_else(|| panic!("{:?}: there is no {}", mutant.what, roots[0]));
            assert!(
                text.contains(&item),
                "{:?}: there is no {item}",
                mutant.what
            );
        }
    }
}
