//! Keys, proofs and outputs from arbitrary bytes: no panic, and what is read is written as it was.
#![no_main]

#[path = "../../crates/vrf/klero/tests/fuzzed/encoded.rs"]
mod encoded;
#[path = "../memory.rs"]
mod memory;

use libfuzzer_sys::fuzz_target;

// What is read, its text, and the messages of errors.
fuzz_target!(
    |bytes: &[u8]| memory::within((1 << 16) + 64 * bytes.len(), || encoded::encoded(bytes))
);
