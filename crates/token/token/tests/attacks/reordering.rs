//! Attacks that change the order of blocks.

use crate::equations::Twin;
use crate::sound::{fails, honest, refused};
use crate::support::errors;
use klero_token::Place;

/// Swaps any two blocks after the first block. All these blocks are of the same kind.
fn two_blocks<S: Twin>() {
    let token = honest::<S>(&[b"0", b"1", b"2", b"3"]);
    for (a, b) in [(1, 2), (1, 3), (2, 3)] {
        let mut token = token.clone();
        token.blocks.swap(a, b);
        refused::<S>(&token, None, S::wrong(Place::Block(a)));
    }
}

/// Swaps the first and the second block. First they keep their kinds, then the kinds are corrected.
fn the_first<S: Twin>() {
    let mut token = honest::<S>(&[b"0", b"1"]);
    token.blocks.swap(0, 1);
    let kind = errors::kind(0, 3, 13, "0 (root)");
    refused::<S>(&token, None, kind);
    (token.blocks[0].kind, token.blocks[1].kind) = (0, 3);
    // The payload of a first block begins with random bytes and the rights.
    token.blocks[0].payload = crate::encoding::rights(b"1");
    if S::NAME == "aggregate" {
        // The root's key is moved back into the first link.
        let key = token.blocks[1].link.drain(..32).collect::<Vec<_>>();
        token.blocks[0].link.splice(..0, key);
    }
    refused::<S>(&token, None, S::wrong(Place::Block(0)));
}

/// Repeats a block.
fn repeated<S: Twin>() {
    let mut token = honest::<S>(&[b"0", b"1"]);
    let last = token.blocks[1].clone();
    token.blocks.push(last);
    refused::<S>(&token, None, S::wrong(Place::Block(2)));
}

fails!(two_blocks, the_first, repeated);
