//! Attacks that know only the root's public key, and try to make a token of their own choice.

use crate::encoding::{OPAQUE, Part, Parts, ROOT, rights};
use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, challenge, multiple, scalar, weight};
use crate::sound::{MY_SEED, edwards, fails, refused, ristretto, root_key};
use crate::support::errors;
use curve25519_dalek::{EdwardsPoint, RistrettoPoint, Scalar};
use klero_token::{Place, SecretKey};

/// A token whose first block has this link, made without the root's secret key.
fn first<S: Twin>(link: &[&[u8]]) -> Parts {
    let mut token = Parts::nothing::<S>(&S::beginning(&MY_SEED));
    token.blocks.push(Part {
        kind: ROOT,
        link: link.concat(),
        payload: rights(b"everything"),
    });
    token
}

/// Tries signatures (R, s) with R = s·B - k·A, where A is the root's key and k is guessed. The attack fails
/// because the right k is a hash of R. Also tries the simplest values of R and s.
#[test]
fn chain_equation_solved_for_r() {
    let root = root_key::<Chain>();
    let mine = *SecretKey::from_seed(Chain::SCHEME, &MY_SEED).public_key();
    let key = edwards(root.as_bytes());
    let signature = |r: [u8; 32], s: Scalar| [r, s.to_bytes()].concat();
    let mut identity = [0; 32];
    identity[0] = 1;
    let mut signatures = vec![
        signature(identity, Scalar::ZERO),
        signature([0; 32], Scalar::ZERO),
        signature(*root.as_bytes().first_chunk().unwrap(), Scalar::ONE),
    ];
    for k in 0..8u8 {
        let s = Scalar::from(k) + Scalar::from(77u8);
        let r = EdwardsPoint::mul_base(&s) - Scalar::from(k) * key;
        signatures.push(signature(r.compress().to_bytes(), s));
    }
    for signature in signatures {
        let token = first::<Chain>(&[mine.as_bytes(), &signature]);
        refused::<Chain>(&token, None, Chain::wrong(Place::Block(0)));
    }
}

/// Solves S·G = R_0 + c_0·P_0 + z_1·Y_1 for R_0 or for Y_1. The attack fails because c_0 is a hash of R_0,
/// and z_1 is a hash of Y_1 (among other things).
#[test]
fn aggregate_equation_solved_for_a_point() {
    let root = root_key::<Aggregate>();
    let key = ristretto(root.as_bytes());
    let guess = multiple(Scalar::from(3u8));
    let s = Scalar::from(77u8);

    let mut token = first::<Aggregate>(&[root.as_bytes(), &guess]);
    token.end = s.to_bytes().to_vec();
    let refusal = Aggregate::wrong(Place::Aggregate);
    refused::<Aggregate>(&token, None, refusal.clone());
    let mut other = token.clone();
    for _ in 0..4 {
        let c = challenge(&other.blocks);
        let r = RistrettoPoint::mul_base(&s) - c * key;
        other.blocks[0].link[32..].copy_from_slice(r.compress().as_bytes());
        refused::<Aggregate>(&other, None, refusal.clone());
    }

    Aggregate::add(&mut token, OPAQUE, &MY_SEED, b"");
    let rest = ristretto(&guess) + challenge(&token.blocks) * key;
    let s = RistrettoPoint::mul_base(&scalar(&token.end));
    for _ in 0..4 {
        let y = weight(&token.blocks).invert() * (s - rest);
        token.blocks[1].link = y.compress().to_bytes().to_vec();
        refused::<Aggregate>(&token, None, refusal.clone());
    }
}

/// Signatures whose bytes are all equal.
fn constant<S: Twin>() {
    let root = root_key::<S>();
    for byte in [0, 1, 0x7f, 0xff] {
        let rest = vec![byte; S::link_length(ROOT)];
        let mut token = match S::NAME {
            "chain" => first::<S>(&[&rest]),
            _ => first::<S>(&[root.as_bytes(), &rest[32..]]),
        };
        token.end = vec![byte; S::whole_end(false)];
        let (block, all) = (Place::Block(0), Place::Aggregate);
        let refusal = match (S::NAME, byte) {
            ("chain", 0 | 1) => errors::wrong(block),
            ("chain", _) => errors::scalar(block),
            ("aggregate", 0 | 1) => errors::point(block),
            _ => errors::scalar(all),
        };
        refused::<S>(&token, None, refusal);
    }
}

fails!(constant);
