//! A second implementation of the schemes, close to the equations on paper: to compare verdicts
//! with, and for attacks. Neither fast nor constant time.

// Each test uses only a part.
#![allow(dead_code)]

use blst::blst_fp12;
use blst::min_pk::{self, AggregateSignature};
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero_token::{Aggregate, Bls, Chain, Error, Place, Scheme};
use sha2::{Digest, Sha512};

use crate::encoding::{BLOCK, COVER, EXTERNAL, Part, Parts, ROOT, SEAL, STATEMENT};

/// The operations of a scheme. They add to any token without verifying it.
pub trait Twin: Scheme {
    /// The bytes of keys and signatures in a block of the kind.
    fn link_length(kind: u8) -> usize;
    /// The bytes behind the last block.
    fn end_length(sealed: bool) -> usize;
    /// The end of a token of no blocks, to which the key of the seed adds the first.
    fn beginning(root: &[u8; 32]) -> Vec<u8>;
    /// Whether the token is valid: under this root key, and sealed to this answer.
    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool;
    /// What the next block is bound to.
    fn bound_to(blocks: &[Part]) -> [u8; 64];
    /// Adds a block of the holder's; `Chain` takes the seed for the key that comes next.
    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]);
    /// A third party's key and signature.
    fn stated(binding: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8>;
    /// Adds a third party's block, with what the holder adds to it.
    fn add_external(token: &mut Parts, statement: &[u8], payload: &[u8]);
    /// Covers a third party's block, the last, with the key of the seed; in `Chain`, where
    /// the holder signs the block itself, nothing is to be covered.
    fn cover(_: &mut Parts, _: &[u8; 32]) {}
    /// Seals.
    fn seal_to(token: &mut Parts, answer: &[u8]);
    /// The error for a wrong signature that stands, or would stand, there.
    fn wrong(place: Place) -> Error;
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}

fn le64(bytes: &[u8]) -> [u8; 8] {
    (bytes.len() as u64).to_le_bytes()
}

/// A key whose value does not matter.
const ANYBODY: [u8; 32] = [0xab; 32];

/// The schemes that sum signatures: whoever knows a signature can subtract it.
pub trait Summed: Twin {
    /// The bytes of the sum.
    const SUM: usize;
    /// The link and the signature of what is added behind these blocks.
    fn signed(blocks: &[Part], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8>;
    /// The sum and the last signature of these blocks, or the sum without it.
    fn total(sum: &[u8], blocks: &[Part], signature: &[u8], without: bool) -> Vec<u8>;

    /// Adds a block, and to the sum its signature.
    fn include(token: &mut Parts, kind: u8, signed: &[u8], payload: &[u8]) {
        let (link, signature) = signed.split_at(Self::link_length(BLOCK));
        token.blocks.push(Part {
            kind,
            link: link.to_vec(),
            payload: payload.to_vec(),
        });
        token.end = Self::total(&token.end, &token.blocks, signature, false);
    }

    /// Covers the last block with what was signed.
    fn cover_with(token: &mut Parts, signed: &[u8]) {
        let (link, signature) = signed.split_at(Self::link_length(BLOCK));
        token.blocks.last_mut().unwrap().link.extend(link);
        token.end = Self::total(&token.end, &token.blocks, signature, false);
    }

    /// Takes the last signature of these blocks out of the token's sum.
    fn take_off(token: &mut Parts, blocks: &[Part], signature: &[u8]) {
        let sum = token.end.split_off(token.end.len() - Self::SUM);
        let sum = Self::total(&sum, blocks, signature, true);
        token.end.extend(sum);
    }
}

// Chain.

/// What is signed.
pub fn chain_message(kind: u8, binding: &[u8], next: &[u8], payload: &[u8]) -> Vec<u8> {
    let tag = &b"klero-token/v1/chain"[..];
    [tag, &[kind], binding, next, &le64(payload), payload].concat()
}

fn strictly(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key: [u8; 32] = key.try_into().unwrap();
    let canonical = |point: curve25519_dalek::EdwardsPoint| point.compress().to_bytes() == key;
    CompressedEdwardsY(key).decompress().is_some_and(canonical)
        && VerifyingKey::from_bytes(&key)
            .unwrap()
            .verify_strict(message, &Signature::from_slice(signature).unwrap())
            .is_ok()
}

fn seed_of(end: &[u8]) -> SigningKey {
    SigningKey::from_bytes(end.try_into().unwrap())
}

impl Twin for Chain {
    fn link_length(kind: u8) -> usize {
        if kind == EXTERNAL { 192 } else { 96 }
    }

    fn end_length(sealed: bool) -> usize {
        if sealed { 64 } else { 32 }
    }

