//! A signature that is good under another key than the signer's.
//!
//! The key is not in the hash: from s·G + e·P = (s - e·d)·G + e·(P + d·G) follows that
//! who has (s, e) under P has (s - e·d, e) under P + d·G, with the same R and the same e,
//! knowing neither secret. In a chain that moves the first key, the one that no
//! signature covers.

use curve25519_dalek::{RistrettoPoint, Scalar};
use klero_studies::challenge::{KeyPair, Token};

fn moved(token: &Token, d: Scalar) -> Token {
    let mut token = token.clone();
    let first = &mut token.blocks[0];
    first.key += RistrettoPoint::mul_base(&d);
    first.signature.s -= first.signature.e * d;
    token
}

/// One token, two issuers: who really signed it cannot be told.
#[test]
fn seed_challenge_duplicate_signature() {
    let root = KeyPair::generate().unwrap();
    let token = Token::new(&root, b"pay the bearer")
        .unwrap()
        .append(b"today")
        .unwrap();

    let other = moved(&token, Scalar::from(42u8));
    assert!(token.verify() && other.verify());
    assert_eq!(other.blocks[0].signature.e, token.blocks[0].signature.e);
    assert_ne!(other.blocks[0].key, token.blocks[0].key);
}

/// Where each tenant's key is the master's plus a known number, a tenant's token becomes
/// its neighbour's, and answers challenges as such.
#[test]
fn seed_challenge_related_key() {
    let master = Scalar::from_bytes_mod_order([7; 32]);
    let [mine, yours] = [1u8, 2].map(|tenant| KeyPair::from_secret(master + Scalar::from(tenant)));
    let token = Token::new(&mine, b"all of the tenant's files").unwrap();

    let forged = moved(&token, Scalar::ONE);
    assert_eq!(forged.blocks[0].key, yours.public());
    assert!(forged.verify());
    assert!(forged.answer(b"whose files?").unwrap().verify());
}
