//! Blocks left out.

use super::*;

/// The last block, or all but the first, and the end left as it is; and under a seal.
#[test]
fn blocks_dropped() {
    let token = honest(&["everything", "less", "little", "nothing"]);
    for length in 1..4 {
        let mut token = token.clone();
        token.blocks.truncate(length);
        refused(&token, None, "signature");
    }
    for middle in [1, 2] {
        let mut token = token.clone();
        token.blocks.remove(middle);
        refused(&token, None, "signature");
    }
    let mut token = sealed(token);
    token.blocks.pop();
    refused(&token, Some(CHALLENGE), "signature");
}

/// The attacker's own key is the last: with it a token can be extended, not shortened.
#[test]
fn own_block_replaced() {
    let mut token = honest(&["everything", "less"]);
    token.add(OPAQUE, &MY_SEED, b"mine");
    token.blocks.remove(1);
    refused(&token, None, "signature");
    token.blocks.pop();
    refused(&token, None, "signature");
}

/// Payload and key are repeated; the signatures are not, for each is of its place.
#[test]
fn appended_twice() {
    let append = |token: &Token| {
        let mut token = token.clone();
        token.add(OPAQUE, &[7; 32], b"read only");
        token
    };
    let minus = |a: &Token, b: &Token| add(&a.sum, &negated(b.sum));
    let strip = |mut token: Token, signature: [u8; 96]| {
        token.blocks.pop();
        token.sum = add(&token.sum, &negated(signature));
        refused(&token, None, "signature");
    };
    let once = append(&honest(&["everything"]));
    strip(once.clone(), minus(&append(&once), &once));
    let (mine, yours) = (honest(&["my files"]), honest(&["your files"]));
    strip(append(&yours), minus(&append(&mine), &mine));
}