    fn beginning(root: &[u8; 32]) -> Vec<u8> {
        root.to_vec()
    }

    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool {
        let mut key = root;
        let mut binding = [0; 64];
        for block in &token.blocks {
            let (next, rest) = block.link.split_at(32);
            let (signature, external) = rest.split_at(64);
            if !external.is_empty() {
                let (third, stated) = external.split_at(32);
                let message = chain_message(STATEMENT, &binding, &[0; 32], &block.payload);
                if !strictly(third, &message, stated) {
                    return false;
                }
            }
            let message = chain_message(block.kind, &binding, next, &block.payload);
            if !strictly(key, &[&message, external].concat(), signature) {
                return false;
            }
            key = next;
            binding = sha512(&[signature]);
        }
        match answer {
            Some(answer) => {
                let message = chain_message(SEAL, &binding, &[0; 32], answer);
                strictly(key, &message, &token.end)
            }
            None => seed_of(&token.end).verifying_key().as_bytes() == key,
        }
    }

    fn bound_to(blocks: &[Part]) -> [u8; 64] {
        match blocks.last() {
            Some(block) => sha512(&[&block.link[32..96]]),
            None => [0; 64],
        }
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        chain_add(token, kind, seed, payload, &[]);
    }

    fn stated(binding: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        let key = SigningKey::from_bytes(seed);
        let message = chain_message(STATEMENT, binding, &[0; 32], payload);
        [
            &key.verifying_key().to_bytes()[..],
            &key.sign(&message).to_bytes(),
        ]
        .concat()
    }

    fn add_external(token: &mut Parts, statement: &[u8], payload: &[u8]) {
        chain_add(token, EXTERNAL, &ANYBODY, payload, statement);
    }

    fn seal_to(token: &mut Parts, answer: &[u8]) {
        let message = chain_message(SEAL, &Self::bound_to(&token.blocks), &[0; 32], answer);
        token.end = seed_of(&token.end).sign(&message).to_bytes().to_vec();
        token.sealed = true;
    }

    fn wrong(place: Place) -> Error {
        Error::Signature { place }
    }
}

fn chain_add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8], external: &[u8]) {
    let next = SigningKey::from_bytes(seed).verifying_key().to_bytes();
    let message = chain_message(kind, &Chain::bound_to(&token.blocks), &next, payload);
    let signature = seed_of(&token.end).sign(&[&message, external].concat());
    token.blocks.push(Part {
        kind,
        link: [&next[..], &signature.to_bytes(), external].concat(),
        payload: payload.to_vec(),
    });
    token.end = seed.to_vec();
}

// The prefix hash.

fn prefix<S: Twin>(before: &[u8; 64], kind: u8, link: &[u8], payload: &[u8]) -> [u8; 64] {
    let tag = format!("klero-token/v1/{}/block", S::NAME);
    sha512(&[
        tag.as_bytes(),
        before,
        &[kind],
        link,
        &le64(payload),
        payload,
    ])
}

/// What is signed in these blocks one by one: of a covered block the third party's part,
/// and the cover as one more.
fn apart<S: Twin>(blocks: &[Part]) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in blocks {
        let mut stated = block.clone();
        let cover = stated.link.split_off(S::link_length(BLOCK));
        parts.push(stated);
        if !cover.is_empty() {
            parts.push(Part {
                kind: COVER,
                link: cover,
                payload: Vec::new(),
            });
        }
    }
    parts
}

/// h of the last that is signed.
fn last_prefix<S: Twin>(blocks: &[Part]) -> [u8; 64] {
    let first = sha512(&[format!("klero-token/v1/{}/init", S::NAME).as_bytes()]);
    apart::<S>(blocks).iter().fold(first, |h, part| {
        prefix::<S>(&h, part.kind, &part.link, &part.payload)
    })
}

/// What is signed one by one, and the seal as one more.
fn with_seal<S: Twin>(token: &Parts, answer: Option<&[u8]>) -> Vec<Part> {
    let seal = answer.map(|answer| Part {
        kind: SEAL,
        link: token.end[..S::link_length(SEAL)].to_vec(),
        payload: answer.to_vec(),
    });
    apart::<S>(&token.blocks).into_iter().chain(seal).collect()
}

/// Makes a last block the seal.
fn into_seal(token: &mut Parts) {
    let block = token.blocks.pop().unwrap();
    token.end = [block.link, token.end.clone()].concat();
    token.sealed = true;
}

// Aggregate.

/// Hs.
pub fn hash_to_scalar(tag: &str, parts: &[&[u8]]) -> Scalar {
    let tag = format!("klero-token/v1/aggregate/{tag}");
    let hash = sha512(&[tag.as_bytes(), &parts.concat()]);
    Scalar::from_bytes_mod_order_wide(&hash)
}

