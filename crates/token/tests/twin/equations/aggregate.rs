//! The scheme `aggregate`: one weighted sum of Schnorr signatures.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use klero_token::{Error, Place, Scheme};

use crate::encoding::{Part, Parts, ROOT, Refusal, ensure};
use crate::equations::scheme::{Linked, Twin};
use crate::equations::state::{le64, sha512, state};
use crate::equations::strict::scalar;

/// The scheme of [`Scheme::Aggregate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate;

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
