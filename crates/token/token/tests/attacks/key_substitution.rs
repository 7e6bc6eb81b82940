//! Attacks with a signature that is valid under a key other than the signer's key.
//!
//! In the challenge scheme of `klero-studies`, e is a hash of R = s·G + e·P and the message, but not of P.
//! Because s·G + e·P = (s - e·d)·G + e·(P + d·G), a signature (s, e) under P gives a signature (s - e·d, e)
//! under P + d·G, with the same R and e. The attacker needs neither secret key. In a chain of signatures, he
//! replaces the first key, the only key that no signature covers.

use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, chain_message, challenge, scalar};
use crate::sound::{edwards, fails, honest, refused_by, ristretto, root_key, wrong_root};
use curve25519_dalek::{EdwardsPoint, RistrettoPoint, Scalar};
use klero_token::{Place, PublicKey, SecretKey};
use sha2::{Digest, Sha512};

/// Presents a token to a verifier that trusts only another issuer. If the token contains its issuer's key (in
/// the first block), the token is also presented with the other issuer's key in place of that key.
fn another_issuer<S: Twin>() {
    let other = *SecretKey::from_seed(S::SCHEME, &[7; 32]).public_key();
    let mut token = honest::<S>(&[b"pay the bearer", b"today"]);
    refused_by::<S>(&other, &token, None, wrong_root::<S>());
    if S::NAME != "chain" {
        token.blocks[0].link[..32].copy_from_slice(other.as_bytes());
        refused_by::<S>(&other, &token, None, S::wrong(Place::Block(0)));
        refused_by::<S>(&root_key::<S>(), &token, None, wrong_root::<S>());
    }
}

fails!(another_issuer);

/// Tries S + c_0·d under the key P + d·G. The hash c_0 covers the key, so the test tries c_0 for the old key
/// and c_0 for the new key.
#[test]
fn aggregate_related_key() {
    let d = Scalar::from(42u8);
    let key = ristretto(root_key::<Aggregate>().as_bytes());
    let other = (key + RistrettoPoint::mul_base(&d)).compress();
    let root = PublicKey::from_bytes(Aggregate::SCHEME, other.as_bytes()).unwrap();
    let token = honest::<Aggregate>(&[b"your tenant's files"]);
    let mut moved = token.clone();
    moved.blocks[0].link[..32].copy_from_slice(other.as_bytes());
    for blocks in [&token.blocks, &moved.blocks] {
        let c = challenge(blocks);
        let mut moved = moved.clone();
        moved.end = (scalar(&token.end) + c * d).to_bytes().to_vec();
        refused_by::<Aggregate>(&root, &moved, None, Aggregate::wrong(Place::Aggregate));
    }
}

/// Tries s + k·d under the key A + d·B, first with k for the old key and then with k for the new key.
#[test]
fn chain_related_key() {
    let d = Scalar::from(42u8);
    let key = root_key::<Chain>();
    let other = (edwards(key.as_bytes()) + EdwardsPoint::mul_base(&d)).compress();
    let root = PublicKey::from_bytes(Chain::SCHEME, other.as_bytes()).unwrap();
    let token = honest::<Chain>(&[b"your tenant's files"]);
    let (next, signature) = token.blocks[0].link.split_at(32);
    let message = chain_message(0, &Chain::bound_to(&[]), next, &token.blocks[0].payload);
    for key in [key.as_bytes(), other.as_bytes()] {
        let k = Sha512::digest([&signature[..32], key, &message].concat());
        let k = Scalar::from_bytes_mod_order_wide(&k.into());
        let s = scalar(&signature[32..]) + k * d;
        let mut moved = token.clone();
        moved.blocks[0].link[64..].copy_from_slice(s.as_bytes());
        refused_by::<Chain>(&root, &moved, None, Chain::wrong(Place::Block(0)));
    }
}
