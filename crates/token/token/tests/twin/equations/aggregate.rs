//! The scheme `aggregate`: one Schnorr signature by the root key, with a weighted sum of further points.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use klero_token::{Error, Place, Scheme};

use crate::encoding::{Part, Parts, ROOT, Refusal, ensure};
use crate::equations::scheme::{Linked, Twin};
use crate::equations::state::{le64, sha512, state};
use crate::equations::strict::scalar;

/// The second implementation of [`Scheme::Aggregate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate;

/// A scheme that sums signatures, such as `Aggregate`. Anyone who knows a signature can subtract it from the
/// sum.
pub trait Summed: Twin {
    /// The link and the signature of a block that is added after this state.
    fn signed(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8>;
    /// The sum after the signature of a link was added, or subtracted if `without` is true. `after` is the
    /// state after the link.
    fn total(sum: &[u8], kind: u8, after: &[u8; 64], signature: &[u8], without: bool) -> Vec<u8>;

    /// Adds a block, and adds its signature to the sum.
    fn include(token: &mut Parts, kind: u8, signed: &[u8], payload: &[u8]) {
        let (link, signature) = signed.split_at(signed.len() - 32);
        token.blocks.push(Part {
            kind,
            link: link.to_vec(),
            payload: payload.to_vec(),
        });
        let after = state(Self::ID, token.root_id, &token.blocks);
        token.end = Self::total(&token.end, kind, &after, signature, false);
    }
}

/// The hash Hs in the written description of the scheme: SHA-512 modulo L.
pub fn hash_to_scalar(tag: &str, parts: &[&[u8]]) -> Scalar {
    let tag = format!("klero-token/{tag}\x03");
    let hash = sha512(&[tag.as_bytes(), &parts.concat()]);
    Scalar::from_bytes_mod_order_wide(&hash)
}

/// The secret key of a seed.
pub fn aggregate_secret(seed: &[u8; 32]) -> Scalar {
    hash_to_scalar("seed", &[seed])
}

/// The nonce of a link: k in the first link, y in others. In tests, it is enough that no two links have
/// the same nonce.
pub fn nonce(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Scalar {
    hash_to_scalar("a nonce", &[seed, before, &[kind], payload])
}

/// The challenge c of the first block, in a token whose root key has the number 0.
pub fn challenge(blocks: &[Part]) -> Scalar {
    challenge_at(&Aggregate::bound_to(&blocks[..1]))
}

/// The weight z of the last block, in a token whose root key has the number 0.
pub fn weight(blocks: &[Part]) -> Scalar {
    weight_at(&Aggregate::bound_to(blocks))
}

/// The challenge c, given the state after the first link.
pub fn challenge_at(after: &[u8; 64]) -> Scalar {
    hash_to_scalar("challenge", &[after])
}

/// The weight z of a further link, given the state after this link.
pub fn weight_at(after: &[u8; 64]) -> Scalar {
    hash_to_scalar("weight", &[after])
}

/// The encoding of x·G.
pub fn multiple(x: Scalar) -> [u8; 32] {
    RistrettoPoint::mul_base(&x).compress().to_bytes()
}

/// A signature with the seed's key, for a first block of any kind: the link of the block, and s.
pub fn signed_by_root(
    before: &[u8; 64],
    kind: u8,
    seed: &[u8; 32],
    payload: &[u8],
) -> (Vec<u8>, Scalar) {
    let (x, k) = (aggregate_secret(seed), nonce(before, kind, seed, payload));
    let link = [multiple(x), multiple(k)].concat();
    let c = challenge_at(&after(before, kind, &link, payload));
    (link, k + c * x)
}

fn read_point(bytes: &[u8], refusal: Refusal) -> Result<RistrettoPoint, Refusal> {
    let point = CompressedRistretto::from_slice(bytes).unwrap().decompress();
    let point = point.ok_or(refusal)?;
    ensure(!point.is_identity(), refusal.0, refusal.1)?;
    Ok(point)
}

/// The state after a link.
fn after(before: &[u8; 64], kind: u8, link: &[u8], payload: &[u8]) -> [u8; 64] {
    let tag = &b"klero-token/link\x03"[..];
    sha512(&[tag, before, &[kind], link, &le64(payload), payload])
}

impl Summed for Aggregate {
    fn signed(before: &[u8; 64], kind: u8, seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
        let (link, s) = if kind == ROOT {
            signed_by_root(before, kind, seed, payload)
        } else {
            let y = nonce(before, kind, seed, payload);
            (multiple(y).to_vec(), y)
        };
        [&link[..], s.as_bytes()].concat()
    }

    fn total(sum: &[u8], kind: u8, after: &[u8; 64], signature: &[u8], without: bool) -> Vec<u8> {
        let own = match kind {
            ROOT => scalar(signature),
            _ => weight_at(after) * scalar(signature),
        };
        let own = if without { -own } else { own };
        (scalar(sum) + own).to_bytes().to_vec()
    }
}

impl Twin for Aggregate {
    const SCHEME: Scheme = Scheme::Aggregate;
    const ID: u8 = 2;

    fn link_length(kind: u8) -> usize {
        if kind == ROOT { 64 } else { 32 }
    }

    fn secret_length(_: bool) -> usize {
        32
    }

    fn beginning(_: &[u8; 32]) -> Vec<u8> {
        vec![0; 32]
    }

    fn links_hold(token: &Linked<'_>, root: &[u8]) -> Result<(), Refusal> {
        let (key, commitment) = token.blocks[0].link.split_at(32);
        ensure(key == root, "wrong root", None)?;
        let everywhere = Some(Place::Aggregate);
        let s = scalar(token.secret);
        ensure(s.as_bytes() == token.secret, "scalar", everywhere)?;
        let point = |bytes, i| read_point(bytes, ("point", Some(token.place(i))));
        let key = read_point(key, ("key", Some(token.place(0))))?;
        let mut sum = point(commitment, 0)? + challenge_at(&token.after(1)) * key;
        for (i, block) in token.blocks.iter().enumerate().skip(1) {
            sum += weight_at(&token.after(i + 1)) * point(&block.link, i)?;
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
        crate::support::wrong(Place::Aggregate)
    }
}
