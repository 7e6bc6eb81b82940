//! Blocks can trade places.

use klero_token::hazmat::seed::{pairing, ristretto::KeyPair, vrf1, vrf2};
use klero_token::{Error, Place};

use crate::equations::Twin;
use crate::sound::{fails, honest, refused};

/// All that is hashed is sums, and h of the last block: the order of the others is in none
/// of it.
#[test]
fn seed_vrf1() {
    let [root, a, b, c] = [b"root", b"aaaa", b"bbbb", b"cccc"].map(|seed| KeyPair::from_seed(seed));
    let mut token = vrf1::Token::new(&root, b"0")
        .append(&a, b"1")
        .append(&b, b"2")
        .append(&c, b"3");
    token.blocks.swap(1, 2);
    assert!(token.verify(&root.public()));
}

/// As for VRF 1.
#[test]
fn seed_vrf2() {
    let [root, a, b, c] = [b"root", b"aaaa", b"bbbb", b"cccc"].map(|seed| KeyPair::from_seed(seed));
    let mut token = vrf2::Token::new(&root, b"0")
        .append(&a, b"1")
        .append(&b, b"2")
        .append(&c, b"3");
    token.blocks.swap(1, 2);
    assert!(token.verify(&root.public()));
}

/// A product has no order; even the last block can move.
#[test]
fn seed_pairing() {
    let [root, a, b] = [1, 2, 3].map(|seed| pairing::KeyPair::from_seed(&[seed; 32]));
    let mut token = pairing::Token::new(&root, b"0")
        .append(&a, b"1")
        .append(&b, b"2");
    token.blocks.swap(1, 2);
    assert!(token.verify(&root.public()));
}

/// Any two blocks; all but the first are of one kind.
fn two_blocks<S: Twin>() {
    let token = honest::<S>(&[b"0", b"1", b"2", b"3"]);
    for (a, b) in [(1, 2), (1, 3), (2, 3)] {
        let mut token = token.clone();
        token.blocks.swap(a, b);
        refused::<S>(&token, None, S::wrong(Place::Block(a)));
    }
}

/// The first for another, its kind put right or not.
fn the_first<S: Twin>() {
    let mut token = honest::<S>(&[b"0", b"1"]);
    token.blocks.swap(0, 1);
    let kind = Error::Kind {
        block: 0,
        got: 3,
        at: 13,
        expected: "0 (root)",
    };
    refused::<S>(&token, None, kind);
    (token.blocks[0].kind, token.blocks[1].kind) = (0, 3);
    // A first block has rights.
    token.blocks[0].payload = crate::encoding::rights(b"1");
    refused::<S>(&token, None, crate::sound::wrong_root::<S>());
}

/// A block once more.
fn repeated<S: Twin>() {
    let mut token = honest::<S>(&[b"0", b"1"]);
    let last = token.blocks[1].clone();
    token.blocks.push(last);
    refused::<S>(&token, None, S::wrong(Place::Block(2)));
}

fails!(two_blocks, the_first, repeated);
