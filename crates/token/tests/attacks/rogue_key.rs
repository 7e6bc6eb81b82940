//! A key chosen to cancel the root's.

use crate::encoding::{OPAQUE, Part};
use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, aggregate_secret, coefficients, multiple};
use crate::sound::{MY_SEED, honest, refused, root_key};
use curve25519_dalek::Scalar;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use klero_token::{Error, Place};

/// x·G - P_root as the second key, all nonces known: S·G lacks c_0 - z_1·c_1 times the
/// root key, and no choice makes them equal.
#[test]
fn aggregate() {
    let mut token = honest::<Aggregate>(&[b"everything", b"everything"]);
    let x = aggregate_secret(&MY_SEED);
    let key = CompressedRistretto::from_slice(root_key::<Aggregate>().as_bytes()).unwrap();
    let rogue = RistrettoPoint::mul_base(&x) - key.decompress().unwrap();
    let nonces = [3u8, 5].map(Scalar::from);
    for (block, nonce) in token.blocks.iter_mut().zip(nonces) {
        block.link[32..].copy_from_slice(&multiple(nonce));
    }
    token.blocks[1].link[..32].copy_from_slice(rogue.compress().as_bytes());
    let (c0, _) = coefficients(&token.blocks[..1]);
    let (c1, z1) = coefficients(&token.blocks);
    for own in [z1 * c1 * x, c0 * x, (c0 + z1 * c1) * x, Scalar::ZERO] {
        token.end = (nonces[0] + z1 * nonces[1] + own).to_bytes().to_vec();
        let place = Place::Aggregate;
        refused::<Aggregate>(&token, None, Error::Signature { place });
    }
}

/// Nothing is summed: each signature is verified with its own key, and nobody can sign with this
/// one.
#[test]
fn chain() {
    let key = |bytes: &[u8]| {
        CompressedEdwardsY::from_slice(bytes)
            .unwrap()
            .decompress()
            .unwrap()
    };
    let mine = ed25519_dalek::SigningKey::from_bytes(&MY_SEED);
    let rogue = key(mine.verifying_key().as_bytes()) - key(root_key::<Chain>().as_bytes());
    let mut token = honest::<Chain>(&[b"read"]);
    token.blocks[0].link[..32].copy_from_slice(rogue.compress().as_bytes());
    token.end = MY_SEED.to_vec();
    let place = Place::Block(0);
    refused::<Chain>(&token, None, Error::Signature { place });

    // After a valid block.
    let mut token = honest::<Chain>(&[b"read"]);
    Chain::add(&mut token, OPAQUE, &MY_SEED, b"more");
    let Part { link, .. } = &mut token.blocks[1];
    link[..32].copy_from_slice(rogue.compress().as_bytes());
    let place = Place::Block(1);
    refused::<Chain>(&token, None, Error::Signature { place });
}
