//! Appending one message to two tokens reveals the secret key.
//!
//! k is a hash of x and h only, so it is the same both times; the challenge differs. From
//! s = k + c·x and s' = k + c'·x follows x = (s - s') / (c - c'), and s is the increase of S.

use curve25519_dalek::Scalar;
use klero_studies::{ristretto::KeyPair, vrf1, vrf2};

#[test]
fn seed_vrf1() {
    let [one, two] = [b"one", b"two"].map(|seed| KeyPair::from_seed(seed));
    let victim = KeyPair::generate().unwrap();
    let [(s, c), (t, d)] = [one, two].map(|root| {
        let before = vrf1::Token::new(&root, b"mine");
        let after = before.append(&victim, b"read only");
        (after.s - before.s, after.blocks[1].c)
    });
    let x: Scalar = (s - t) * (c - d).invert();
    assert_eq!(KeyPair::from_secret(x).public(), victim.public());
}

#[test]
fn seed_vrf2() {
    let [one, two] = [b"one", b"two"].map(|seed| KeyPair::from_seed(seed));
    let victim = KeyPair::generate().unwrap();
    let [(s, c), (t, d)] = [one, two].map(|root| {
        let before = vrf2::Token::new(&root, b"mine");
        let after = before.append(&victim, b"read only");
        (after.s - before.s, after.blocks[1].c)
    });
    let x: Scalar = (s - t) * (c - d).invert();
    assert_eq!(KeyPair::from_secret(x).public(), victim.public());
}
