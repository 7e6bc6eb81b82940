//! Runs the test vectors of ECVRF on a peer in a shared object, and prints for each flag how often
//! the peer agrees.
//!
//! The peer runs in a process of its own. If this ends in a test, the test has failed, and the next
//! one is run in a new process.

mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use klero_peer::plugin::Plugin;
use vectors::{File, Item, Outcome, Verdict, Work};

const WORKS: [Work; 3] = [Work::Verify, Work::Batch, Work::Prove];
const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/ecvrf.json");
const USAGE: &str = "usage: klero-peer-vectors PEER [VECTORS]
  PEER     a shared object with the symbols of bench/README.md
  VECTORS  the file of vectors (default: vectors/ecvrf.json of the checkout)
exit status: 0 the peer agrees with all that it supports, 1 it does not, 2 nothing could be run";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [peer] if !peer.starts_with('-') => report(peer, VECTORS),
        [peer, file] => report(peer, file),
        [peer, file, first] => child(peer, file, first).map(|()| true),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

fn load(file: &str) -> Result<File> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
    serde_json::from_str(&text).with_context(|| format!("{file} is no file of vectors"))
}

/// Each piece of work: a test and what the peer is asked to do with it.
fn pieces(items: &[Item<'_>]) -> Vec<(usize, Work)> {
    let tests = 0..items.len();
    tests
        .flat_map(|test| WORKS.map(|work| (test, work)))
        .collect()
}

/// Runs the pieces from one on, and writes a letter for each when it is done.
fn child(peer: &str, file: &str, first: &str) -> Result<()> {
    let (peer, file) = (Plugin::load(Path::new(peer), None)?, load(file)?);
    let items = file.items();
    for (test, work) in pieces(&items).into_iter().skip(first.parse()?) {
        let letter = match items[test].run(&peer, work) {
            Outcome::Agrees => "a",
            Outcome::Disagrees => "d",
            Outcome::NotRun => "n",
        };
        writeln!(stdout(), "{letter}")?;
        stdout().flush()?;
    }
    Ok(())
}

/// The outcome of each piece, or none if the process ended in it.
fn outcomes(peer: &str, file: &str, count: usize) -> Result<Vec<Option<Outcome>>> {
    let mut outcomes = Vec::new();
    while outcomes.len() < count {
        let mut process = Command::new(env::current_exe()?)
            .args([peer, file, &outcomes.len().to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("no output")?;
        for line in BufReader::new(output).lines() {
            outcomes.push(Some(match &line?[..] {
                "a" => Outcome::Agrees,
                "d" => Outcome::Disagrees,
                "n" => Outcome::NotRun,
                // What the peer itself prints.
                _ => continue,
            }));
        }
        if process.wait()?.success() {
            break;
        }
        outcomes.push(None);
    }
    if outcomes.len() != count {
        bail!("{} outcomes for {count} pieces of work", outcomes.len());
    }
    Ok(outcomes)
}

/// How often a peer agrees and disagrees.
#[derive(Clone, Copy, Default)]
struct Count {
    agrees: usize,
    disagrees: usize,
}

/// Prints what the peer does; whether it agrees with everything.
fn report(peer: &str, path: &str) -> Result<bool> {
    // Errors before the first test are those of the arguments.
    let name = Plugin::load(Path::new(peer), Some(peer)).map(|_| peer)?;
    let file = load(path)?;
    let items = file.items();
    let pieces = pieces(&items);
    let outcomes = outcomes(peer, path, pieces.len())?;

    let mut flags = BTreeMap::<&str, [Count; 3]>::new();
    let (mut suites, mut failures) = (BTreeSet::new(), Vec::new());
    for (&(test, work), outcome) in pieces.iter().zip(outcomes) {
        let item = items[test];
        if outcome == Some(Outcome::NotRun) {
            continue;
        }
        suites.insert(item.suite());
        let agrees = outcome == Some(Outcome::Agrees);
        for flag in &item.test.flags {
            let count = &mut flags.entry(flag).or_default()[work as usize];
            if agrees {
                count.agrees += 1;
            } else {
                count.disagrees += 1;
            }
        }
        if !agrees {
            failures.push(failure(item, work, outcome.is_none()));
        }
    }
    if suites.is_empty() {
        bail!("{name} supports no suite of the vectors");
    }
    print!("{}", table(name, &suites, &flags, &failures));
    Ok(failures.is_empty())
}

fn failure(item: Item<'_>, work: Work, ended: bool) -> String {
    let test = item.test;
    let what = match (ended, work, test.result) {
        (true, ..) => "the process ended",
        (_, Work::Prove, _) => "another proof or output",
        (_, Work::Batch, Verdict::Invalid) => "accepted in a batch",
        (_, Work::Batch, _) => "not accepted in a batch, or with another output",
        (_, Work::Verify, Verdict::Invalid) => "accepted",
        (_, Work::Verify, _) => "not accepted, or with another output",
    };
    let (id, flags, suite) = (test.tc_id, test.flags.join(" "), item.suite());
    format!("{id:>5}  {suite}  {flags}: {}: {what}\n", test.comment)
}

fn table(
    name: &str,
    suites: &BTreeSet<&str>,
    flags: &BTreeMap<&str, [Count; 3]>,
    failures: &[String],
) -> String {
    let mut text = format!("{name}\nsuites: ");
    text += &suites.iter().copied().collect::<Vec<_>>().join(", ");
    text += "\n\nagrees / disagrees          verify          batch          prove\n";
    for (flag, counts) in flags {
        text += &format!("{flag:<20}");
        for Count { agrees, disagrees } in counts {
            text += &match agrees + disagrees {
                0 => format!("{:>15}", "-"),
                _ => format!("{:>15}", format!("{agrees} / {disagrees}")),
            };
        }
        text += "\n";
    }
    if !failures.is_empty() {
        text += "\ntests with another answer:\n";
        text += &failures.concat();
    }
    text
}
