//! Incremental half-aggregated Schnorr signatures on ristretto255: one scalar for all
//! links.
//!
//! Chalkias, Garillot, Kondi and Nikolaenko, *Non-interactive half-aggregation of EdDSA
//! and variants of Schnorr signatures* (2021); Chen and Zhao, *Half-aggregation of
//! Schnorr signatures with tight reductions* (2022). The challenge of each link is a hash of
//! the link and everything before it:
//! ```text
//! h_i = the state after link i, (P_i, R_i)             z_0 = 1, z_i = Hs(weight ‖ h_i)
//! c_i = Hs(challenge ‖ h_i)
//! k_i = Hs(nonce ‖ x_i ‖ 32 random bytes ‖ h_{i-1} ‖ kind ‖ le64 |m_i| ‖ m_i)
//! R_i = k_i·G,  s_i = k_i + c_i·x_i,  S_i = S_{i-1} + z_i·s_i
//! token: (P_i, R_i, m_i) of all links, and S
//! valid: P_0 is the root key, and S·G = Σ z_i·(R_i + c_i·P_i)
//! ```
//! Hs is SHA-512 modulo L; the words stand for `"klero-token/WORD" ‖ 2`. c_i and z_i depend on
//! all of link i and on everything before it, so no term of a later link can cancel that of the
//! root key. Removing a link takes its s_i, a discrete logarithm that only its signer knew, who
//! forgot the key.
//!
//! A link takes 64 bytes, and the end 32.

use alloc::boxed::Box;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::engine;
use zeroize::Zeroizing;

use crate::claim::Claim;
use crate::equation::{Equation, challenge, verify_together, weight};
use crate::error::{Error, Place};
use crate::hedge;
use crate::key::PublicKey;
use crate::kind::ROOT;
use crate::link::{Link, Secret};
use crate::ristretto::{self, hash_to_scalar, multiple};
use crate::stack::wiped;
use crate::state::{State, Step, le64};

/// The number of tokens in one sum.
const GROUP: usize = 64;

/// The first link, by the root key.
pub(crate) fn first(
    x: &Scalar,
    public: &PublicKey,
    before: &State,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    sign(x, public.as_bytes(), &Scalar::ZERO, before, ROOT, payload)
}

/// A link by a fresh key, which is used once.
pub(crate) fn further(
    secret: &Secret,
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    let x = ristretto::secret(&*hedge::seed(secret, before, kind, payload)?);
    let sum = scalar(secret)?;
    sign(&x, &multiple(&x), &sum, before, kind, payload)
}

/// The link of a key, and the sum with its signature.
fn sign(
    x: &Scalar,
    public: &[u8; 32],
    sum: &Scalar,
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    let nonce = nonce(x, before, kind, payload)?;
    let link = Link::new(&[*public, multiple(&nonce)].concat(), &[]);
    let after = before.absorb(&Step::new(kind, link.as_bytes(), payload));
    let s = Zeroizing::new(*nonce + challenge(&after) * x);
    let weight = match kind {
        ROOT => Scalar::ONE,
        _ => weight(&after),
    };
    let sum = Zeroizing::new(*sum + weight * *s);
    let sum = Zeroizing::new(sum.to_bytes());
    Ok((link, Zeroizing::new(sum.to_vec())))
}

/// k_i. The random bytes keep one key from signing two links with one nonce, and the rest does so
/// where they repeat.
fn nonce(x: &Scalar, before: &State, kind: u8, payload: &[u8]) -> Result<Zeroizing<Scalar>, Error> {
    let random = hedge::random()?;
    let length = le64(payload);
    let parts: [&[u8]; 6] = [x.as_bytes(), &*random, &before.0, &[kind], &length, payload];
    let nonce = hash_to_scalar(b"klero-token/nonce\x02", &parts);
    Ok(Zeroizing::new(nonce))
}

/// S, which must be below L.
fn scalar(bytes: &[u8]) -> Result<Zeroizing<Scalar>, Error> {
    let bytes = Zeroizing::new(<[u8; 32]>::try_from(bytes).unwrap_or([0xff; 32]));
    let place = Place::Aggregate;
    let scalar = Option::from(Scalar::from_canonical_bytes(*bytes));
    scalar
        .map(Zeroizing::new)
        .ok_or(Error::SignatureScalar { place })
}

/// The verdicts on tokens, of which some are verified by one sum.
pub(crate) fn verify(claims: &[&Claim<'_>]) -> Vec<Result<(), Error>> {
    let group = |claims: &[&Claim<'_>]| {
        let equations = claims.iter().map(|claim| equation(claim));
        verify_together(engine(), equations.collect())
    };
    claims.chunks(GROUP).flat_map(group).collect()
}

/// The equation of a token, if it begins with the root key.
fn equation<'a>(claim: &'a Claim<'_>) -> Result<Equation<'a>, Error> {
    let first = claim.links.first();
    claim.check_root(first.and_then(|first| first.link.committed().get(..32)))?;
    Ok(Equation {
        s: wiped(|| scalar(claim.end.bytes()).map(Box::new))?,
        links: claim.links.iter().collect(),
    })
}
