//! Every request is answered without a panic: the fuzz target `vrf_messages`, on inputs that fuzzing kept
//! and on random ones.

#[path = "../../../../fuzz/changed.rs"]
mod changed;
mod messages;
#[path = "../../../../fuzz/requests.rs"]
mod requests;

use std::path::Path;

use klero_js::free_key;
use klero_js_message::answer;
use messages::{OPERATIONS, messages};

#[test]
fn operations_without_a_request_are_errors() {
    for operation in &OPERATIONS[..4] {
        let (number, response) = answer(b"", operation);
        assert_eq!((number, &response[4..]), (-1, &b"malformed request"[..]));
    }
    free_key(7);
}

#[test]
fn random_requests_are_answered() {
    let mut dice = 0x5eed_u32;
    let mut roll = || {
        dice = dice.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        (dice >> 24) as u8
    };
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..roll()).map(|_| roll()).collect();
        // Bytes may end too early for a request.
        let _ = messages(&bytes);
    }
}

#[test]
fn kept_requests_are_answered() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/vrf_messages");
    let seeds: Vec<_> = std::fs::read_dir(seeds).unwrap().collect();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let _ = messages(&std::fs::read(seed.unwrap().path()).unwrap());
    }
}
