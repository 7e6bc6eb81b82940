//! What the tests of messages try on every operation, beside the inputs that fuzzing kept.

use arbitrary::Result;
use klero_js_message::answer;

/// Operations that need a request say so.
pub fn without_a_request(operations: &[fn() -> i32]) {
    for operation in operations {
        let (number, response) = answer(b"", operation);
        assert_eq!((number, &response[4..]), (-1, &b"malformed request"[..]));
    }
}

/// Random bytes, the same in each run.
pub fn random(messages: fn(&[u8]) -> Result<()>) {
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
