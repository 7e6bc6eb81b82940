//! Small Parquet files that would expand to gigabytes. Each is read in little memory, or refused with an
//! error that says where the fault is.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod by_hand;
mod lies;
mod values;

use std::process::Command;

use common::Place;

/// Runs `klero` with at most a gigabyte of address space.
fn run(place: &Place, line: &str) -> (i32, String) {
    let klero = env!("CARGO_BIN_EXE_klero");
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v 1048576; exec {klero} {line}")])
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let status = output.status.code();
    (
        status.unwrap_or_else(|| panic!("aborted: {stderr}")),
        stderr,
    )
}

#[track_caller]
fn refused(place: &Place, words: &[&str]) {
    let (status, stderr) = run(place, "batch verify t.parquet --suite praos --out v.csv");
    assert_eq!(status, 2, "{stderr}");
    for words in words {
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(place.names(), ["t.parquet"]);
}
