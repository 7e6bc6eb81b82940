//! Appending to a token that is not valid makes one that is.
//!
//! Nothing but the key in front has to be right: u and v of the garbage are what they
//! are, the challenge of the new block is computed from them, and it is the only one
//! checked. Only public functions are called.

use curve25519_dalek::{RistrettoPoint, Scalar};
use klero_studies::{ristretto::KeyPair, vrf1, vrf2};

fn garbage(x: u8) -> RistrettoPoint {
    RistrettoPoint::mul_base(&Scalar::from(x))
}

#[test]
fn seed_vrf1() {
    let root = KeyPair::generate().unwrap().public();
    let garbage = vrf1::Token {
        blocks: vec![vrf1::Block {
            key: root,
            gamma: garbage(2),
            c: Scalar::from(3u8),
            message: b"everything".to_vec(),
        }],
        w: garbage(5),
        s: Scalar::from(7u8),
    };
    assert!(!garbage.verify(&root));
    let token = vrf1::Token::decode(&garbage.encode()).unwrap();
    assert!(token.append(&KeyPair::from_seed(b"me"), b"").verify(&root));
}

#[test]
fn seed_vrf2() {
    let root = KeyPair::generate().unwrap().public();
    let garbage = vrf2::Token {
        blocks: vec![vrf2::Block {
            key: root,
            c: Scalar::from(3u8),
            message: b"everything".to_vec(),
        }],
        gamma: garbage(2),
        w: garbage(5),
        s: Scalar::from(7u8),
    };
    assert!(!garbage.verify(&root));
    let token = vrf2::Token::decode(&garbage.encode()).unwrap();
    assert!(token.append(&KeyPair::from_seed(b"me"), b"").verify(&root));
}
