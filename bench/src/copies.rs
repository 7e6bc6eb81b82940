//! Copies of the program. A loop can take half as long again in one copy as in another, for as long as
//! both stay in memory, depending on the pages that its code lies in. So copies of this program, and
//! of the peers' shared objects that it built, measure one after the other, and the best of each contender counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use klero_measure::{Fact, Run};

use crate::compile::{self, SharedObject};

/// The number of copies.
pub const COPIES: usize = 3;

/// The largest size of what a copy measured, in bytes.
const MEASURED: u64 = 1 << 28;

/// Has each copy measure as this program was told to, and takes the best of them.
pub fn measure() -> Result<Run> {
    let mut runs = Vec::with_capacity(COPIES);
    for number in 1..=COPIES {
        eprintln!("Copy {number} of {COPIES} measures");
        let run = measure_copy();
        runs.push(run.with_context(|| format!("copy {number} of this program"))?);
    }
    Run::best_of(runs).context("the copies measured different rows")
}

fn measure_copy() -> Result<Run> {
    let beside = compile::directory()?;
    let place = tempfile::Builder::new()
        .prefix("copy-")
        .tempdir_in(&beside)?;
    let program = place.path().join("klero-bench");
    fs::copy(std::env::current_exe()?, &program)?;
    for object in compile::shared_objects() {
        copy_if_built(&object, &beside, place.path())?;
    }
    let measured = place.path().join("measured.json");
    let status = Command::new(&program)
        .args(std::env::args_os().skip(1))
        .arg("--measured")
        .arg(&measured)
        .status()?;
    ensure!(status.success(), "ended with {status}");
    let json = klero_support::read(&measured, MEASURED)?;
    Ok(serde_json::from_slice(&json)?)
}

/// Peers that did not build are left out of the copies too.
fn copy_if_built(object: &SharedObject, from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (object.beside(from), object.beside(to));
    if from.is_file() {
        fs::create_dir_all(to.parent().context("a file in a directory")?)?;
        fs::copy(from, to)?;
    }
    Ok(())
}

/// How much the copies differed.
pub fn fact(run: &Run) -> Fact {
    let [median, most] = run.slowest_copies().unwrap_or([1.0; 2]);
    let text = format!(
        "{COPIES}, the best of each contender counts; the slowest took {median:.2} times as long in the \
         median, {most:.2} times at most"
    );
    Fact::new("copies of the program", text)
}

/// Where a copy finds a peer.
pub fn find(object: &SharedObject) -> Result<PathBuf> {
    let path = object.beside(&compile::directory()?);
    ensure!(path.is_file(), "it was not built");
    Ok(path)
}
