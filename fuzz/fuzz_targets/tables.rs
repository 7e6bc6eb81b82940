//! Tables from arbitrary bytes: no panic, an error at a place, and what is written is read the same.
#![no_main]

#[path = "../memory.rs"]
mod memory;
#[path = "../../crates/cli/tests/fuzzed/tables.rs"]
mod tables;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(
    init: {
        // The command makes a panic of the parquet crate an error, where libFuzzer would end.
        klero_command::install_hook();
        tables::prepare();
    },
    |bytes: &[u8]| -> Corpus {
        match memory::within(tables::MOST_MEMORY, || tables::tables(bytes)) {
            Ok(()) => Corpus::Keep,
            Err(_) => Corpus::Reject,
        }
    }
);
