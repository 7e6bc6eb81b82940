//! Other payloads.

use super::*;

/// Any payload, first, middle or last.
#[test]
fn one_payload() {
    for i in 0..3 {
        for payload in [&b"everything"[..], b"", b"littl", b"little\0"] {
            let mut token = honest(&["little", "less", "nothing"]);
            token.blocks[i].payload = match i {
                0 => rights(payload),
                _ => payload.to_vec(),
            };
            refused(&token, None, "signature");
        }
    }
}

/// All blocks but the first are mine, and I sign them again.
#[test]
fn own_blocks_signed_again() {
    let mut token = honest(&["little"]);
    token.blocks[0].payload = rights(b"everything");
    for payload in [b"less", b"nada"] {
        token.add(OPAQUE, &MY_SEED, payload);
        refused(&token, None, "signature");
    }
    refused(&sealed(token), Some(CHALLENGE), "signature");
}
