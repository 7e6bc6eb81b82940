//! All backends have the same verdicts on the claims in any bytes.
#![no_main]

#[path = "../../crates/klero/tests/fuzzed/verdicts.rs"]
mod verdicts;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match verdicts::verdicts(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
