//! Checks that the memory for an audit of blocks from an iterator is bounded, whatever the iterator returns.
//! The test has a process of its own, because memory is measured for a whole process.
#![cfg(target_os = "linux")]

use std::convert::Infallible;
use std::fs;
use std::iter;
use std::ops::ControlFlow;

use klero_audit::{Audit, Outcome};
use klero_cardano::Network;

/// The most memory that the process has used so far, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    1024 * kilobytes.parse::<u64>().unwrap()
}

#[test]
fn hostile_blocks_take_little_memory() {
    let before = peak();
    // A block of Alonzo in which almost every byte opens a list of indefinite length.
    let mut nested = vec![0x82, 5, 0x85, 0x80];
    nested.resize(4 << 20, 0x9f);
    let nested = iter::repeat_n(nested, 300);
    // Tiny blocks with tags of unknown eras. After each of them, the walk looks for a block of a known era.
    // If there is one, the tiny block is a fault. If not, its tag is taken for the tag of a future era.
    let tiny = (0..3_000_000u32).map(|n| vec![0x82, 9 + (n % 2) as u8]);
    let long = iter::repeat_n(vec![0x82; 5 << 20], 200);
    let blocks = nested.chain(long).chain(tiny);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build();
    let report = pool.unwrap().install(|| {
        let audit = Audit::of_blocks(Network::preview(), blocks.map(Ok::<_, Infallible>));
        audit.run(|_| ControlFlow::Continue(())).unwrap()
    });
    assert_eq!(report.outcome(), Outcome::SomeInvalid);
    let found = [("bad-header", 300), ("unknown-era", 1), ("unreadable", 200)];
    assert_eq!(report.found, found.into());
    let taken = peak() - before;
    assert!(taken < 400 << 20, "{} MiB", taken >> 20);
}
