//! Blocks can trade places.

use klero_studies::{pairing, ristretto::KeyPair, vrf1, vrf2};

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
