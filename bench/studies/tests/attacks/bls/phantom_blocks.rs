//! Blocks that nobody signed, whose keys cancel out.

use super::*;

/// The point at infinity as a key, alone and twice, first and later, and as the seal's.
#[test]
fn at_infinity() {
    let mut more = honest(&["read"]);
    for _ in 0..2 {
        more.blocks.push(block(infinity(), b"added by nobody"));
        refused(&more, None, "key");
    }
    let mut instead = honest(&["read"]);
    instead.blocks[0].key = infinity();
    refused(&instead, None, "wrong root");
    let mut sealed = honest(&["read"]);
    sealed.seal = Some(infinity());
    refused(&sealed, Some(CHALLENGE), "key");
}

/// P and -P: their messages differ, by the keys and by what came before. With the root's own,
/// from nothing.
#[test]
fn opposite_keys() {
    let victim = public_key(&[9; 32]);
    let mut token = honest(&["read"]);
    for key in [victim, negated(victim)] {
        token.blocks.push(block(key, b"added by nobody"));
    }
    refused(&token, None, "signature");
    token.blocks.truncate(1);
    token
        .blocks
        .push(block(negated(root()), b"added by nobody"));
    token.sum = infinity();
    refused(&token, None, "point");
}
