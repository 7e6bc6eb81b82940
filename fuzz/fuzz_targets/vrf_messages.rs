//! Requests to the WebAssembly of VRFs from arbitrary bytes: no panic, and an answer of fields.
#![no_main]

#[path = "../changed.rs"]
mod changed;
#[path = "../memory.rs"]
mod memory;
#[path = "../../bindings/js/tests/requests/messages.rs"]
mod messages;
#[path = "../requests.rs"]
mod requests;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Keys and honest requests, once.
    messages::HONEST.with(|_| ());
    // The working memory that the program is meant to need.
    let _ = memory::within((9 << 20) + 64 * bytes.len(), || messages::messages(bytes));
});
