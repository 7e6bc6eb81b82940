//! Plants known faults in the source, one at a time, and demands that a named test finds each.
//!
//! A test that cannot fail shows nothing. Each file in `mutants/` lists faults in a part of the
//! repository: weights of half the bits, a comparison left out, a carry lost. The program copies the
//! repository, builds the copy once with all faults in it, each behind a switch, and runs for each the test
//! that must fail with it. It also runs every such test without a fault, and then all must pass.
//!
//! ```text
//! cargo run --release -p klero-mutants                  # all of them
//! cargo run --release -p klero-mutants -- --only weight # those with this word in their description
//! ```

mod build;
mod mutant;
mod tree;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail, ensure};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use build::Built;
use mutant::{Finder, Mutant, Program};
use trial::Ended;

/// Plants known faults in the source, one at a time, and demands that a named test finds each.
#[derive(Parser)]
struct Args {
    /// Only mutants with this text in their description or their file, or with one of several.
    #[arg(long)]
    only: Vec<String>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..").canonicalize()?;
    let mutants = mutant::read(&here.join("mutants"))?;
    let chosen = chosen(&mutants, &args.only)?;

    let work = root.join("target/mutants");
    let copy = work.join("tree");
    tree::write(&root, &copy, &mutants)?;
    lend_data(&root, &work)?;
    let programs = chosen.iter().map(|(_, mutant)| &mutant.found_by.program);
    let programs: BTreeSet<_> = programs.cloned().collect();
    let built = build::build(&copy, &work.join("build"), &programs)?;

    // What fails without a mutant would find anything.
    let finders: BTreeSet<_> = chosen.iter().map(|(_, mutant)| &mutant.found_by).collect();
    let honest: Vec<_> = finders.iter().map(|finder| (None, *finder)).collect();
    let ended = run_all("tests without a mutant", &honest, &built)?;
    for (finder, ended) in finders.iter().zip(ended) {
        match ended {
            Ended::Passed => {}
            Ended::Failed => bail!("`{finder}` fails without a mutant"),
            Ended::NoTest => bail!("`{finder}` runs no test"),
        }
    }

    let planted = chosen
        .iter()
        .map(|(number, mutant)| (Some(*number), &mutant.found_by));
    let ended = run_all("mutants", &planted.collect::<Vec<_>>(), &built)?;
    let mut found = 0;
    for ((_, mutant), ended) in chosen.iter().zip(ended) {
        match ended {
            Ended::Failed => found += 1,
            _ => println!(
                "{}: {}: `{}` passes",
                mutant.file, mutant.what, mutant.found_by
            ),
        }
    }
    let (all, tests) = (chosen.len(), finders.len());
    println!("Of {all} mutants {found} were found, by {tests} tests");
    ensure!(found == all, "not every mutant is found");
    Ok(())
}

/// The mutants with one of these texts in their description or their file, and their numbers; all,
/// without a text.
fn chosen<'a>(mutants: &'a [Mutant], only: &[String]) -> Result<Vec<(usize, &'a Mutant)>> {
    let has =
        |mutant: &Mutant, text: &String| mutant.what.contains(text) || mutant.file.contains(text);
    let is_chosen =
        |(_, mutant): &(_, &Mutant)| only.is_empty() || only.iter().any(|text| has(mutant, text));
    let chosen: Vec<_> = mutants.iter().enumerate().filter(is_chosen).collect();
    ensure!(!chosen.is_empty(), "no mutant has {}", only.join(" or "));
    Ok(chosen)
}

/// Tests look for large data beside the repository, and so beside the copy.
fn lend_data(root: &Path, work: &Path) -> Result<()> {
    let (data, link) = (root.join("../shared"), work.join("shared"));
    if data.is_dir() && !link.exists() {
        #[cfg(unix)]
        std::os::unix::fs::symlink(data, link)?;
    }
    Ok(())
}

/// A run: with the mutant of this number, or without; and what finds it.
type Run<'a> = (Option<usize>, &'a Finder);

/// Makes all runs, on each processor one at a time, and returns how they ended, in order.
fn run_all(what: &str, runs: &[Run<'_>], built: &BTreeMap<Program, Built>) -> Result<Vec<Ended>> {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}} of {{len}} {what}"))?;
    let bar = ProgressBar::new(runs.len() as u64).with_style(style);
    let ended = runs.par_iter().map(|(number, finder)| {
        let ended = trial::run(finder, &built[&finder.program], *number);
        bar.inc(1);
        ended
    });
    let ended = ended.collect();
    bar.finish();
    ended
}
