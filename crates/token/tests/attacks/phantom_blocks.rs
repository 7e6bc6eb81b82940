//! Blocks that nobody signed, in a token that stays valid.

use crate::encoding::{self, OPAQUE, Parts};
use crate::equations::{self, Twin, coefficients, multiple, scalar};
use crate::equations::{Aggregate, Chain};
use crate::sound::{MY_SEED, honest, refused};
use curve25519_dalek::Scalar;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::ristretto::CompressedRistretto;
use klero_token::{Error, KeyFault, Place};

fn phantom(link: &[&[u8]]) -> encoding::Part {
    encoding::Part {
        kind: OPAQUE,
        link: link.concat(),
        payload: b"added by nobody".to_vec(),
    }
}

/// The identity as a key, with a nonce that is known: R and S are right.
#[test]
fn aggregate_identity() {
    let mut token = honest::<Aggregate>(&[b"read"]);
    token
        .blocks
        .push(phantom(&[&[0; 32], &multiple(Scalar::from(3u8))]));
    let (_, z) = coefficients(&token.blocks);
    token.end = (scalar(&token.end) + z * Scalar::from(3u8))
        .to_bytes()
        .to_vec();
    let (place, fault) = (Place::Block(1), KeyFault::SmallOrder);
    refused::<Aggregate>(&token, None, Error::Key { place, fault });

    // Both the key and R: nothing is added, and S is right.
    let mut token = honest::<Aggregate>(&[b"read"]);
    token.blocks.push(phantom(&[&[0; 64]]));
    refused::<Aggregate>(&token, None, Error::Key { place, fault });

    // Only R, with an s for it.
    let mut token = honest::<Aggregate>(&[b"read"]);
    let x = equations::aggregate_secret(&MY_SEED);
    token.blocks.push(phantom(&[&multiple(x), &[0; 32]]));
    let (c, z) = coefficients(&token.blocks);
    token.end = (scalar(&token.end) + z * c * x).to_bytes().to_vec();
    refused::<Aggregate>(&token, None, Error::SignaturePoint { place });
}

/// P and -P with nonces that are known: z_1·c_1·P - z_2·c_2·P is left.
#[test]
fn aggregate_opposite_keys() {
    let victim = multiple(Scalar::from(99u8));
    let point = CompressedRistretto(victim).decompress().unwrap();
    let mut token = honest::<Aggregate>(&[b"read"]);
    for key in [victim, (-point).compress().to_bytes()] {
        token
            .blocks
            .push(phantom(&[&key, &multiple(Scalar::from(3u8))]));
        let (_, z) = coefficients(&token.blocks);
        token.end = (scalar(&token.end) + z * Scalar::from(3u8))
            .to_bytes()
            .to_vec();
    }
    let place = Place::Aggregate;
    refused::<Aggregate>(&token, None, Error::Signature { place });

    // P and -P as nonces, and R = -c·P: the key cancels, its challenge does not.
    let mut token = honest::<Aggregate>(&[b"read"]);
    token
        .blocks
        .push(phantom(&[&victim, &multiple(Scalar::ONE)]));
    let (c, _) = coefficients(&token.blocks);
    let r = (-c * point).compress();
    token.blocks[1].link[32..].copy_from_slice(r.as_bytes());
    refused::<Aggregate>(&token, None, Error::Signature { place });
}

/// A next key of small order, for which anyone can sign: with R = identity and s = 0 if
/// the verifier is not strict.
#[test]
fn chain_small_order() {
    for torsion in curve25519_dalek::constants::EIGHT_TORSION {
        let key = torsion.compress();
        let mut token = Parts::nothing::<Chain>(&Chain::beginning(&crate::sound::ROOT_SEED));
        Chain::add(
            &mut token,
            encoding::ROOT,
            &MY_SEED,
            &encoding::rights(b"read"),
        );
        // The holder, who has a key, signs for a next one that everybody has.
        let binding = Chain::bound_to(&token.blocks);
        let message = equations::chain_message(OPAQUE, &binding, key.as_bytes(), b"less");
        let mine = ed25519_dalek::SigningKey::from_bytes(&MY_SEED);
        let signature = ed25519_dalek::Signer::sign(&mine, &message).to_bytes();
        token.blocks.push(phantom(&[key.as_bytes(), &signature]));
        token.blocks[1].payload = b"less".to_vec();
        let mut anyone = [0; 64];
        anyone[0] = 1;
        token.blocks.push(phantom(&[key.as_bytes(), &anyone]));
        let (place, fault) = (Place::Block(1), KeyFault::SmallOrder);
        refused::<Chain>(&token, None, Error::Key { place, fault });

        // As the key of a seal.
        token.blocks.pop();
        let (challenge, mut sealed) = (crate::sound::CHALLENGE, token.clone());
        sealed.sealed = true;
        sealed.end = anyone.to_vec();
        refused::<Chain>(&sealed, Some(&challenge), Error::Key { place, fault });
        // And without the secret that nobody has.
        refused::<Chain>(&token, None, Error::Possession);
    }
}

/// -A for A: what A signed is not signed by -A.
#[test]
fn chain_opposite_key() {
    let token = honest::<Chain>(&[b"read", b"less"]);
    let mut other = token.clone();
    let key = CompressedEdwardsY::from_slice(&other.blocks[0].link[..32]).unwrap();
    let key = (-key.decompress().unwrap()).compress();
    other.blocks[0].link[..32].copy_from_slice(key.as_bytes());
    let place = Place::Block(0);
    refused::<Chain>(&other, None, Error::Signature { place });
}
