//! Runs the fuzz targets `tokens` and `texts` of `fuzz/` on random inputs and on the inputs in `fuzz/seeds`.
//! The target `tokens` runs on every engine.

#[path = "../../../../../fuzz/seeds.rs"]
mod seeds;
mod texts;
mod tokens;

use seeds::seeds;
use sha2::{Digest, Sha512};

// A single test, because the engine is chosen for the whole process.
#[test]
fn tokens_on_every_engine() {
    let count = if cfg!(debug_assertions) { 50 } else { 1000 };
    let inputs: Vec<_> = (0..count).map(input).chain(seeds("tokens")).collect();
    for engine in klero_lanes::engines() {
        klero_lanes::use_engine(engine);
        for input in &inputs {
            tokens::tokens(input).unwrap();
        }
    }
}

#[test]
fn texts_of_every_kind() {
    let count = if cfg!(debug_assertions) { 50 } else { 1000 };
    for input in (0..count).map(input).chain(seeds("texts")) {
        texts::texts(&input);
    }
}

/// Up to 511 pseudorandom bytes.
fn input(number: u64) -> Vec<u8> {
    let block = |block: u8| Sha512::digest([&number.to_le_bytes()[..], &[block]].concat());
    let bytes: Vec<u8> = (0..8).flat_map(block).collect();
    let length = usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) % 512;
    bytes[..length].to_vec()
}
