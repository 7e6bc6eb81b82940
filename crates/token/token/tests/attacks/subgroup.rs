//! Attacks with keys outside the prime-order subgroup.
//!
//! In the pairing scheme of `klero-studies`, e(T, ·) = 1 for every point T whose order divides the curve's
//! cofactor. So an attacker can use T as a key, or add T to a key: the bytes of the key change, but its
//! pairings do not.

use crate::encoding::{OPAQUE, Part, Parts, ROOT, rights};
use crate::equations::{Aggregate, Chain};
use crate::equations::{Twin, chain_message};
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, edwards, fails, honest, refused, refused_by};
use crate::support::errors;
use crate::support::{decode, roots};
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::{EdwardsPoint, Scalar};
use klero_token::{Error, Place, PublicKey, SecretKey, Token};
use sha2::{Digest, Sha512};

/// ristretto255 has no torsion, and each element has one encoding s. If p - s or s + 2^255 takes the place of
/// s, the token is refused. The Edwards encodings of points of small order are refused as well.
#[test]
fn aggregate_encodings() {
    let token = honest::<Aggregate>(&[b"read", b"less"]);
    let negative = |s: &[u8]| {
        // p - s, which is odd. An encoding must be even.
        let mut out = [0xff; 32];
        (out[0], out[31]) = (0xed, 0x7f);
        let mut borrow = 0;
        for (out, s) in out.iter_mut().zip(s) {
            let difference = i16::from(*out) - i16::from(*s) - borrow;
            borrow = i16::from(difference < 0);
            *out = difference as u8;
        }
        out
    };
    let top = |s: &[u8]| {
        let mut out: [u8; 32] = s.try_into().unwrap();
        out[31] |= 0x80;
        out
    };
    let fields = [(0, 32..64), (1, 0..32)];
    for (block, field) in fields.clone() {
        let point = &token.blocks[block].link[field.clone()];
        for encoding in [negative(point), top(point)] {
            let mut other = token.clone();
            other.blocks[block].link[field.clone()].copy_from_slice(&encoding);
            let place = Place::Block(block);
            refused::<Aggregate>(&other, None, errors::point(place));
        }
    }
    // The first field must be the root's key.
    let mut other = token.clone();
    let first = &mut other.blocks[0].link[..32];
    let root = negative(first);
    first.copy_from_slice(&root);
    refused::<Aggregate>(&other, None, Error::WrongRoot(0));
    for torsion in EIGHT_TORSION {
        for (block, field) in fields.clone() {
            let mut other = token.clone();
            other.blocks[block].link[field].copy_from_slice(torsion.compress().as_bytes());
            let place = Place::Block(block);
            assert_eq!(refusal(&other), errors::point(place));
        }
    }
}

fn refusal(token: &Parts) -> Error {
    let token = decode(&token.bytes()).unwrap();
    token.verify(&roots(Aggregate::SCHEME), None).unwrap_err()
}

/// Adds a point of small order to next keys and to R, after signing.
#[test]
fn chain_added_to_what_is_signed() {
    let token = honest::<Chain>(&[b"read", b"less"]);
    let mut sealed = token.clone();
    Chain::seal_to(&mut sealed, &CHALLENGE.encode().unwrap());
    for torsion in &EIGHT_TORSION[1..] {
        let moved = |bytes: &[u8]| (edwards(bytes) + torsion).compress().to_bytes();
        for block in 0..2 {
            for field in [0..32, 32..64] {
                let mut token = token.clone();
                let field = &mut token.blocks[block].link[field];
                field.copy_from_slice(&moved(field));
                refused::<Chain>(&token, None, Chain::wrong(Place::Block(block)));
            }
        }
        let mut sealed = sealed.clone();
        let r = moved(&sealed.end[..32]);
        sealed.end[..32].copy_from_slice(&r);
        refused::<Chain>(&sealed, Some(&CHALLENGE), Chain::wrong(Place::Seal));
    }
}

