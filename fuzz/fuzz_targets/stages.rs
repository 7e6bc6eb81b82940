//! All backends make the same of any bytes.
#![no_main]

#[path = "../../crates/lanes/tests/fuzzed/stages.rs"]
mod stages;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| stages::stages(bytes));
