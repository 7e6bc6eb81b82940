//! Tests that the memory of an audit does not grow with its chain.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use klero_cardano::Era;
use klero_forge::Recipe;
use klero_leader::ActiveSlots;

use crate::db::Chain;

/// The peak memory of a run, in MB. The run must end with this status. On a busy machine, a short run may
/// end before its memory is read. The run is then repeated.
fn peak(dir: &Path, options: &str, status: i32) -> f64 {
    let mut runs = (0..20).map(|_| seen_peak(dir, options, status));
    let peak = runs.find(|peak| *peak > 0);
    f64::from(peak.expect("/proc is needed")) / 1000.0
}

/// The peak memory of a run in kB, or 0 if the run ended before its memory was read.
fn seen_peak(dir: &Path, options: &str, expected: i32) -> u32 {
    let mut child = Command::new(cargo_bin("klero"))
        .args(["chain", "verify"])
        .arg(dir)
        .args(options.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let done = child.try_wait().unwrap();
        // The peak memory so far. It cannot be read after the process has ended.
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kb) = line.and_then(|line| line.trim().strip_suffix(" kB")) {
            peak = kb.trim().parse().unwrap();
        }
        if let Some(status) = done {
            assert_eq!(status.code(), Some(expected));
            return peak;
        }
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn of_a_longer_chain() {
    let chain = Chain::forged(&Recipe {
        k: if cfg!(debug_assertions) { 18 } else { 90 },
        f: ActiveSlots::new(9, 10).unwrap(),
        stakes: vec![1],
        ..Recipe::of_eras(&[(Era::Byron, 20), (Era::Shelley, 3), (Era::Conway, 12)])
    });
    let peaks: Vec<f64> = [13, 6, 2]
        .map(|parts| {
            let part = chain.copy(chain.chunks() * parts / 13);
            peak(part.dir.path(), "", 0)
        })
        .into();
    println!("{} blocks: {peaks:?} MB", chain.blocks.len());
    assert!(peaks[0] < peaks[1] + 20.0, "{peaks:?}");
}

/// A sparse file can have a length of a gigabyte, and take no space on the disk.
#[test]
fn of_a_sparse_chunk() {
    let chain = Chain::small();
    let db = chain.copy(chain.chunks());
    let whole = peak(db.dir.path(), "", 0);
    for index in [true, false] {
        let chunk = chain.chunks() - 1;
        db.remove(chunk, "chunk");
        let sparse = fs::File::create(db.file(chunk, "chunk")).unwrap();
        sparse.set_len(1 << 30).unwrap();
        if !index {
            db.remove(chunk, "secondary");
        }
        let peak = peak(db.dir.path(), "", 1);
        println!("{whole} MB, with a sparse gigabyte {peak} MB");
        assert!(peak < whole + 40.0, "{whole} {peak}");
    }
}

/// Each added chunk is the beginning of a block and then bytes that each open a list. Each thread gets one.
#[test]
fn of_hostile_nesting() {
    let chain = Chain::small();
    let db = chain.copy(chain.chunks());
    let whole = peak(db.dir.path(), "--threads 8", 0);
    // The lists begin in the parts of a body, or in a header after its first two items.
    for begin in [
        &[0x82, 0x06, 0x85, 0x80, 0x83][..],
        &[0x82, 0x06, 0x85, 0x82, 0x8a, 0x00, 0x00, 0x83],
    ] {
        for chunk in chain.chunks()..chain.chunks() + 8 {
            let mut bytes = begin.to_vec();
            bytes.resize(4 << 20, 0x9f);
            fs::write(db.file(chunk, "chunk"), &bytes).unwrap();
            // In this copy of the chunk, the second half ends the lists of the first half.
            let half = bytes.len() / 2;
            bytes[half..].fill(0xff);
            fs::write(db.file(chunk + 8, "chunk"), &bytes).unwrap();
        }
        let peak = peak(db.dir.path(), "--threads 8", 1);
        println!("{whole} MB, with hostile nesting {peak} MB");
        assert!(peak < 300.0, "{whole} {peak}");
    }
}