/// Makes a token of one block. Its signer adds T to the key and U to R, and computes k from the results. The
/// equation holds only if k·T + U = 0, but multiplied by the cofactor 8 it always holds.
fn by_hand(x: Scalar, t: EdwardsPoint, u: EdwardsPoint, payload: &[u8]) -> (PublicBytes, Parts) {
    let next = SecretKey::from_seed(Chain::SCHEME, &MY_SEED);
    let next = next.public_key().as_bytes();
    let payload = rights(payload);
    let message = chain_message(ROOT, &Chain::bound_to(&[]), next, &payload);
    let nonce = Scalar::from(77u8);
    let key = (EdwardsPoint::mul_base(&x) + t).compress().to_bytes();
    let r = (EdwardsPoint::mul_base(&nonce) + u).compress().to_bytes();
    let k = Sha512::digest([&r[..], &key, &message].concat());
    let k = Scalar::from_bytes_mod_order_wide(&k.into());
    let s = nonce + k * x;
    let mut token = Parts::nothing::<Chain>(&MY_SEED);
    token.blocks.push(Part {
        kind: ROOT,
        link: [next, &r, s.as_bytes()].concat(),
        payload,
    });
    (key, token)
}

type PublicBytes = [u8; 32];

/// A signer who wants verifiers to disagree makes pairs of tokens with R + T and R - T. In a common sum, the
/// errors of a pair cancel. But every token is refused in groups of up to 23, and the first also alone.
#[test]
fn chain_pairs_that_cancel() {
    let x = Scalar::from(5u8);
    let o = EIGHT_TORSION[0];
    for torsion in &EIGHT_TORSION[1..] {
        let mut tokens = Vec::new();
        let mut key = [0; 32];
        for pair in 0..12u8 {
            for torsion in [*torsion, -torsion] {
                let (own, token) = by_hand(x, o, torsion, &[pair]);
                key = own;
                tokens.push(token);
            }
        }
        let root = PublicKey::from_bytes(Chain::SCHEME, &key).unwrap();
        let wrong = Chain::wrong(Place::Block(0));
        refused_by::<Chain>(&root, &tokens[0], None, wrong.clone());
        let decoded = tokens.iter().map(|token| decode(&token.bytes()).unwrap());
        let decoded: Vec<_> = decoded.map(|token| (token, None)).collect();
        for n in 0..decoded.len() {
            for verdict in Token::verify_many(decoded[..n].to_vec(), &root.into()) {
                assert_eq!(verdict.unwrap_err(), wrong);
            }
        }
    }
}

/// A root key to which its owner added torsion. The equation without the cofactor determines the verdict,
/// whether a token is alone or in a group. If the torsion has order n, about one signature in n is valid.
#[test]
fn chain_keys_with_torsion() {
    let mut held = 0;
    for torsion in &EIGHT_TORSION[1..] {
        for n in 0..32u8 {
            let (key, token) = by_hand(Scalar::from(5u8), *torsion, EIGHT_TORSION[0], &[n]);
            let root = PublicKey::from_bytes(Chain::SCHEME, &key).unwrap();
            if Chain::holds(&token, &key, None) {
                held += 1;
                let tokens = vec![(decode(&token.bytes()).unwrap(), None); 9];
                let verdicts = Token::verify_many(tokens, &root.into());
                assert!(verdicts.iter().all(Result::is_ok));
            } else {
                refused_by::<Chain>(&root, &token, None, Chain::wrong(Place::Block(0)));
            }
        }
    }
    assert!((20..100).contains(&held), "{held} of 224");
}

/// Uses s + L instead of s, and S + L instead of S. L is the order of the group.
#[test]
fn scalars_beyond_the_order() {
    fn beyond(s: &mut [u8]) {
        let order = (-Scalar::ONE).to_bytes();
        let mut carry = 1;
        for (byte, add) in s.iter_mut().zip(order) {
            carry += u16::from(*byte) + u16::from(add);
            *byte = carry as u8;
            carry >>= 8;
        }
    }
    let mut token = honest::<Aggregate>(&[b"read", b"less"]);
    beyond(&mut token.end);
    let place = Place::Aggregate;
    refused::<Aggregate>(&token, None, errors::scalar(place));
    for block in 0..2 {
        let mut token = honest::<Chain>(&[b"read", b"less"]);
        beyond(&mut token.blocks[block].link[64..96]);
        let place = Place::Block(block);
        refused::<Chain>(&token, None, errors::scalar(place));
    }
}

/// A link whose first 32 bytes are neither a key nor a point.
fn garbage_keys<S: Twin>() {
    let mut token = honest::<S>(&[b"read"]);
    S::add(&mut token, OPAQUE, &ROOT_SEED, b"less");
    token.blocks[1].link[..32].fill(0xff);
    let place = Place::Block(1);
    let refusal = match S::NAME {
        "chain" => S::wrong(place),
        _ => errors::point(place),
    };
    refused::<S>(&token, None, refusal);
}

fails!(garbage_keys);
