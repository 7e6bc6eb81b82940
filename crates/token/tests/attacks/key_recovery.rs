//! Appending one message to two tokens reveals the secret key.
//!
//! k is a hash of x and h only, so it is the same both times; the challenge differs. From
//! s = k + c·x and s' = k + c'·x follows x = (s - s') / (c - c'), and s is the increase of S.

use curve25519_dalek::Scalar;
use klero_token::hazmat::seed::{ristretto::KeyPair, vrf1, vrf2};
use klero_token::{Aggregate, Bls, Chain, SecretKey, Statement, Verified};
use sha2::{Digest, Sha512};

use crate::encoding::{Part, STATEMENT};
use crate::equations::{chain_message, coefficients, multiple, scalar};
use crate::sound::{parts, root};

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

/// s_i and c_i of the last block.
fn last(blocks: &[Part], before: &[u8], after: &[u8]) -> (Scalar, Scalar) {
    let (c, z) = coefficients(blocks);
    ((scalar(after) - scalar(before)) * z.invert(), c)
}

/// The nonce is random and hashed with the prefix. No two blocks have the same R, and the
/// equation gives a wrong x.
#[test]
fn aggregate_appended_twice() {
    let victim = SecretKey::<Aggregate>::from_seed(&[7; 32]);
    let one = Verified::mint(&root(), 0, b"mine").unwrap();
    let two = Verified::mint(&root(), 0, b"mine").unwrap();
    let shared = [&one, &two, &one].map(|before| {
        let after = parts(&before.append_with(&victim, b"read only").unwrap());
        let (s, c) = last(&after.blocks, &parts(before).end, &after.end);
        (after.blocks[1].link[32..].to_vec(), s, c)
    });
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let [(r, s, c), (q, t, d)] = [&shared[i], &shared[j]];
        assert_ne!(r, q);
        let x = (s - t) * (c - d).invert();
        assert_ne!(multiple(x), victim.public_key().as_bytes());
        // The difference is the s of the block.
        let r = curve25519_dalek::ristretto::CompressedRistretto::from_slice(r).unwrap();
        let key = victim.public_key().as_bytes();
        let key = curve25519_dalek::ristretto::CompressedRistretto::from_slice(key).unwrap();
        let right = r.decompress().unwrap() + c * key.decompress().unwrap();
        assert_eq!(multiple(*s), right.compress().to_bytes());
    }
}

/// The same for the root key, and for a third party's.
#[test]
fn aggregate_minted_and_stated_twice() {
    let link = || parts(&Verified::<Aggregate>::mint(&root(), 0, b"").unwrap()).blocks[0].clone();
    assert_ne!(link().link[32..], link().link[32..]);
    let request = Verified::<Aggregate>::mint(&root(), 0, b"")
        .unwrap()
        .request()
        .unwrap();
    let stated = || request.sign(&root(), b"of age").unwrap().encode().unwrap();
    assert_ne!(stated()[37..69], stated()[37..69]);
}

/// Ed25519 derives the nonce from the message. One message has one signature; another prefix or
/// another next key gives another nonce.
#[test]
fn chain_signed_twice() {
    let [one, two] = [(); 2].map(|()| Verified::<Chain>::mint(&root(), 0, b"mine").unwrap());
    let [r, q] = [&one, &two].map(|token| parts(token).blocks[0].link[32..64].to_vec());
    assert_ne!(r, q);

    let victim = SecretKey::<Chain>::from_seed(&[7; 32]);
    let stated = |token: &Verified<Chain>| -> Statement<Chain> {
        token.request().unwrap().sign(&victim, b"of age").unwrap()
    };
    let read = |token: &Verified<Chain>| {
        let bytes = stated(token).encode().unwrap();
        let (a, r, s) = (&bytes[5..37], &bytes[37..69], &bytes[69..101]);
        let binding = &token.request().unwrap().encode()[5..];
        let message = chain_message(STATEMENT, binding, &[0; 32], b"of age");
        let k = Sha512::digest([r, a, &message].concat());
        let k = Scalar::from_bytes_mod_order_wide(&k.into());
        (r.to_vec(), scalar(s), k)
    };
    assert_eq!(stated(&one).encode(), stated(&one).encode());
    let [(r, s, k), (q, t, l)] = [&one, &two].map(read);
    assert_ne!(r, q);
    let x = (s - t) * (k - l).invert();
    let key = curve25519_dalek::EdwardsPoint::mul_base(&x).compress();
    assert_ne!(key.as_bytes(), victim.public_key().as_bytes());
}

/// There is no nonce; but the message differs in every place, so that no signature helps to
/// make another.
#[test]
fn bls_has_no_two_equal_messages() {
    let victim = SecretKey::<Bls>::from_seed(&[7; 32]);
    let signature = |payload: &[u8]| {
        let request = Verified::<Bls>::mint(&root(), 0, payload)
            .unwrap()
            .request()
            .unwrap();
        request.sign(&victim, b"of age").unwrap().encode().unwrap()
    };
    assert_eq!(signature(b"one"), signature(b"one"));
    assert_ne!(signature(b"one"), signature(b"two"));
}
