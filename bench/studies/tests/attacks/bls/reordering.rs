//! Blocks in another order, or twice.

use super::*;

/// Any two blocks, the first too.
#[test]
fn two_blocks() {
    for (a, b) in [(1, 2), (1, 3), (2, 3)] {
        let mut token = honest(&["0", "1", "2", "3"]);
        token.blocks.swap(a, b);
        refused(&token, None, "signature");
    }
    let mut token = honest(&["0", "1"]);
    token.blocks.swap(0, 1);
    refused(&token, None, "kind");
    (token.blocks[0].kind, token.blocks[1].kind) = (ROOT, OPAQUE);
    token.blocks[0].payload = rights(b"1");
    refused(&token, None, "wrong root");
}

/// A block once more.
#[test]
fn repeated() {
    let mut token = honest(&["0", "1"]);
    token.blocks.push(token.blocks[1].clone());
    refused(&token, None, "signature");
}
