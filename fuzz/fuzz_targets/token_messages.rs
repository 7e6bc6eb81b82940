//! Requests to the WebAssembly of tokens from arbitrary bytes: no panic, and an answer of fields.
#![no_main]

#[path = "../changed.rs"]
mod changed;
#[path = "../memory.rs"]
mod memory;
#[path = "../../bindings/js/token/tests/requests/messages.rs"]
mod messages;
#[path = "../requests.rs"]
mod requests;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Keys and honest requests, once.
    messages::HONEST.with(|_| ());
    let _ = memory::within((1 << 20) + 64 * bytes.len(), || messages::messages(bytes));
});
