//! The fuzz target `tables` of `fuzz/`, on the inputs that fuzzing kept.
//!
//! The command has no library, so its modules are compiled here once more.
#![allow(dead_code, unused_imports, reason = "the command uses more of them")]

#[path = "../../src/choice.rs"]
mod choice;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/input.rs"]
mod input;
#[path = "../../src/layout.rs"]
mod layout;
#[path = "../../src/panics.rs"]
mod panics;
#[path = "../../src/secrets.rs"]
mod secrets;
#[path = "../../src/stdout.rs"]
mod stdout;
#[path = "../../src/table/mod.rs"]
mod table;
#[path = "../../src/terminal.rs"]
mod terminal;

#[path = "../../../../fuzz/seeds.rs"]
mod seeds;
mod tables;

#[test]
fn tables_of_seeds() {
    panics::install_hook();
    for seed in seeds::seeds("tables") {
        // An input that ends early reads less.
        let _ = tables::tables(&seed);
    }
}
