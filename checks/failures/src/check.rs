//! Runs every case with every fault, and prints a table.

mod calls;
mod cases;
mod judge;
mod planted;
mod trace;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use clap::Parser;

use calls::Calls;
use cases::{Case, Library, files};
use judge::{Failed, Left, STATE, Well, judge};
use trace::{Plan, run};

/// Lets every call of the klero command to the operating system fail once.
#[derive(Parser)]
struct Args {
    /// The command.
    #[arg(long, default_value = "target/release/klero")]
    klero: PathBuf,
    /// Only the cases with this word in their names.
    #[arg(long, default_value = "")]
    only: String,
    /// How many calls of a kind lie from one that is made to fail to the next.
    #[arg(long, default_value_t = 1)]
    step: usize,
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
    let library = dir.path().join("library");
    std::fs::create_dir(&library)?;
    let library = Library::new(&klero, library)?;
    let runner = Runner {
        library,
        dir: dir.path().join("run"),
        step: args.step.max(1),
    };
    let this = std::env::current_exe()?;
    for (kind, case) in &planted::ALL {
        let mut found = Vec::new();
        for calls in calls::ALL.iter().filter(|calls| calls.name == *kind) {
            runner.every_call(&this, case, calls, &mut found)?;
        }
        ensure!(
            !found.is_empty(),
            "a planted fault is not found: {}",
            case.name
        );
        println!("planted and found: {}", case.name);
    }
    let mut found = Vec::new();
    for case in cases::ALL
        .iter()
        .filter(|case| case.name.contains(&args.only))
    {
        println!("\n{}: klero {}", case.name, case.arguments);
        for calls in &calls::ALL {
            let [right, refused] = runner.every_call(&klero, case, calls, &mut found)?;
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

struct Runner {
    library: Library,
    /// Where a case runs; empty before it does.
    dir: PathBuf,
    step: usize,
}

impl Runner {
    /// Lets each call of a kind fail once, in each way. Counts the runs that ended well.
    fn every_call(
        &self,
        program: &Path,
        case: &Case,
        calls: &'static Calls,
        found: &mut Vec<String>,
    ) -> anyhow::Result<[usize; 2]> {
        let (_, right) = self.run(program, case, None)?;
        self.fresh(case)?;
        let before = files(&self.dir)?;
        let mut well = [0; 2];
        for fault in calls.faults.iter().copied() {
            for number in (1..).step_by(self.step) {
                let plan = Plan {
                    calls,
                    number,
                    fault,
                };
                let (about, left) = self.run(program, case, Some(plan))?;
                let Some(about) = about else { break };
                ensure!(
                    number < MOST,
                    "{}: too many calls of {}",
                    case.name,
                    calls.name
                );
                let failed = Failed {
                    calls,
                    fault,
                    about: &about,
                    message: about.ends_with("/stderr"),
                };
                let judged = judge(case.result, &failed, &before, &right, &left);
                let judged = match judged {
                    Ok(_) if left.files.contains_key(STATE.as_ref() as &Path) => {
                        self.goes_on(program, case, &right)?.and(judged)
                    }
                    judged => judged,
                };
                match judged {
                    Ok(Well::Right) => well[0] += 1,
                    Ok(Well::Refused) => well[1] += 1,
                    Err(reason) => found.push(format!(
                        "{}: {} {number} ({}) fails, {fault}: {reason}",
                        case.name, calls.name, failed.about
                    )),
                }
            }
        }
        Ok(well)
    }

    /// Runs an audit once more, from the state that it left. Then it must have come as far, with the
    /// same result, as one that nothing has stopped.
    fn goes_on(
        &self,
        program: &Path,
        case: &Case,
        right: &Left,
    ) -> anyhow::Result<Result<(), String>> {
        let (_, left) = self.run_here(program, case, None)?;
        let state = |left: &Left| left.files.get(STATE.as_ref() as &Path).cloned();
        Ok(
            if left.status == right.status && state(&left) == state(right) {
                Ok(())
            } else {
                let text = left.stderr + &String::from_utf8_lossy(&left.stdout);
                Err(format!(
                    "the next run from its state ends otherwise: {text}"
                ))
            },
        )
    }

    /// Runs a case from the beginning.
    fn run(
        &self,
        program: &Path,
        case: &Case,
        plan: Option<Plan>,
    ) -> anyhow::Result<(Option<String>, Left)> {
        self.fresh(case)?;
        self.run_here(program, case, plan)
    }

    /// Runs a case, and returns what the failed call was about, if it was reached.
    fn run_here(
        &self,
        program: &Path,
        case: &Case,
        plan: Option<Plan>,
    ) -> anyhow::Result<(Option<String>, Left)> {
        let output = |name| self.dir.with_file_name(name);
        let mut command = Command::new(program);
        command
            .args(case.arguments.split(' '))
            .current_dir(&self.dir)
            .env("RAYON_NUM_THREADS", "2")
            .stdin(std::process::Stdio::null())
            .stdout(File::create(output("stdout"))?)
            .stderr(File::create(output("stderr"))?);
        let ended = run(&mut command, plan)?;
        let left = Left {
            status: ended.status,
            stdout: std::fs::read(output("stdout"))?,
            stderr: String::from_utf8_lossy(&std::fs::read(output("stderr"))?).into_owned(),
            files: files(&self.dir)?,
        };
        Ok((ended.failed, left))
    }

    /// Empties the directory, and puts the files of a case there.
    fn fresh(&self, case: &Case) -> anyhow::Result<()> {
        match std::fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => std::fs::create_dir(&self.dir)?,
        }
        self.library.prepare(case, &self.dir)
    }
}