/// The secret key of a seed.
pub fn aggregate_secret(seed: &[u8; 32]) -> Scalar {
    hash_to_scalar("key", &[seed])
}

/// (c, z) of the last that is signed in the blocks.
pub fn coefficients(blocks: &[Part]) -> (Scalar, Scalar) {
    let h = last_prefix::<Aggregate>(blocks);
    let weight = match blocks.len() {
        1 => Scalar::ONE,
        _ => hash_to_scalar("weight", &[&h]),
    };
    (hash_to_scalar("challenge", &[&h]), weight)
}

/// A scalar of 32 bytes, reduced.
pub fn scalar(bytes: &[u8]) -> Scalar {
    Scalar::from_bytes_mod_order(bytes.try_into().unwrap())
}

/// The encoding of x·G.
pub fn multiple(x: Scalar) -> [u8; 32] {
    RistrettoPoint::mul_base(&x).compress().to_bytes()
}

fn read_point(bytes: &[u8]) -> Option<RistrettoPoint> {
    let point = CompressedRistretto::from_slice(bytes).ok()?.decompress()?;
    (!point.is_identity()).then_some(point)
}

/// P ‖ R ‖ s.
fn aggregate_sign(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let x = aggregate_secret(seed);
    let nonce = hash_to_scalar("a nonce", &[seed, before, &[kind], payload]);
    let link = [multiple(x), multiple(nonce)].concat();
    let h = prefix::<Aggregate>(before, kind, &link, payload);
    let s = nonce + hash_to_scalar("challenge", &[&h]) * x;
    [&link[..], s.as_bytes()].concat()
}

impl Summed for Aggregate {
    const SUM: usize = 32;

    fn signed(blocks: &[Part], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        aggregate_sign(&Self::bound_to(blocks), kind, seed, payload)
    }

    fn total(sum: &[u8], blocks: &[Part], signature: &[u8], without: bool) -> Vec<u8> {
        let own = coefficients(blocks).1 * scalar(signature);
        let own = if without { -own } else { own };
        (scalar(sum) + own).to_bytes().to_vec()
    }
}

impl Twin for Aggregate {
    fn link_length(kind: u8) -> usize {
        if kind == EXTERNAL { 128 } else { 64 }
    }

    fn end_length(sealed: bool) -> usize {
        if sealed { 96 } else { 32 }
    }

    fn beginning(_: &[u8; 32]) -> Vec<u8> {
        vec![0; 32]
    }

    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool {
        if &token.blocks[0].link[..32] != root {
            return false;
        }
        let s = token.end[token.end.len() - 32..].try_into().unwrap();
        let Some(s) = Option::<Scalar>::from(Scalar::from_canonical_bytes(s)) else {
            return false;
        };
        let blocks = with_seal::<Self>(token, answer);
        let mut sum = RistrettoPoint::default();
        for i in 0..blocks.len() {
            let (key, commitment) = blocks[i].link.split_at(32);
            let (Some(key), Some(commitment)) = (read_point(key), read_point(commitment)) else {
                return false;
            };
            let (c, weight) = coefficients(&blocks[..=i]);
            sum += weight * (commitment + c * key);
        }
        RistrettoPoint::mul_base(&s) == sum
    }

    fn bound_to(blocks: &[Part]) -> [u8; 64] {
        last_prefix::<Self>(blocks)
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let own = Self::signed(&token.blocks, kind, seed, payload);
        Self::include(token, kind, &own, payload);
    }

    fn stated(binding: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        aggregate_sign(binding, EXTERNAL, seed, payload)
    }

    fn add_external(token: &mut Parts, statement: &[u8], payload: &[u8]) {
        Self::include(token, EXTERNAL, statement, payload);
        Self::cover(token, &ANYBODY);
    }

    fn cover(token: &mut Parts, seed: &[u8; 32]) {
        let cover = Self::signed(&token.blocks, COVER, seed, &[]);
        Self::cover_with(token, &cover);
    }

    fn seal_to(token: &mut Parts, answer: &[u8]) {
        Self::add(token, SEAL, &ANYBODY, answer);
        into_seal(token);
    }

    fn wrong(_: Place) -> Error {
        Error::Signature {
            place: Place::Aggregate,
        }
    }
}

// BLS.

const DST: &[u8] = b"KLERO-TOKEN-V1-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";

/// The secret key of a seed.
pub fn bls_secret(seed: &[u8; 32]) -> min_pk::SecretKey {
    min_pk::SecretKey::key_gen(seed, b"klero-token/v1/bls/key").unwrap()
}

/// x·H(h) of the last block.
pub fn bls_sign(blocks: &[Part], secret: &min_pk::SecretKey) -> min_pk::Signature {
    secret.sign(&last_prefix::<Bls>(blocks), DST, &[])
}

