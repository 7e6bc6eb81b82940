//! Tests that a signal leaves no partial file, and that standard error describes the state of the output.
#![cfg(unix)]

mod common;

use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use common::{Place, send, with_default_signals};
use nix::sys::signal::Signal;

const KLERO: &str = env!("CARGO_BIN_EXE_klero");

fn start(place: &Place, program: &str, arguments: &[&str]) -> Child {
    with_default_signals();
    Command::new(program)
        .args(arguments)
        .current_dir(place.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the partial file of the command's output exists.
fn wait_for_partial(place: &Place, child: &mut Child) {
    while !place.names().iter().any(|name| name.ends_with(".partial")) {
        assert_eq!(child.try_wait().unwrap(), None);
        thread::sleep(Duration::from_millis(1));
    }
}

#[track_caller]
fn interrupted(output: &Output, words: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, format!("klero: interrupted; {words}\n"));
    assert_eq!(output.status.code(), Some(130));
}

const VERIFY: [&str; 7] = [
    "batch", "verify", "-", "--suite", "praos", "--format", "csv",
];

/// Starts to verify a table. Standard input stays open, so the command waits for more rows.
fn start_table(place: &Place, program: &str, arguments: &[&str]) -> Child {
    let mut child = start(place, program, arguments);
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(b"key,alpha,proof\n").unwrap();
    wait_for_partial(place, &mut child);
    child
}

#[test]
fn a_signal_leaves_no_half_table() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let place = Place::new();
        let line = [&VERIFY[..], &["--out", "out.csv"]].concat();
        let end = |words| {
            let mut child = start_table(&place, KLERO, &line);
            let stdin = child.stdin.take();
            send(&child, signal);
            interrupted(&child.wait_with_output().unwrap(), words);
            drop(stdin);
        };
        end("out.csv was not written");
        assert_eq!(place.names(), [""; 0]);
        place.write("out.csv", "precious");
        end("out.csv is as it was");
        assert_eq!(place.names(), ["out.csv"]);
        assert_eq!(place.read("out.csv"), "precious");
    }
}

/// Starts to write a sample so large that it would take hours.
fn start_sample(place: &Place, out: &str) -> Child {
    let line = format!("sample --suite praos --count 100000000 --out {out}");
    start(place, KLERO, &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn a_signal_ends_a_sample_in_every_format() {
    for name in ["s.csv", "s.jsonl", "s.parquet"] {
        let place = Place::new();
        let mut child = start_sample(&place, name);
        wait_for_partial(&place, &mut child);
        send(&child, Signal::SIGTERM);
        let output = child.wait_with_output().unwrap();
        interrupted(&output, &format!("{name} was not written"));
        assert_eq!(place.names(), [""; 0]);
    }
}

#[test]
fn rows_that_were_printed_are_said_to_be_incomplete() {
    let place = Place::new();
    let mut child = start_sample(&place, "-");
    let mut some = [0; 100];
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut some).unwrap();
    send(&child, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    interrupted(&output, "standard output is incomplete");
}

/// An output that exceeds the limit on file sizes causes an error with its name. No partial file remains.
#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    // `ulimit -f` counts blocks, which have 512 or 1024 bytes, depending on the shell.
    let script = format!("ulimit -f 1; exec {KLERO} \"$@\"");
    let line = "sample --suite praos --count 1000 --out";
    for name in ["s.csv", "s.jsonl", "s.parquet"] {
        let place = Place::new();
        let line: Vec<_> = line.split(' ').chain([name]).collect();
        let shell = [&["-c", &script, "sh"], &line[..]].concat();
        let output = start(&place, "sh", &shell).wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let what = format!("{:?}: {stderr}", output.status);
        let begins = format!("klero: cannot write {name}: ");
        assert!(stderr.starts_with(&begins), "{what}");
        let ends = format!("File too large (os error 27); {name} was not written\n");
        assert!(stderr.ends_with(&ends), "{what}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(place.names(), [""; 0]);
    }
    // The limit also applies to standard output if it is a file.
    let place = Place::new();
    let script = format!("ulimit -f 1; exec {KLERO} sample --suite praos --count 1000 --out - > s");
    let output = start(&place, "sh", &["-c", &script])
        .wait_with_output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = "klero: cannot write standard output: File too large";
    assert!(
        stderr.starts_with(expected),
        "{:?}: {stderr}",
        output.status
    );
    assert_eq!(output.status.code(), Some(2));
}

/// `nohup` makes a program ignore SIGHUP, and a shell makes background jobs ignore Ctrl-C (SIGINT). Signals
/// that are not ignored still end such a program.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    for (name, ignored, other) in [
        ("HUP", Signal::SIGHUP, Signal::SIGINT),
        ("INT", Signal::SIGINT, Signal::SIGHUP),
    ] {
        let place = Place::new();
        let script = format!("trap '' {name}; exec {KLERO} \"$@\"");
        let shell = [&["-c", &script, "sh"], &VERIFY[..], &["--out", "v.csv"]].concat();
        let begin = || {
            let mut child = start_table(&place, "sh", &shell);
            send(&child, ignored);
            let stdin = child.stdin.take();
            (child, stdin)
        };
        let (child, stdin) = begin();
        send(&child, other);
        interrupted(&child.wait_with_output().unwrap(), "v.csv was not written");
        drop(stdin);

        let (child, stdin) = begin();
        drop(stdin);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        assert_eq!(place.names(), ["v.csv"]);
    }
}
