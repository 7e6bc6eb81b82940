//! Every request is answered without a panic: the fuzz target `token_messages`, on inputs that fuzzing kept
//! and on random ones.

#[path = "../../../../../fuzz/changed.rs"]
mod changed;
mod messages;
#[path = "../../../../../fuzz/requests.rs"]
mod requests;
#[path = "../../../../../fuzz/seeds.rs"]
mod seeds;
#[path = "../../../../../fuzz/tried.rs"]
mod tried;

use klero_js_token::keys::free_key;
use messages::{OPERATIONS, messages};
use seeds::seeds;

#[test]
fn operations_without_a_request_are_errors() {
    tried::without_a_request(&OPERATIONS[..12]);
    free_key(7);
}

#[test]
fn random_requests_are_answered() {
    tried::random(messages);
}

#[test]
fn kept_requests_are_answered() {
    for seed in seeds("token_messages") {
        let _ = messages(&seed);
    }
}
