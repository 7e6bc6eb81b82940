//! Right blocks behind a first one that is not.

use super::*;

/// A first block that the root did not sign, and behind it blocks and a seal that are right.
#[test]
fn appended_to_garbage() {
    let mut token = honest(&["another"]);
    token.blocks[0].payload = rights(b"everything");
    refused(&token, None, "signature");
    token.add(OPAQUE, &MY_SEED, b"");
    refused(&token, None, "signature");
    refused(&sealed(token), Some(CHALLENGE), "signature");
}

/// A valid token of mine, with the root's key put in front afterwards.
#[test]
fn key_put_in_front() {
    let mut token = issued(&MY_SEED, &["everything", "less"]);
    refused(&token, None, "wrong root");
    token.blocks[0].key = root();
    refused(&token, None, "signature");
}
