//! Attacks with a key or a point that is chosen to cancel the root's key.

use crate::encoding::{OPAQUE, Part};
use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, challenge, multiple, weight};
use crate::sound::{MY_SEED, edwards, honest, refused, ristretto, root_key};
use curve25519_dalek::Scalar;
use curve25519_dalek::ristretto::RistrettoPoint;
use klero_token::Place;

/// The second point is y·G - P_root, and the attacker knows the logarithm k of R. The terms of the root key
/// cancel only if c_0 = z_1, but both are hashes that the attacker cannot choose. Other multiples of P_root
/// do not help either: the right multiple depends on z_1, and every change of the multiple changes z_1.
#[test]
fn aggregate() {
    let key = ristretto(root_key::<Aggregate>().as_bytes());
    let [k, y] = [3u8, 5].map(Scalar::from);
    let mut token = honest::<Aggregate>(&[b"everything", b"everything"]);
    token.blocks[0].link[32..].copy_from_slice(&multiple(k));
    let c = challenge(&token.blocks);
    let mut of_key = -Scalar::ONE;
    for _ in 0..4 {
        let rogue = RistrettoPoint::mul_base(&y) + of_key * key;
        token.blocks[1].link = rogue.compress().to_bytes().to_vec();
        let z = weight(&token.blocks);
        for s in [k + z * y, k + y, k + c + z * y, k] {
            token.end = s.to_bytes().to_vec();
            refused::<Aggregate>(&token, None, Aggregate::wrong(Place::Aggregate));
        }
        of_key = -c * z.invert();
    }
}

/// A chain sums no keys: each signature is verified with its own key, and nobody can sign with the rogue key.
#[test]
fn chain() {
    let mine = ed25519_dalek::SigningKey::from_bytes(&MY_SEED);
    let rogue = edwards(mine.verifying_key().as_bytes()) - edwards(root_key::<Chain>().as_bytes());
    let mut token = honest::<Chain>(&[b"read"]);
    token.blocks[0].link[..32].copy_from_slice(rogue.compress().as_bytes());
    token.end = MY_SEED.to_vec();
    refused::<Chain>(&token, None, Chain::wrong(Place::Block(0)));

    // The rogue key after a valid block.
    let mut token = honest::<Chain>(&[b"read"]);
    Chain::add(&mut token, OPAQUE, &MY_SEED, b"more");
    let Part { link, .. } = &mut token.blocks[1];
    link[..32].copy_from_slice(rogue.compress().as_bytes());
    refused::<Chain>(&token, None, Chain::wrong(Place::Block(1)));
}
