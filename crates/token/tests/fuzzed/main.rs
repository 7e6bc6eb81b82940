//! The property of the fuzz target `tokens`, on random inputs, on every engine.

mod tokens;

use sha2::{Digest, Sha512};

#[test]
fn tokens_of_random_inputs() {
    let count = if cfg!(debug_assertions) { 50 } else { 1000 };
    for engine in klero_lanes::engines() {
        klero_lanes::use_engine(engine);
        for number in 0..count {
            // An input that ends early has one token less.
            let _ = tokens::tokens(&input(number));
        }
    }
}

/// Up to 512 pseudorandom bytes.
fn input(number: u64) -> Vec<u8> {
    let block = |block: u8| Sha512::digest([&number.to_le_bytes()[..], &[block]].concat());
    let bytes: Vec<u8> = (0..8).flat_map(block).collect();
    let length = usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) % 512;
    bytes[..length].to_vec()
}
