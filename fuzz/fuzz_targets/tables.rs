//! Tables from arbitrary bytes: no panic, an error at a place, and what is written is read the same.
#![no_main]
#![allow(
    dead_code,
    unused_imports,
    reason = "the command uses more of its modules"
)]

#[path = "../../crates/cli/src/choice.rs"]
mod choice;
#[path = "../../crates/cli/src/error.rs"]
mod error;
#[path = "../../crates/cli/src/input.rs"]
mod input;
#[path = "../../crates/cli/src/layout.rs"]
mod layout;
#[path = "../memory.rs"]
mod memory;
#[path = "../../crates/cli/src/panics.rs"]
mod panics;
#[path = "../../crates/cli/src/secrets.rs"]
mod secrets;
#[path = "../../crates/cli/src/stdout.rs"]
mod stdout;
#[path = "../../crates/cli/src/table/mod.rs"]
mod table;
#[path = "../../crates/cli/tests/fuzzed/tables.rs"]
mod tables;
#[path = "../../crates/cli/src/terminal.rs"]
mod terminal;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(
    init: {
        // The command makes a panic of the parquet crate an error, where libFuzzer would end.
        panics::install_hook();
        tables::prepare();
    },
    |bytes: &[u8]| -> Corpus {
        match memory::within(tables::MOST_MEMORY, || tables::tables(bytes)) {
            Ok(()) => Corpus::Keep,
            Err(_) => Corpus::Reject,
        }
    }
);
