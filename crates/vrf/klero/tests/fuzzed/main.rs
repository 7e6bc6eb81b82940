//! Runs the fuzz targets `verdicts` and `encoded` of `fuzz/` on the inputs in `fuzz/seeds/`, and `verdicts`
//! also on random inputs.

#[cfg(feature = "envelope")]
mod encoded;
#[path = "../../../../../fuzz/seeds.rs"]
mod seeds;
mod verdicts;

use klero::{SecretKey, Suite};
use seeds::seeds;

#[test]
fn verdicts_of_random_inputs() {
    let count = if cfg!(debug_assertions) { 50 } else { 500 };
    for number in 0..count {
        verdicts::verdicts(&input(number)).unwrap();
    }
}

#[test]
fn verdicts_of_seeds() {
    for seed in seeds("verdicts") {
        verdicts::verdicts(&seed).unwrap();
    }
}

#[cfg(feature = "envelope")]
#[test]
fn encoded_of_seeds() {
    for seed in seeds("encoded") {
        encoded::encoded(&seed);
    }
}

/// Returns fewer than 500 pseudo-random bytes, taken from outputs of the VRF.
fn input(number: u64) -> Vec<u8> {
    let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    let blocks = (0..8u8).flat_map(|block| {
        let alpha = [&number.to_le_bytes()[..], &[block]].concat();
        key.prove(&alpha).1.0
    });
    let mut bytes: Vec<u8> = blocks.collect();
    bytes.truncate(usize::from(u16::from_le_bytes([bytes[510], bytes[511]])) % 500);
    bytes
}
