//! Files of a node from arbitrary bytes: no panic, an error at a place, no block lost to an index.
#![no_main]

#[path = "../../crates/cardano/audit/tests/fuzzed/chains.rs"]
mod chains;
#[path = "../memory.rs"]
mod memory;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(
    init: chains::prepare(),
    |bytes: &[u8]| -> Corpus {
        match memory::within(chains::most_memory(bytes), || chains::chains(bytes)) {
            Ok(()) => Corpus::Keep,
            Err(_) => Corpus::Reject,
        }
    }
);