/// H(h): signed by the key 1.
fn hash_to_g2(h: &[u8; 64]) -> min_pk::Signature {
    let mut one = [0; 32];
    one[31] = 1;
    min_pk::SecretKey::from_bytes(&one)
        .unwrap()
        .sign(h, DST, &[])
}

/// a + b of encodings.
pub fn add_signatures(a: &[u8], b: &[u8]) -> Vec<u8> {
    let [a, b] = [a, b].map(|bytes| min_pk::Signature::uncompress(bytes).unwrap());
    let sum = AggregateSignature::aggregate(&[&a, &b], false).unwrap();
    sum.to_signature().compress().to_vec()
}

/// The encoding of -P: the other y, which is one bit.
pub fn negated(point: &[u8]) -> Vec<u8> {
    let mut point = point.to_vec();
    point[0] ^= 0x20;
    point
}

/// The point at infinity, of a key and of a signature.
pub fn infinity<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    bytes[0] = 0xc0;
    bytes
}

/// P ‖ x·H(h).
fn bls_state(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let secret = bls_secret(seed);
    let key = secret.sk_to_pk().compress();
    let h = prefix::<Bls>(before, kind, &key, payload);
    [&key[..], &secret.sign(&h, DST, &[]).compress()].concat()
}

impl Summed for Bls {
    const SUM: usize = 96;

    fn signed(blocks: &[Part], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        bls_state(&Self::bound_to(blocks), kind, seed, payload)
    }

    fn total(sum: &[u8], _: &[Part], signature: &[u8], without: bool) -> Vec<u8> {
        match without {
            true => add_signatures(sum, &negated(signature)),
            false => add_signatures(sum, signature),
        }
    }
}

impl Twin for Bls {
    fn link_length(kind: u8) -> usize {
        if kind == EXTERNAL { 96 } else { 48 }
    }

    fn end_length(sealed: bool) -> usize {
        if sealed { 144 } else { 96 }
    }

    fn beginning(_: &[u8; 32]) -> Vec<u8> {
        infinity::<96>().to_vec()
    }

    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool {
        if token.blocks[0].link != root {
            return false;
        }
        let s = &token.end[token.end.len() - 96..];
        let Ok(s) = min_pk::Signature::uncompress(s).and_then(|s| s.validate(true).map(|()| s))
        else {
            return false;
        };
        let mut one = [0; 32];
        one[31] = 1;
        let generator = min_pk::SecretKey::from_bytes(&one).unwrap().sk_to_pk();
        let left = blst_fp12::miller_loop(&s.into(), &generator.into());
        let blocks = with_seal::<Self>(token, answer);
        let mut right = blst_fp12::default();
        for i in 0..blocks.len() {
            let key = min_pk::PublicKey::uncompress(&blocks[i].link);
            let Ok(key) = key.and_then(|key| key.validate().map(|()| key)) else {
                return false;
            };
            let h = hash_to_g2(&last_prefix::<Self>(&blocks[..=i]));
            right *= blst_fp12::miller_loop(&h.into(), &key.into());
        }
        blst_fp12::finalverify(&left, &right)
    }

    fn bound_to(blocks: &[Part]) -> [u8; 64] {
        last_prefix::<Self>(blocks)
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let own = Self::signed(&token.blocks, kind, seed, payload);
        Self::include(token, kind, &own, payload);
    }

    fn stated(binding: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        bls_state(binding, EXTERNAL, seed, payload)
    }

    fn add_external(token: &mut Parts, statement: &[u8], payload: &[u8]) {
        Self::include(token, EXTERNAL, statement, payload);
        Self::cover(token, &ANYBODY);
    }

    fn cover(token: &mut Parts, seed: &[u8; 32]) {
        let cover = Self::signed(&token.blocks, COVER, seed, &[]);
        Self::cover_with(token, &cover);
    }

    fn seal_to(token: &mut Parts, answer: &[u8]) {
        Self::add(token, SEAL, &ANYBODY, answer);
        into_seal(token);
    }

    fn wrong(_: Place) -> Error {
        Error::Signature {
            place: Place::Aggregate,
        }
    }
}

/// A token of these payloads, one key for all of them that is not the root's.
pub fn token<S: Twin>(root: &[u8; 32], payloads: &[&[u8]]) -> Parts {
    let mut token = Parts::nothing::<S>(&S::beginning(root));
    for (i, payload) in payloads.iter().enumerate() {
        let kind = if i == 0 { ROOT } else { BLOCK };
        let seed = match S::NAME {
            "chain" => [100 + i as u8; 32],
            _ if i == 0 => *root,
            _ => [99 + i as u8; 32],
        };
        S::add(&mut token, kind, &seed, payload);
    }
    token
}
