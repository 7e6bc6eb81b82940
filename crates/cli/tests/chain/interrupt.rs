//! Ctrl-C, SIGTERM, and a run that is killed.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use klero_cardano::Era;
use klero_forge::Recipe;

use crate::common::Place;
use crate::db::Chain;
use crate::run::{json, report, total};

/// A chain that takes seconds with one thread.
fn long() -> Chain {
    Chain::forged(&Recipe {
        // A debug build takes as long for fewer blocks.
        k: if cfg!(debug_assertions) { 225 } else { 900 },
        f: "0.9".into(),
        stakes: vec![1],
        ..Recipe::of_eras(&[(Era::Conway, 2)])
    })
}

fn interrupt(child: &Child) {
    signal(child, "-INT");
}

fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

fn start(chain: &Chain, options: &str) -> Child {
    Command::new(cargo_bin("klero"))
        .args(["chain", "verify"])
        .arg(&chain.dir)
        .args(format!("{} --threads 1 {options}", chain.options).split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Interrupts a run after `after` milliseconds. Returns its status and what it printed.
fn interrupted(chain: &Chain, options: &str, after: u64) -> (Option<i32>, String) {
    stopped(chain, options, after, "-INT")
}

fn stopped(chain: &Chain, options: &str, after: u64, how: &str) -> (Option<i32>, String) {
    let mut child = start(chain, options);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdout.read_line(&mut text).unwrap(); // It has begun.
    sleep(Duration::from_millis(after));
    let pressed = Instant::now();
    signal(&child, how);
    stdout.read_to_string(&mut text).unwrap();
    let mut stderr = String::new();
    let mut from = child.stderr.take().unwrap();
    from.read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
    let status = child.wait().unwrap().code();
    assert!(pressed.elapsed() < Duration::from_secs(10));
    (status, text)
}

/// Waiting times in milliseconds. Machines differ; one of these ends in the middle of a run.
const WAITS: [u64; 8] = [100, 50, 200, 20, 400, 800, 1600, 5];

#[test]
fn it_says_what_was_checked() {
    let chain = long();
    let text = WAITS.iter().find_map(|wait| {
        let (status, text) = interrupted(&chain, "", *wait);
        (status == Some(130)).then_some(text)
    });
    let text = text.unwrap();
    assert!(
        text.contains("Interrupted: nothing wrong so far. Valid: "),
        "{text}"
    );
}

#[test]
fn the_next_run_goes_on() {
    for how in ["-INT", "-TERM"] {
        goes_on_after(how);
    }
}

fn goes_on_after(how: &str) {
    let chain = long();
    let place = Place::new();
    let state = place.path("state");
    let options = format!("--state {} --json", state.display());
    let blocks = chain.blocks.len() as u64;
    let (part, checked) = WAITS
        .iter()
        .find_map(|wait| {
            let _ = fs::remove_file(&state);
            let (status, text) = stopped(&chain, &options, *wait, how);
            let part = json(&text);
            let checked = total(&part, "blocks");
            assert_eq!(status == Some(130), part["complete"] == false);
            assert!(status != Some(0) || checked == blocks);
            (checked > 0 && checked < blocks).then_some((part, checked))
        })
        .unwrap();
    assert_eq!(part["result"], "interrupted");
    assert_eq!(part["tip"]["number"], checked - 1);
    let unread = chain.blocks[checked as usize..].iter();
    assert_eq!(
        part["unread_bytes"],
        unread.map(|block| block.size).sum::<u64>()
    );
    assert_eq!(total(&part, "valid"), total(&part, "proofs"));
    let last = &chain.blocks[checked as usize - 1];
    assert_eq!(part["state"]["after"]["slot"], last.place.slot);

    let options = format!("{} --state {}", chain.options, state.display());
    let rest = report(&chain.dir, &options, 0);
    assert_eq!(total(&rest, "blocks") + checked, blocks);
    assert_eq!(rest["state"]["checked"]["proofs"], chain.proofs_from(0));
}

#[test]
fn a_state_is_saved_after_each_epoch() {
    let chain = Chain::forged(&Recipe {
        k: if cfg!(debug_assertions) { 225 } else { 900 },
        f: "0.9".into(),
        stakes: vec![1],
        ..Recipe::of_eras(&[(Era::Conway, 4)])
    });
    let place = Place::new();
    let state = place.path("state");
    let options = format!("--state {}", state.display());
    let mut child = start(&chain, &options);
    while !state.exists() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    // It was killed in the middle of the chain, before it could print or save anything more.
    assert_eq!(child.wait().unwrap().code(), None);
    let saved = json(&fs::read_to_string(&state).unwrap());
    let slot = saved["state"]["last"]["slot"].as_u64().unwrap();
    let epoch = chain.network.epoch(slot);
    assert!((1..3).contains(&epoch), "{epoch}");
    // At most a segment of blocks into its epoch.
    assert!(slot < chain.network.first_slot(epoch) + 3000, "{slot}");

    let options = format!("{} {options}", chain.options);
    let rest = report(&chain.dir, &options, 0);
    let before = chain.blocks.iter().filter(|block| block.place.slot <= slot);
    let before = before.count() as u64;
    assert_eq!(total(&rest, "blocks") + before, chain.blocks.len() as u64);
    assert_eq!(rest["state"]["checked"]["proofs"], chain.proofs_from(0));
}

#[test]
fn twice_is_at_once() {
    let chain = long();
    let mut child = start(&chain, "");
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdout.read_line(&mut text).unwrap();
    sleep(Duration::from_millis(20));
    interrupt(&child);
    sleep(Duration::from_millis(2));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
