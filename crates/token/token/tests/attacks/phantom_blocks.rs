//! Attacks that extend a valid token with blocks that nobody signed.

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

/// The point of the block is the identity, which adds nothing to the sum. So S is right for any payload, and
/// the attacker needs no secret.
#[test]
fn aggregate_identity() {
    let mut token = honest::<Aggregate>(&[b"read"]);
    token.blocks.push(phantom(&[&[0; 32]]));
    let place = Place::Block(1);
    refused::<Aggregate>(&token, None, errors::point(place));

    // Somebody who has the bearer token makes a seal whose point is the identity.
    let mut sealed = honest::<Aggregate>(&[b"read"]);
    sealed.sealed = true;
    sealed.end = [&[0; 32], &sealed.end[..]].concat();
    let place = Place::Seal;
    refused::<Aggregate>(&sealed, Some(&CHALLENGE), errors::point(place));
}

/// Adds blocks with the points Y and -Y. Then replaces Y_2 or Y_1 so that z_1·Y_1 + z_2·Y_2 = 0 for the
/// weights before the change. But a new Y_2 changes z_2, and a new Y_1 changes both weights, so the sum is
/// again not zero.
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

/// A next key of small order. Unless verifiers are strict, anyone can sign for it: R = identity and s = 0.
#[test]
fn chain_small_order() {
    for torsion in curve25519_dalek::constants::EIGHT_TORSION {
        let key = torsion.compress();
        let mut token = Parts::nothing::<Chain>(&ROOT_SEED);
        Chain::add(&mut token, ROOT, &MY_SEED, &rights(b"read"));
        // The holder signs with his key, and chooses a next key for which everybody can sign.
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

        // The same key, followed by a seal in place of a block.
        token.blocks.pop();
        let mut sealed = token.clone();
        sealed.sealed = true;
        sealed.end = anyone.to_vec();
        refused::<Chain>(&sealed, Some(&CHALLENGE), small);
        // A bearer token would need the secret of this key, which nobody has.
        refused::<Chain>(&token, None, Error::Possession);
    }
}

/// Replaces a key A by -A. A signature by A is not valid under -A.
#[test]
fn chain_opposite_key() {
    let token = honest::<Chain>(&[b"read", b"less"]);
    let mut other = token.clone();
    let key = (-edwards(&other.blocks[0].link[..32])).compress();
    other.blocks[0].link[..32].copy_from_slice(key.as_bytes());
    refused::<Chain>(&other, None, Chain::wrong(Place::Block(0)));
}
