//! Runs every case with every fault, and prints a table.

mod calls;
mod cases;
mod judge;
mod planted;
mod trace;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use clap::Parser;

use calls::Calls;
use cases::{Library, Outcome, files};
use judge::{Expected, Failed, Left, STATE};
use trace::{Plan, run};

/// Lets every call of the klero command to the operating system fail once.
#[derive(Parser)]
struct Args {
    /// The command.
    #[arg(long, default_value = "target/release/klero")]
    klero: PathBuf,
    /// Only the cases with this text in their arguments.
    #[arg(long, default_value = "")]
    only: String,
    /// Be a program with this fault.
    #[arg(long, hide = true)]
    plant: Option<String>,
}

/// More calls of one kind than any case makes: a run that never ends.
const MOST: usize = 20_000;

pub fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if let Some(name) = args.plant {
        return planted::run(&name);
    }
    let klero = args.klero.canonicalize().with_context(|| {
        let path = args.klero.display();
        format!("{path}: expected the command, built by `cargo build --release`")
    })?;
    let dir = tempfile::tempdir()?;
    let library = Library::new(&klero, dir.path().join("library"))?;
    let this = std::env::current_exe()?;
    let mut found = Vec::new();
    for (kind, what) in planted::ALL {
        let arguments = format!("--plant {kind}");
        let trial = Trial::new(&library, dir.path(), &this, &arguments)?;
        for calls in calls::ALL.iter().filter(|calls| calls.name == kind) {
            trial.every_call(calls, &mut found)?;
        }
        ensure!(!found.is_empty(), "a planted fault is not found: {what}");
        println!("planted and found: {what}");
        found.clear();
    }
    let chosen = cases::ALL
        .iter()
        .filter(|arguments| arguments.contains(&args.only));
    for arguments in chosen {
        println!("\nklero {arguments}");
        let trial = Trial::new(&library, dir.path(), &klero, arguments)?;
        for calls in &calls::ALL {
            let [right, refused] = trial.every_call(calls, &mut found)?;
            println!("  {:8} {right:6} right, {refused:6} refused", calls.name);
        }
    }
    for fault in &found {
        println!("\nFAULT: {fault}");
    }
    match found.len() {
        0 => Ok(()),
        count => bail!("{count} runs ended as they must not"),
    }
}

/// A case that is run by a program, again and again.
struct Trial<'a> {
    library: &'a Library,
    program: &'a Path,
    arguments: &'a str,
    /// Where it runs; empty before it does.
    dir: PathBuf,
    expected: Expected,
}

impl<'a> Trial<'a> {
    /// Runs the case without a fault. `dir` is for the output and the directory that it runs in.
    fn new(
        library: &'a Library,
        dir: &Path,
        program: &'a Path,
        arguments: &'a str,
    ) -> anyhow::Result<Self> {
        let mut trial = Self {
            library,
            program,
            arguments,
            dir: dir.join("run"),
            expected: Expected {
                outcome: Outcome::of(arguments),
                ..Expected::default()
            },
        };
        trial.fresh()?;
        trial.expected.before = files(&trial.dir)?;
        (_, trial.expected.right) = trial.run(None)?;
        let Left { status, stderr, .. } = &trial.expected.right;
        ensure!(matches!(status, Some(0 | 1)), "{arguments}: {stderr}");
        Ok(trial)
    }

    /// Lets each call of a kind fail once, in each way. Counts the runs that ended with the right
    /// result, and those that ended with an error.
    fn every_call(
        &self,
        calls: &'static Calls,
        found: &mut Vec<String>,
    ) -> anyhow::Result<[usize; 2]> {
        let mut well = [0; 2];
        for &fault in calls.faults {
            for number in 1.. {
                let plan = Plan {
                    calls,
                    number,
                    fault,
                };
                self.fresh()?;
                let (Some(about), left) = self.run(Some(plan))? else {
                    break;
                };
                let (case, kind) = (self.arguments, calls.name);
                ensure!(number < MOST, "{case}: too many calls of {kind}");
                let failed = Failed { plan, about };
                let mut judged = self.expected.judge(&failed, &left);
                if judged.is_ok() && left.state().is_some() {
                    judged = self.goes_on()?.and(judged);
                }
                match judged {
                    Ok(how) => well[how as usize] += 1,
                    Err(reason) => found.push(format!(
                        "{case}: {kind} {number} ({}) fails, {fault}: {reason}",
                        failed.about
                    )),
                }
            }
        }
        Ok(well)
    }

    /// Runs an audit once more, from the state that it left. Then it must have come as far, with
    /// the same result, as one that nothing has stopped.
    fn goes_on(&self) -> anyhow::Result<Result<(), String>> {
        let (_, left) = self.run(None)?;
        let right = &self.expected.right;
        if left.status == right.status && left.state() == right.state() {
            return Ok(Ok(()));
        }
        let text = left.stderr + &String::from_utf8_lossy(&left.stdout);
        Ok(Err(format!(
            "the next run from {STATE} ends otherwise: {text}"
        )))
    }

    /// Runs the case, and returns what the failed call was about, if it was reached.
    fn run(&self, plan: Option<Plan>) -> anyhow::Result<(Option<String>, Left)> {
        let output = |name| self.dir.with_file_name(name);
        let mut command = Command::new(self.program);
        command
            .args(self.arguments.split(' '))
            .current_dir(&self.dir)
            .env("RAYON_NUM_THREADS", "2")
            .stdin(Stdio::null())
            .stdout(File::create(output("stdout"))?)
            .stderr(File::create(output("stderr"))?);
        let (status, failed) = run(&mut command, plan)?;
        let left = Left {
            status,
            stdout: fs::read(output("stdout"))?,
            stderr: String::from_utf8_lossy(&fs::read(output("stderr"))?).into_owned(),
            files: files(&self.dir)?,
        };
        Ok((failed, left))
    }

    /// Empties the directory, and puts the files of the case there.
    fn fresh(&self) -> anyhow::Result<()> {
        if self.dir.exists() {
            fs::remove_dir_all(&self.dir)?;
        }
        fs::create_dir(&self.dir)?;
        Ok(self.library.give(self.arguments, &self.dir)?)
    }
}
