//! A second implementation of the schemes, close to the equations on paper: to compare verdicts
//! with, and for attacks. Neither fast nor constant time.

// Each test uses only a part.
#![allow(dead_code)]

use std::fmt::Debug;

use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use klero_token::{Error, Place, Scheme};
use sha2::{Digest, Sha512};

use crate::encoding::{OPAQUE, Part, Parts, ROOT, Refusal, SEAL, STATEMENT, ensure, rights};

/// The scheme of [`Scheme::Chain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain;

/// The scheme of [`Scheme::Aggregate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate;

/// The operations of a scheme. They add to any token without verifying it.
pub trait Twin: Copy + Debug + 'static {
    /// The scheme in the library.
    const SCHEME: Scheme;
    /// Its name.
    const NAME: &'static str = Self::SCHEME.name();
    /// Its number.
    const ID: u8;

    /// The bytes of keys and signatures in a link of the kind.
    fn link_length(kind: u8) -> usize;
    /// The bytes behind the last link.
    fn secret_length(sealed: bool) -> usize;
    /// The end of a token of no blocks, to which the key of the seed adds the first.
    fn beginning(root: &[u8; 32]) -> Vec<u8>;
    /// The verdict on all links under this root key.
    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal>;
    /// Adds a link and what is signed with it; `Chain` takes the seed for the key that comes next.
    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]);
    /// The error for a wrong signature that stands, or would stand, there.
    fn wrong(place: Place) -> Error;

    /// Whether the token is valid: under this root key, and sealed to this answer.
    fn holds(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> bool {
        Self::verdict(token, root, answer).is_ok()
    }

    /// As [`holds`](Self::holds), with the reason.
    fn verdict(token: &Parts, root: &[u8], answer: Option<&[u8]>) -> Result<(), Refusal> {
        Self::links_hold(&Linked::new::<Self>(token, answer), root)?;
        statements_hold::<Self>(token)
    }

    /// Seals.
    fn seal_to(token: &mut Parts, answer: &[u8]) {
        Self::add(token, SEAL, &ANYBODY, answer);
        Self::close(token);
    }

    /// Turns the last link, which must be that of a seal, into one.
    fn close(token: &mut Parts) {
        let seal = token.blocks.pop().unwrap();
        token.sealed = true;
        token.end.truncate(Self::secret_length(true));
        token.end.splice(..0, seal.link);
    }

    /// The bytes behind the last block.
    fn whole_end(sealed: bool) -> usize {
        Self::secret_length(sealed) + if sealed { Self::link_length(SEAL) } else { 0 }
    }

    /// The state after these blocks of a token with the root key 0.
    fn bound_to(blocks: &[Part]) -> [u8; 64] {
        state(Self::ID, 0, blocks)
    }

    /// Adds a statement by a third party.
    fn add_statement(token: &mut Parts, statement: &[u8]) {
        Self::add(token, STATEMENT, &ANYBODY, statement);
    }
}

/// The links of a token with what they are hashed with, the seal last.
pub struct Linked<'a> {
    pub blocks: Vec<Part>,
    pub token: &'a Parts,
    /// The end without the seal.
    pub secret: &'a [u8],
}

impl<'a> Linked<'a> {
    fn new<S: Twin>(token: &'a Parts, answer: Option<&[u8]>) -> Self {
        let mut blocks = token.blocks.clone();
        let seal = if token.sealed {
            S::link_length(SEAL)
        } else {
            0
        };
        let (link, secret) = token.end.split_at(seal);
        blocks.extend(answer.map(|answer| Part {
            kind: SEAL,
            link: link.to_vec(),
            payload: answer.to_vec(),
        }));
        Self {
            blocks,
            token,
            secret,
        }
    }

    /// The place of a link.
    fn place(&self, link: usize) -> Place {
        match link < self.token.blocks.len() {
            true => Place::Block(link),
            false => Place::Seal,
        }
    }

    /// The state after the first `count` links.
    fn after(&self, count: usize) -> [u8; 64] {
        state(self.token.scheme, self.token.root_id, &self.blocks[..count])
    }
}

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}

fn le64(bytes: &[u8]) -> [u8; 8] {
    (bytes.len() as u64).to_le_bytes()
}

/// The state of a token after these blocks.
pub fn state(scheme: u8, root_id: u32, blocks: &[Part]) -> [u8; 64] {
    let begin = sha512(&[b"klero-token/begin\x02", &[scheme], &root_id.to_le_bytes()]);
    blocks.iter().fold(begin, |state, block| {
        let (kind, payload) = ([block.kind], &block.payload);
        sha512(&[
            b"klero-token/link\x02",
            &state,
            &kind,
            &block.link,
            &le64(payload),
            payload,
        ])
    })
}

/// A key whose value does not matter.
pub const ANYBODY: [u8; 32] = [0xab; 32];

// Statements.

/// What a third party signs.
pub fn statement_message(scheme: u8, state: &[u8; 64], key: &[u8], payload: &[u8]) -> Vec<u8> {
    let tag = &b"klero-token/statement\x02"[..];
    [tag, &[scheme], state, key, &le64(payload), payload].concat()
}

