//! Tests that reading hostile bytes in place of a ledger state never panics and needs little memory.

#[path = "ledger/synthetic.rs"]
mod synthetic;

use std::alloc::System;
use std::path::Path;

use cap::Cap;
use klero_cardano::{Era, LedgerError, LedgerState};

use crate::synthetic::{in_era, synthetic};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Reads bytes, and checks that the allocated memory is below 16 times their length plus 8 KiB.
fn read(bytes: &[u8]) -> Result<LedgerState, LedgerError> {
    let before = MEMORY.total_allocated();
    let read = LedgerState::read(bytes);
    let taken = MEMORY.total_allocated() - before;
    assert!(
        taken < 16 * bytes.len() + 8192,
        "{taken} bytes of memory for {}",
        bytes.len()
    );
    read
}

/// States of every layout, and the real state if its file exists.
fn states() -> Vec<Vec<u8>> {
    let eras = [Era::Babbage, Era::Conway];
    let mut states = Vec::from(eras.map(|era| in_era(era, synthetic(3, 6)).write()));
    states.push(include_bytes!("../testdata/ledger.state").to_vec());
    let real = "../../../../shared/vectors/leader/state.86392";
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join(real);
    match std::fs::read(&real) {
        Ok(bytes) => states.push(bytes),
        Err(_) => eprintln!("SKIPPED: no ledger state at {}", real.display()),
    }
    states
}

fn cut_anywhere(state: &[u8]) {
    for end in 0..state.len() {
        match read(&state[..end]).unwrap_err() {
            LedgerError::Ends { at, .. } => assert_eq!(at, end as u64),
            other => panic!("{end}: {other}"),
        }
    }
}

fn altered_anywhere(state: &[u8]) {
    let mut bytes = state.to_vec();
    for at in 0..state.len() {
        for flip in [1, 0x10, 0x20, 0x80, 0xff] {
            bytes[at] ^= flip;
            // The result is ignored: a state with a changed number, hash or skipped part can be valid.
            let _ = read(&bytes);
            bytes[at] ^= flip;
        }
    }
}

/// At each byte with one of four values that begin a list or a map, puts heads of huge lengths, counts and
/// tags.
fn announced(state: &[u8]) {
    let places = (0..state.len()).filter(|at| [0x80, 0x82, 0xa0, 0xbf].contains(&state[*at]));
    for at in places {
        for head in [0x5b, 0x7b, 0x9b, 0xbb, 0xdb] {
            for n in [1 << 40, u64::MAX] {
                let head = [&[head][..], &u64::to_be_bytes(n)].concat();
                let bytes = [&state[..at], &head, &state[at + 1..]].concat();
                // The result is ignored: a state with a changed hash or a skipped tag can be valid.
                let _ = read(&bytes);
            }
        }
    }
}

fn nested() {
    let state = synthetic(3, 6).write();
    // The reader skips the treasury and the reserves.
    let reserves = [&[0x84, 0x82, 0x1b][..], &(1u64 << 50).to_be_bytes()].concat();
    let at = state.windows(11).position(|here| here == reserves).unwrap() + 2;
    let nested = |open: &[u8], depth: usize, rest: &[u8]| {
        let bytes = [&state[..at], &open.repeat(depth), rest, &state[at..]].concat();
        read(&bytes)
    };
    for (open, depth) in [
        (&[0x81][..], 4000),
        (&[0xc1], 4000),
        (&[0xd8, 30], 4000),
        (&[0xa1, 0], 4000),
    ] {
        nested(open, depth, &[]).unwrap();
    }
    nested(&[0x9f], 4000, &[0xff].repeat(4000)).unwrap_err();
    for open in [&[0x81][..], &[0xc1], &[0xa1, 0], &[0x9f], &[0xbf, 0]] {
        let error = nested(open, 1 << 20, &[]).unwrap_err().to_string();
        assert!(
            error.contains("at most 4096 items within each other"),
            "{error}"
        );
    }
}

/// This is one test, because memory is counted for the whole process.
#[test]
fn no_bytes_take_much_memory_or_cause_a_panic() {
    for state in states() {
        read(&state).unwrap();
        cut_anywhere(&state);
        altered_anywhere(&state);
        announced(&state);
    }
    nested();
    assert!(read(&[]).is_err());
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..10_000 {
        let bytes: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
        assert!(read(&bytes).is_err());
    }
}
