//! Blocks that nobody signed, in a token that stays valid.

use crate::encoding::{OPAQUE, Part, Parts, ROOT, rights};
use crate::equations::{self, Twin, weight};
use crate::equations::{Aggregate, Chain};
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, edwards, honest, refused};
use crate::support::errors;
use curve25519_dalek::{RistrettoPoint, Scalar};
use klero_token::{Error, Place};

fn phantom(link: &[&[u8]]) -> Part {
    Part {
        kind: OPAQUE,
        link: link.concat(),
        payload: b"added by nobody".to_vec(),
    }
}

/// The identity, which adds nothing: S is right without a secret, and with any payload.
#[test]
fn aggregate_identity() {
    let mut token = honest::<Aggregate>(&[b"read"]);
    token.blocks.push(phantom(&[&[0; 32]]));
    let place = Place::Block(1);
    refused::<Aggregate>(&token, None, errors::point(place));

    // In a seal by somebody who saw the token with its first block.
    let mut sealed = honest::<Aggregate>(&[b"read"]);
    sealed.sealed = true;
    sealed.end = [&[0; 32], &sealed.end[..]].concat();
    let place = Place::Seal;
    refused::<Aggregate>(&sealed, Some(&CHALLENGE), errors::point(place));
}

/// Y and -Y, or Y and -z_1/z_2·Y with the old weights: z_1·Y + z_2·Y' is not zero, because the second point
/// changes its own weight, and the first changes both.
#[test]
fn aggregate_opposite_points() {
    let point = RistrettoPoint::mul_base(&Scalar::from(99u8));
    let encoding = |point: RistrettoPoint| point.compress().to_bytes();
    let mut token = honest::<Aggregate>(&[b"read"]);
    for point in [point, -point] {
        token.blocks.push(phantom(&[&encoding(point)]));
    }
    refused::<Aggregate>(&token, None, Aggregate::wrong(Place::Aggregate));
    for _ in 0..4 {
        let weights = [2, 3].map(|count| weight(&token.blocks[..count]));
        let second = -weights[0] * weights[1].invert() * point;
        token.blocks[2].link = encoding(second).to_vec();
        refused::<Aggregate>(&token, None, Aggregate::wrong(Place::Aggregate));
        let first = -weights[1] * weights[0].invert() * second;
        token.blocks[1].link = encoding(first).to_vec();
        refused::<Aggregate>(&token, None, Aggregate::wrong(Place::Aggregate));
    }
}

/// A next key of small order, for which anyone can sign: with R = identity and s = 0 if
/// the verifier is not strict.
#[test]
fn chain_small_order() {
    for torsion in curve25519_dalek::constants::EIGHT_TORSION {
        let key = torsion.compress();
        let mut token = Parts::nothing::<Chain>(&ROOT_SEED);
        Chain::add(&mut token, ROOT, &MY_SEED, &rights(b"read"));
        // The holder, who has a key, names a next one that everybody has.
        let binding = Chain::bound_to(&token.blocks);
        let message = equations::chain_message(OPAQUE, &binding, key.as_bytes(), b"less");
        let mine = ed25519_dalek::SigningKey::from_bytes(&MY_SEED);
        let signature = ed25519_dalek::Signer::sign(&mine, &message).to_bytes();
        token.blocks.push(phantom(&[key.as_bytes(), &signature]));
        token.blocks[1].payload = b"less".to_vec();
        let mut anyone = [0; 64];
        anyone[0] = 1;
        token.blocks.push(phantom(&[key.as_bytes(), &anyone]));
        let small = errors::signature(Place::Block(1), errors::SMALL_ORDER);
        refused::<Chain>(&token, None, small.clone());

        // As the key of a seal.
        token.blocks.pop();
        let mut sealed = token.clone();
        sealed.sealed = true;
        sealed.end = anyone.to_vec();
        refused::<Chain>(&sealed, Some(&CHALLENGE), small);
        // And without the secret that nobody has.
        refused::<Chain>(&token, None, Error::Possession);
    }
}

/// -A in place of A: a signature by A is not valid under -A.
#[test]
fn chain_opposite_key() {
    let token = honest::<Chain>(&[b"read", b"less"]);
    let mut other = token.clone();
    let key = (-edwards(&other.blocks[0].link[..32])).compress();
    other.blocks[0].link[..32].copy_from_slice(key.as_bytes());
    refused::<Chain>(&other, None, Chain::wrong(Place::Block(0)));
}