/// Key, signature and payload.
pub fn stated(scheme: u8, state: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let key = SigningKey::from_bytes(seed);
    let public = key.verifying_key().to_bytes();
    let signature = key.sign(&statement_message(scheme, state, &public, payload));
    [&public[..], &signature.to_bytes(), payload].concat()
}

fn statements_hold<S: Twin>(token: &Parts) -> Result<(), Refusal> {
    for (i, block) in token.blocks.iter().enumerate() {
        if block.kind != STATEMENT {
            continue;
        }
        let state = state(token.scheme, token.root_id, &token.blocks[..i]);
        let (key, rest) = block.payload.split_at(32);
        let (signature, payload) = rest.split_at(64);
        let message = statement_message(S::ID, &state, key, payload);
        let place = Place::ThirdParty(i);
        strictly((key, place), &message, (signature, place))?;
    }
    Ok(())
}

// Chain.

/// What is signed.
pub fn chain_message(kind: u8, state: &[u8], next: &[u8], payload: &[u8]) -> Vec<u8> {
    let tag = &b"klero-token/chain\x02"[..];
    [tag, &[kind], state, next, &le64(payload), payload].concat()
}

/// Verifies a signature strictly. Key and signature come with their places.
fn strictly(
    (key, key_place): (&[u8], Place),
    message: &[u8],
    (signature, place): (&[u8], Place),
) -> Result<(), Refusal> {
    let bytes: [u8; 32] = key.try_into().unwrap();
    let point = CompressedEdwardsY(bytes).decompress();
    let canonical = point.is_some_and(|point| point.compress().to_bytes() == bytes);
    ensure(canonical, "key", Some(key_place))?;
    let Ok(key) = VerifyingKey::from_bytes(&bytes) else {
        return Err(("key", Some(key_place)));
    };
    ensure(!key.is_weak(), "key", Some(key_place))?;
    let (r, s) = signature.split_at(32);
    let reduced = scalar(s);
    ensure(reduced.as_bytes() == s, "scalar", Some(place))?;
    let signature = Signature::from_slice(&[r, reduced.as_bytes()].concat()).unwrap();
    // Where the check of keys is left out, one of small order is as good as others.
    let held = match key.is_weak() {
        true => key.verify(message, &signature),
        false => key.verify_strict(message, &signature),
    };
    ensure(held.is_ok(), "signature", Some(place))
}

fn seed_of(end: &[u8]) -> SigningKey {
    SigningKey::from_bytes(end.try_into().unwrap())
}

impl Twin for Chain {
    const SCHEME: Scheme = Scheme::Chain;
    const ID: u8 = 1;

    fn link_length(kind: u8) -> usize {
        if kind == SEAL { 64 } else { 96 }
    }

    fn secret_length(sealed: bool) -> usize {
        if sealed { 0 } else { 32 }
    }

    fn beginning(root: &[u8; 32]) -> Vec<u8> {
        root.to_vec()
    }

    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal> {
        let mut key = (root, Place::Block(0));
        for (i, block) in token.blocks.iter().enumerate() {
            let (next, signature) = block.link.split_at(block.link.len() - 64);
            let message = chain_message(block.kind, &token.after(i), next, &block.payload);
            strictly(key, &message, (signature, token.place(i)))?;
            key = (next, token.place(i));
        }
        // Nobody has the key behind a seal.
        let possessed = || seed_of(token.secret).verifying_key().as_bytes() == key.0;
        ensure(key.0.is_empty() || possessed(), "possession", None)
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let next = SigningKey::from_bytes(seed).verifying_key().to_bytes();
        let next = if kind == SEAL { &[][..] } else { &next };
        let state = state(Self::ID, token.root_id, &token.blocks);
        let signature = seed_of(&token.end).sign(&chain_message(kind, &state, next, payload));
        token.blocks.push(Part {
            kind,
            link: [next, &signature.to_bytes()].concat(),
            payload: payload.to_vec(),
        });
        token.end = seed.to_vec();
    }

    fn wrong(place: Place) -> Error {
        Error::Signature { place }
    }
}

