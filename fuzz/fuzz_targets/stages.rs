//! Every stage of every backend gives the same result on arbitrary bytes.
#![no_main]

#[path = "../../crates/vrf/lanes/tests/fuzzed/stages.rs"]
mod stages;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| stages::stages(bytes));
