//! Runs the fuzz target `stages` of `fuzz/` on random inputs, and on inputs that fuzzing has kept.

#[path = "../../../../../fuzz/seeds.rs"]
mod seeds;
mod stages;

use sha2::{Digest, Sha512};

#[test]
#[cfg_attr(miri, ignore = "there is nothing to compare the portable backend with")]
fn stages_of_random_inputs() {
    let count = if cfg!(debug_assertions) { 50 } else { 500 };
    for number in 0..count {
        stages::stages(&input(number));
    }
}

#[test]
#[cfg_attr(miri, ignore = "there is nothing to compare the portable backend with")]
fn stages_of_seeds() {
    for seed in seeds::seeds("stages") {
        stages::stages(&seed);
    }
}

/// Returns up to 20 blocks of 32 bytes. In many blocks, some or all bytes are 0 or 255.
fn input(number: u64) -> Vec<u8> {
    let blocks = number % 21;
    let mut bytes = Vec::new();
    for block in 0..blocks {
        let digest = Sha512::digest([number.to_le_bytes(), block.to_le_bytes()].concat());
        let (chosen, extremes) = digest.split_at(32);
        bytes.extend(
            chosen
                .iter()
                .zip(extremes)
                .map(|(byte, extreme)| match extreme % 8 {
                    0 if chosen[0] & 1 == 1 => 0xff,
                    _ if chosen[0] & 3 == 3 => 0xff * (extreme >> 7),
                    _ => *byte,
                }),
        );
    }
    bytes
}
