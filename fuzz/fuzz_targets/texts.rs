//! Texts of tokens, keys, caveats and paths from arbitrary bytes: no panic, and one text for each.
#![no_main]

#[path = "../memory.rs"]
mod memory;
#[path = "../../crates/token/token/tests/fuzzed/texts.rs"]
mod texts;

use libfuzzer_sys::fuzz_target;

// What is read, its text, and the messages of errors.
fuzz_target!(|bytes: &[u8]| memory::within((1 << 16) + 64 * bytes.len(), || texts::texts(bytes)));
