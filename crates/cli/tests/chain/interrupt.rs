//! Ctrl-C.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use klero_cardano::Era;
use klero_cardano::forge::Recipe;

use crate::common::Place;
use crate::db::{Chain, small};
use crate::run::{json, report, total};

/// A chain that takes seconds with one thread.
fn long() -> Chain {
    Chain::forged(&Recipe {
        // A checked build takes as long for fewer blocks.
        k: if cfg!(debug_assertions) { 225 } else { 900 },
        f: "0.9".into(),
        stakes: vec![1],
        ..small(&[(Era::Conway, 2)])
    })
}

fn interrupt(child: &Child) {
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
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

/// Interrupts a run after so many milliseconds; its status and what it printed.
fn interrupted(chain: &Chain, options: &str, after: u64) -> (Option<i32>, String) {
    let mut child = start(chain, options);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdout.read_line(&mut text).unwrap(); // It has begun.
    sleep(Duration::from_millis(after));
    let pressed = Instant::now();
    interrupt(&child);
    stdout.read_to_string(&mut text).unwrap();
    let mut stderr = String::new();
    let mut from = child.stderr.take().unwrap();
    from.read_to_string(&mut stderr).unwrap();
    assert_eq!(stderr, "");
    let status = child.wait().unwrap().code();
    assert!(pressed.elapsed() < Duration::from_secs(10));
    (status, text)
}

/// Waiting times to try, since machines differ: one of them ends in the middle of a run.
const WAITS: [u64; 8] = [100, 50, 200, 20, 400, 800, 1600, 5];

#[test]
fn it_says_what_was_checked() {
    let chain = long();
    let text = WAITS.iter().find_map(|wait| {
        let (status, text) = interrupted(&chain, "", *wait);
        (status == Some(130)).then_some(text)
    });
    let text = text.unwrap();
    assert!(text.contains("Interrupted. So far "), "{text}");
    assert!(text.contains(": nothing wrong; "), "{text}");
}

#[test]
fn the_next_run_goes_on() {
    let chain = long();
    let place = Place::new();
    let state = place.path("state");
    let options = format!("--state {} --json", state.display());
    let blocks = chain.blocks.len() as u64;
    let (part, checked) = WAITS
        .iter()
        .find_map(|wait| {
            let _ = fs::remove_file(&state);
            let (status, text) = interrupted(&chain, &options, *wait);
            let part = json(&text);
            let checked = total(&part, "blocks");
            assert_eq!(status == Some(130), part["complete"] == false);
            assert!(status != Some(0) || checked == blocks);
            (checked > 0 && checked < blocks).then_some((part, checked))
        })
        .unwrap();
    assert_eq!(part["result"], "interrupted");
    assert_eq!(total(&part, "valid"), total(&part, "proofs"));
    let last = &chain.blocks[checked as usize - 1];
    assert_eq!(part["state"]["after"]["slot"], last.place.slot);

    let options = format!("{} --state {}", chain.options, state.display());
    let rest = report(&chain.dir, &options, 0);
    assert_eq!(total(&rest, "blocks") + checked, blocks);
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
