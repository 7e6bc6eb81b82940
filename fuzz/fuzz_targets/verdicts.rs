//! All backends give the same verdicts on claims from arbitrary bytes.
#![no_main]

#[path = "../../crates/vrf/klero/tests/fuzzed/verdicts.rs"]
mod verdicts;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match verdicts::verdicts(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
