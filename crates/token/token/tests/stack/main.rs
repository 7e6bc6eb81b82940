//! After a call, no seed and no secret of a bearer is left on the stack or in memory that the call freed.
//! (Builds without optimisation are not tested, because they make copies that are not wiped.)
#![cfg(all(target_os = "linux", not(debug_assertions), not(miri)))]
// The allocator, which keeps the bytes of freed blocks, is unsafe code.
#![allow(unsafe_code)]

mod remains;
#[path = "../support/mod.rs"]
mod support;

use std::hint::black_box;

use ed25519_dalek::{Signer, SigningKey};
use klero_token::{KeyKind, Limits, Minting, PublicKey, RootKeys, Scheme, SecretKey, Token};
use remains::Remains;
use support::CHALLENGE;

/// Makes a token, and asserts that the call leaves neither these secrets nor the secret of the token.
#[track_caller]
fn makes(remains: &mut Remains, secrets: &[&[u8]], call: impl FnOnce() -> Token) -> Token {
    let token = remains.wiped(secrets, call);
    assert_eq!(remains.count(&end(&token)), 0);
    token
}

/// The secret of a bearer, at the end of the token.
fn end(token: &Token) -> Vec<u8> {
    let bytes = token.encode().unwrap();
    bytes[bytes.len() - 32..].to_vec()
}

fn seed() -> Vec<u8> {
    (0..32).map(|i| i ^ 0xa7).collect()
}

/// Makes calls that wipe nothing, and finds the bytes that they leave.
#[test]
fn what_is_not_wiped_is_found() {
    let (mut remains, seed) = (Remains::new(), seed());
    remains.after(|| {
        let copy: [u8; 32] = seed[..].try_into().unwrap();
        let mut frame = [[0; 32]; 100];
        frame[50] = copy;
        black_box(&frame);
    });
    assert_eq!(remains.count(&seed), 1);
    remains.after(|| drop(black_box(seed.clone())));
    assert_eq!(remains.count(&seed), 1);
}

#[test]
fn seeds_are_wiped() {
    fn check(kind: KeyKind, remains: &mut Remains) {
        let generated = remains.after(|| SecretKey::generate(kind).unwrap());
        for part in generated.as_bytes().chunks(8) {
            assert_eq!(remains.count(part), 0);
        }
        let seed = seed();
        let key = remains.wiped(&[&seed], || SecretKey::from_bytes(kind, &seed).unwrap());
        let _copy = remains.wiped(&[&seed], || key.clone());
        let text = remains.wiped(&[&seed], || key.to_text());
        let _read = remains.wiped(&[&seed], || text.parse::<SecretKey>().unwrap());
    }
    let (mut remains, seed) = (Remains::new(), seed());
    check(KeyKind::Chain, &mut remains);
    check(KeyKind::Aggregate, &mut remains);
    check(KeyKind::Ed25519, &mut remains);

    let key = SecretKey::from_bytes(Scheme::Chain, &seed).unwrap();
    let pem = remains.wiped(&[&seed], || key.to_pem().unwrap());
    let _read = remains.wiped(&[&seed], || {
        SecretKey::from_pem(Scheme::Chain, &pem).unwrap()
    });
}

/// A device signs as the issuer. Then the token is entrusted to the device.
#[test]
fn secrets_of_tokens_that_a_device_signs_are_wiped() {
    let mut remains = Remains::new();
    let device = SigningKey::from_bytes(&[7; 32]);
    let key = PublicKey::from_bytes(Scheme::Chain, device.verifying_key().as_bytes()).unwrap();
    let minting = remains.after(|| Minting::prepare(&key, 0, b"all", &[]).unwrap());
    let signature = device.sign(minting.to_sign()).to_bytes();
    let token = makes(&mut remains, &[], || minting.assemble(&signature).unwrap());
    let secret = end(&token);
    let _held = remains.wiped(&[&secret], || token.entrust(&key, &[]).unwrap());
}

#[test]
fn secrets_of_bearers_are_wiped() {
    fn check(scheme: Scheme, remains: &mut Remains) {
        let (seed, limits) = (seed(), Limits::default());
        let root = SecretKey::from_bytes(scheme, &seed).unwrap();
        let party = SecretKey::from_bytes(KeyKind::Ed25519, &seed).unwrap();
        let caveats = ["method GET".parse().unwrap()];
        let token = makes(remains, &[&seed], || {
            Token::mint(&root, 0, b"all", &caveats).unwrap()
        });
        let secret = end(&token);
        let narrow = makes(remains, &[&secret], || token.narrow(&caveats).unwrap());
        let _longer = makes(remains, &[&secret], || token.append(b"less").unwrap());
        let _copy = remains.wiped(&[&secret], || token.clone());
        let request = remains.wiped(&[&secret], || token.request().unwrap());
        let statement = remains.wiped(&[&seed], || {
            request.sign(&party, b"account 17 is of age").unwrap()
        });
        let _stated = makes(remains, &[&secret], || {
            token.append_statement(&statement).unwrap()
        });
        let _sealed = remains.wiped(&[&secret], || token.seal(&CHALLENGE).unwrap());

        let secret = end(&narrow);
        let bytes = remains.wiped(&[&secret], || narrow.encode().unwrap());
        let text = remains.wiped(&[&secret], || narrow.to_text().unwrap());
        let _decoded = remains.wiped(&[&secret], || Token::decode(&bytes, &limits).unwrap());
        let read = remains.wiped(&[&secret], || Token::from_text(&text, &limits).unwrap());
        let roots = RootKeys::from(*root.public_key());
        let many = [read.clone(), read.clone()].map(|token| (token, None));
        let _verified = remains.wiped(&[&secret], || read.verify(&roots, None).unwrap());
        let verdicts = remains.wiped(&[&secret], || Token::verify_many(many, &roots));
        assert!(verdicts.iter().all(Result::is_ok));
    }
    let mut remains = Remains::new();
    check(Scheme::Chain, &mut remains);
    check(Scheme::Aggregate, &mut remains);
}
