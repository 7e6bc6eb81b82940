//! Attacks that append to an invalid token to get a valid token.
//!
//! In the VRF schemes of `klero-studies`, a verifier checks only the first key and the last challenge. The
//! `append` of these schemes computes this challenge from the token's u and v, even if the token is invalid.
//! So the attack needs only public functions.

use crate::encoding::{OPAQUE, Part, Parts, ROOT, rights};
use crate::equations::{self, Twin};
use crate::sound::{CHALLENGE, MY_SEED, fails, honest, refused, root_key};
use klero_token::Place;

/// A first block that the root did not sign, followed by a correctly made block and seal. In `Aggregate`, the
/// first block contains the root's key.
fn appended_to_garbage<S: Twin>() {
    let another = honest::<S>(&[b"another"]);
    let mut link = another.blocks[0].link.clone();
    if S::NAME == "chain" {
        // The next key is mine.
        let mine = klero_token::SecretKey::from_seed(S::SCHEME, &MY_SEED);
        link[..32].copy_from_slice(mine.public_key().as_bytes());
    } else {
        assert!(link.starts_with(root_key::<S>().as_bytes()));
    }
    let mut token = match S::NAME {
        "chain" => Parts::nothing::<S>(&MY_SEED),
        _ => Parts::nothing::<S>(&another.end),
    };
    token.blocks.push(Part {
        kind: ROOT,
        link,
        payload: rights(b"everything"),
    });
    refused::<S>(&token, None, S::wrong(Place::Block(0)));
    S::add(&mut token, OPAQUE, &MY_SEED, b"");
    refused::<S>(&token, None, S::wrong(Place::Block(0)));
    S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    refused::<S>(&token, Some(&CHALLENGE), S::wrong(Place::Block(0)));
}

/// A token that my key signed. In `Aggregate`, its first block contains my key, which the root's key
/// replaces.
fn key_put_in_front<S: Twin>() {
    let mut token = equations::token::<S>(&MY_SEED, &[b"everything", b"less"]);
    if S::NAME != "chain" {
        let key = root_key::<S>();
        token.blocks[0].link[..32].copy_from_slice(key.as_bytes());
    }
    refused::<S>(&token, None, S::wrong(Place::Block(0)));
}

fails!(appended_to_garbage, key_put_in_front);