/// The schemes that sum signatures: whoever knows a signature can subtract it.
pub trait Summed: Twin {
    /// The link and the signature of what is added after this state.
    fn signed(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8>;
    /// The sum and the signature of a link, or the sum without it. The state is that after the
    /// link.
    fn total(sum: &[u8], kind: u8, after: &[u8; 64], signature: &[u8], without: bool) -> Vec<u8>;

    /// Adds a block, and to the sum its signature.
    fn include(token: &mut Parts, kind: u8, signed: &[u8], payload: &[u8]) {
        let (link, signature) = signed.split_at(Self::link_length(kind));
        token.blocks.push(Part {
            kind,
            link: link.to_vec(),
            payload: payload.to_vec(),
        });
        let after = state(Self::ID, token.root_id, &token.blocks);
        token.end = Self::total(&token.end, kind, &after, signature, false);
    }
}

// Aggregate.

/// Hs.
pub fn hash_to_scalar(tag: &str, parts: &[&[u8]]) -> Scalar {
    let tag = format!("klero-token/{tag}\x02");
    let hash = sha512(&[tag.as_bytes(), &parts.concat()]);
    Scalar::from_bytes_mod_order_wide(&hash)
}

/// The secret key of a seed.
pub fn aggregate_secret(seed: &[u8; 32]) -> Scalar {
    hash_to_scalar("seed", &[seed])
}

/// k, of which all that matters is that no other link has it.
pub fn nonce(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Scalar {
    hash_to_scalar("a nonce", &[seed, before, &[kind], payload])
}

/// (c, z) of the last of the blocks of a token with the root key 0.
pub fn coefficients(blocks: &[Part]) -> (Scalar, Scalar) {
    let kind = blocks.last().unwrap().kind;
    coefficients_at(kind, &Aggregate::bound_to(blocks))
}

/// (c, z) of a link of this kind, given the state after it.
pub fn coefficients_at(kind: u8, after: &[u8; 64]) -> (Scalar, Scalar) {
    let weight = match kind {
        ROOT => Scalar::ONE,
        _ => hash_to_scalar("weight", &[after]),
    };
    (hash_to_scalar("challenge", &[after]), weight)
}

/// A scalar of 32 bytes, reduced.
pub fn scalar(bytes: &[u8]) -> Scalar {
    Scalar::from_bytes_mod_order(bytes.try_into().unwrap())
}

/// The encoding of x·G.
pub fn multiple(x: Scalar) -> [u8; 32] {
    RistrettoPoint::mul_base(&x).compress().to_bytes()
}

fn read_point(bytes: &[u8], refusal: Refusal) -> Result<RistrettoPoint, Refusal> {
    let point = CompressedRistretto::from_slice(bytes).unwrap().decompress();
    let point = point.ok_or(refusal)?;
    ensure(!point.is_identity(), refusal.0, refusal.1)?;
    Ok(point)
}

/// The state after a link.
fn after(before: &[u8; 64], kind: u8, link: &[u8], payload: &[u8]) -> [u8; 64] {
    let tag = &b"klero-token/link\x02"[..];
    sha512(&[tag, before, &[kind], link, &le64(payload), payload])
}

impl Summed for Aggregate {
    fn signed(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        let x = aggregate_secret(seed);
        let nonce = nonce(before, kind, seed, payload);
        let link = [multiple(x), multiple(nonce)].concat();
        let (c, _) = coefficients_at(kind, &after(before, kind, &link, payload));
        [&link[..], (nonce + c * x).as_bytes()].concat()
    }

    fn total(sum: &[u8], kind: u8, after: &[u8; 64], signature: &[u8], without: bool) -> Vec<u8> {
        let own = coefficients_at(kind, after).1 * scalar(signature);
        let own = if without { -own } else { own };
        (scalar(sum) + own).to_bytes().to_vec()
    }
}

impl Twin for Aggregate {
    const SCHEME: Scheme = Scheme::Aggregate;
    const ID: u8 = 2;

    fn link_length(_: u8) -> usize {
        64
    }

    fn secret_length(_: bool) -> usize {
        32
    }

    fn beginning(_: &[u8; 32]) -> Vec<u8> {
        vec![0; 32]
    }

    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal> {
        ensure(&token.blocks[0].link[..32] == root, "wrong root", None)?;
        let everywhere = Some(Place::Aggregate);
        let s = scalar(token.secret);
        ensure(s.as_bytes() == token.secret, "scalar", everywhere)?;
        let mut sum = RistrettoPoint::default();
        for (i, block) in token.blocks.iter().enumerate() {
            let (key, commitment) = block.link.split_at(32);
            let place = Some(token.place(i));
            let key = read_point(key, ("key", place))?;
            let commitment = read_point(commitment, ("point", place))?;
            let (c, weight) = coefficients_at(block.kind, &token.after(i + 1));
            sum += weight * (commitment + c * key);
        }
        ensure(RistrettoPoint::mul_base(&s) == sum, "signature", everywhere)
    }

    fn add(token: &mut Parts, kind: u8, seed: &[u8; 32], payload: &[u8]) {
        let before = state(Self::ID, token.root_id, &token.blocks);
        Self::include(
            token,
            kind,
            &Self::signed(&before, kind, seed, payload),
            payload,
        );
    }

    fn wrong(_: Place) -> Error {
        Error::Signature {
            place: Place::Aggregate,
        }
    }
}

/// A token of these rights and these opaque blocks, one key for all of them that is not the root's.
pub fn token<S: Twin>(root: &[u8; 32], payloads: &[&[u8]]) -> Parts {
    let mut token = Parts::nothing::<S>(&S::beginning(root));
    for (i, payload) in payloads.iter().enumerate() {
        let seed = match S::NAME {
            "chain" => [100 + i as u8; 32],
            _ if i == 0 => *root,
            _ => [99 + i as u8; 32],
        };
        match i {
            0 => S::add(&mut token, ROOT, &seed, &rights(payload)),
            _ => S::add(&mut token, OPAQUE, &seed, payload),
        }
    }
    token
}
