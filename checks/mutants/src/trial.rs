//! One run of a program, with a mutant or without.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use wait_timeout::ChildExt;

use crate::build::Built;
use crate::mutant::Finder;
use crate::tree::VARIABLE;

/// A mutant may make a loop endless. The slowest honest run takes a tenth of this.
const LONGEST: Duration = Duration::from_secs(300);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// There is no such test.
    NoTest,
}

/// Runs what finds the mutant with this number, or without any.
pub(crate) fn run(finder: &Finder, built: &Built, mutant: Option<usize>) -> Result<Ended> {
    let mut command = Command::new(&built.file);
    if let Some(test) = &finder.test {
        command.args(["--exact", test]);
    }
    command.env_remove(VARIABLE);
    if let Some(number) = mutant {
        command.env(VARIABLE, number.to_string());
    }
    let mut child = command
        .current_dir(&built.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", built.file.display()))?;
    // Read beside it, so that it never waits for a full pipe.
    let mut stdout = child.stdout.take().context("a pipe")?;
    let reading = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).map(|_| text)
    });
    let Some(status) = child.wait_timeout(LONGEST)? else {
        child.kill()?;
        child.wait()?;
        return Ok(Ended::Failed);
    };
    let text = reading.join().expect("reading does not panic")?;
    let none = finder.test.is_some() && String::from_utf8_lossy(&text).contains("running 0 tests");
    Ok(match status.success() {
        true if none => Ended::NoTest,
        true => Ended::Passed,
        false => Ended::Failed,
    })
}
