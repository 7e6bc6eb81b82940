//! Tokens from arbitrary bytes: no panic, the same verdict alone and in groups, no forgery.
#![no_main]

#[path = "../../crates/token/token/tests/fuzzed/tokens.rs"]
mod tokens;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match tokens::tokens(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
