//! Ctrl-C, SIGTERM, and a run that is killed.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::{fs, thread};

use assert_cmd::cargo::cargo_bin;
use klero_cardano::Era;
use klero_forge::Recipe;
use klero_leader::ActiveSlots;
use nix::sys::signal::Signal::{self, SIGINT, SIGTERM};

use crate::common::{Place, send, with_default_signals};
use crate::db::{Chain, Db};
use crate::run::{json, report, total};

/// A valid chain whose primary indexes are damaged, so that each chunk causes a warning. A pipe cannot hold
/// all warnings. A run therefore waits in the middle of the chain until somebody reads them.
struct Talkative {
    chain: Chain,
    db: Db,
    place: Place,
}

/// A run that has begun: its first line was read.
struct Run {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
    text: String,
}

impl Talkative {
    fn new() -> Self {
        let chain = Chain::forged(&Recipe {
            k: 1,
            f: ActiveSlots::new(2, 5).unwrap(),
            stakes: vec![1],
            ..Recipe::of_eras(&[(Era::Conway, 320)])
        });
        let db = chain.copy(chain.chunks());
        for chunk in 0..chain.chunks() {
            db.change(chunk, "primary", |bytes| bytes.truncate(2));
        }
        let place = Place::new();
        Self { chain, db, place }
    }

    fn options(&self) -> String {
        format!("--state {}", self.place.path("state").display())
    }

    /// Waits until a run has saved its state a second time, and so has verified at least two segments.
    fn saved(&self, run: &mut Run) -> PathBuf {
        let state = self.place.path("state");
        let mut first = None;
        loop {
            let newest = fs::read(&state).ok();
            if first.is_some() && newest != first {
                return state;
            }
            first = newest;
            assert_eq!(run.child.try_wait().unwrap(), None);
            thread::yield_now();
        }
    }

    /// The number of blocks up to a slot, which is the last slot that a state covers.
    fn passed(&self, slot: Option<u64>) -> u64 {
        let blocks = self.chain.blocks.iter();
        let passed = blocks.filter(|block| Some(block.place.slot) <= slot);
        passed.count() as u64
    }

    /// Asserts that the next run skips the first `passed` blocks, and saves a state without the last epoch.
    fn goes_on_after(&self, passed: u64) {
        let rest = report(self.db.dir.path(), &self.options(), 0);
        let blocks = &self.chain.blocks;
        assert_eq!(total(&rest, "blocks") + passed, blocks.len() as u64);
        let last = blocks.last().unwrap().epoch;
        let ended = blocks.iter().filter(|block| block.epoch < last);
        assert_eq!(rest["state"]["totals"]["blocks"], ended.count());
        let proofs = self.chain.proofs_from(0) - self.chain.proofs_from(last);
        assert_eq!(rest["state"]["totals"]["proofs"], proofs);
    }

    fn run(&self, options: &str) -> Run {
        with_default_signals();
        let mut child = Command::new(cargo_bin("klero"))
            .args(["chain", "verify"])
            .arg(self.db.dir.path())
            .args(format!("{} --threads 1 {options}", self.options()).split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::with_capacity(1, child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        stdout.read_line(&mut text).unwrap();
        Run {
            child,
            stdout,
            stderr,
            text,
        }
    }
}

impl Run {
    /// Sends a signal, and waits until the run has reported it.
    fn signal(&mut self, signal: Signal) {
        send(&self.child, signal);
        let mut said = String::new();
        self.stderr.read_line(&mut said).unwrap();
        assert_eq!(said, "klero: interrupted; another signal ends it at once\n");
    }

    /// Waits for the end, and returns all output of the run.
    fn ends(mut self) -> String {
        self.stdout.read_to_string(&mut self.text).unwrap();
        let mut errors = String::new();
        self.stderr.read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "");
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        self.text
    }
}

#[test]
fn it_says_what_was_checked() {
    let test = Talkative::new();
    let mut run = test.run("");
    test.saved(&mut run);
    run.signal(SIGINT);
    let text = run.ends();
    let words = "\nInterrupted: nothing wrong so far. Valid: ";
    assert!(text.contains(words), "{text}");
}

#[test]
fn the_next_run_goes_on() {
    let test = Talkative::new();
    for how in [SIGINT, SIGTERM] {
        let mut run = test.run("--json");
        run.signal(how);
        let part = json(&run.ends());
        assert_eq!(part["complete"], false);
        assert_eq!(part["result"], "interrupted");
        let (blocks, checked) = (test.chain.blocks.len() as u64, total(&part, "blocks"));
        assert!(checked < blocks);
        let unread = test.chain.blocks[checked as usize..].iter();
        let unread: u64 = unread.map(|block| block.size).sum();
        assert_eq!(part["unread_bytes"], unread);
        assert_eq!(total(&part, "valid"), total(&part, "proofs"));
        // The next run begins with the epoch in which this run was interrupted.
        let passed = test.passed(part["state"]["after"]["slot"].as_u64());
        assert!(passed < checked || checked == 0);
        test.goes_on_after(passed);
        fs::remove_file(test.place.path("state")).unwrap();
    }
}

#[test]
fn a_state_is_saved_after_each_epoch() {
    let test = Talkative::new();
    let mut run = test.run("");
    let state = test.saved(&mut run);
    // The run is killed in the middle of the chain, before it can print or save anything more.
    run.child.kill().unwrap();
    assert_eq!(run.child.wait().unwrap().code(), None);
    let saved = json(&fs::read_to_string(&state).unwrap());
    let passed = test.passed(saved["state"]["last"]["slot"].as_u64());
    assert!(0 < passed && passed < test.chain.blocks.len() as u64);
    test.goes_on_after(passed);
}

#[test]
fn twice_is_at_once() {
    let test = Talkative::new();
    let mut run = test.run("--epochs");
    test.saved(&mut run);
    run.signal(SIGINT);
    // With a row for each epoch, the report is more than a pipe holds. Nobody reads it, so only the second
    // signal can end the run.
    send(&run.child, SIGINT);
    assert_eq!(run.child.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    run.stderr.read_to_string(&mut said).unwrap();
    // If the run was saving its state again, the message adds that the file is as it was.
    let state = test.place.path("state");
    let in_a_save = format!("klero: interrupted; {} is as it was\n", state.display());
    assert!(
        said == "klero: interrupted\n" || said == in_a_save,
        "{said}"
    );
}
