//! Biscuit, and plain Ed25519.

use std::hint::black_box;

use biscuit_auth::builder::BlockBuilder;
use biscuit_auth::{Biscuit, KeyPair};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};

use super::{PAYLOAD, Work};

fn biscuit_block() -> BlockBuilder {
    BlockBuilder::new()
        .check("check if time($time), $time < 2030-01-01T00:00:00Z")
        .expect("a check")
}

fn biscuit(root: &KeyPair) -> Option<Biscuit> {
    let builder = Biscuit::builder().fact("user(\"1234\")").ok()?;
    builder.build(root).ok()
}

fn biscuit_of(root: &KeyPair, n: usize) -> Biscuit {
    (1..n).fold(biscuit(root).expect("a token"), |token, _| {
        token.append(biscuit_block()).expect("a block")
    })
}

/// Biscuit, including the parsing of its datalog, which its API does not separate.
pub fn biscuit_sign(n: usize) -> Work {
    let root = KeyPair::new();
    if n == 1 {
        return Box::new(move || biscuit(&root).is_some_and(|token| token.to_vec().is_ok()));
    }
    let before = biscuit_of(&root, n - 1);
    Box::new(move || {
        let token = before.append(biscuit_block());
        token.is_ok_and(|token| token.to_vec().is_ok())
    })
}

pub fn biscuit_verify(n: usize) -> Work {
    let root = KeyPair::new();
    let bytes = biscuit_of(&root, n).to_vec().expect("a token");
    let public = root.public();
    Box::new(move || Biscuit::from(&bytes, public).is_ok())
}

pub fn dalek_sign(_: usize) -> Work {
    let key = SigningKey::from_bytes(&[7; 32]);
    Box::new(move || black_box(key.sign(PAYLOAD)).to_bytes() != [0; 64])
}

/// Strict verification of n signatures.
pub fn dalek_verify(n: usize) -> Work {
    let signed: Vec<_> = (0..n as u8)
        .map(|i| {
            let key = SigningKey::from_bytes(&[i; 32]);
            (key.verifying_key().to_bytes(), key.sign(PAYLOAD))
        })
        .collect();
    Box::new(move || {
        signed.iter().all(|(key, signature)| {
            VerifyingKey::from_bytes(key)
                .is_ok_and(|key| key.verify_strict(PAYLOAD, signature).is_ok())
        })
    })
}
