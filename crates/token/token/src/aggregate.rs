//! Aggregated signatures on ristretto255 that grow: each further link adds a point, and all share one scalar.
//!
//! The first link is a Schnorr signature by the root key. Every further link, and every seal, is one point Y.
//! To make it, the signer draws y, computes Y = y·G, adds weight·y to the sum S (the token's only scalar),
//! and forgets y. The weight is a hash of Y, of the payload, and of everything before them:
//! ```text
//! h_i = the state after link i; link 0 is (P_0, R_0), a further link is Y_i
//! c_0 = Hs(challenge ‖ h_0)                 z_i = Hs(weight ‖ h_i)
//! R_0 = k_0·G,  S_0 = k_0 + c_0·x_0         Y_i = y_i·G,  S_i = S_{i-1} + z_i·y_i
//! k_0 = Hs(nonce ‖ 32 random bytes ‖ le64 |x_0| ‖ x_0 ‖ h_-1 ‖ kind ‖ le64 |m_0| ‖ m_0)
//! y_i = Hs(nonce ‖ 32 random bytes ‖ le64 |S_{i-1}| ‖ S_{i-1} ‖ h_{i-1} ‖ kind ‖ le64 |m_i| ‖ m_i)
//! token: P_0, R_0, Y_i and m_i of all links, and S
//! valid: P_0 is the root key, and S·G = R_0 + c_0·P_0 + Σ z_i·Y_i
//! ```
//! Hs is SHA-512 modulo L, the order of G. As a first input, a word such as `nonce` is short for
//! `"klero-token/WORD" ‖ 3`. x_0 is the secret root key, h_-1 the state before link 0, and m_i the payload of
//! link i. c_0 and z_i depend on the whole link and everything before it, so no later z_i·Y_i can be chosen
//! to cancel the root key's term. Removing a link needs y_i, a discrete logarithm that its maker forgot.
//!
//! **y_i is a nonce.** If the same y_i is used to add two different links to the same sum, the difference of
//! the two new sums reveals y_i, and thereby the old sum. Nobody may see Y_i before the payload of the link
//! is fixed. Otherwise, an attacker who sees the points of many signing sessions before choosing the payloads
//! can compute a sum that no signer made (Benhamouda, Lepoint, Loss, Orrù and Raykova, *On the (in)security
//! of ROS*, 2021). So one function takes the payload, draws y_i and makes the link in one step.
//!
//! The first link takes 64 bytes, each further link 32 bytes, and S, at the end of the token, 32 bytes. The
//! scheme is a variant of half-aggregated Schnorr signatures: Chalkias, Garillot, Kondi and Nikolaenko,
//! *Non-interactive half-aggregation of EdDSA and variants of Schnorr signatures* (2021); Chen and Zhao,
//! *Half-aggregation of Schnorr signatures with tight reductions* (2022).

use alloc::boxed::Box;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{engine, wiped};
use zeroize::Zeroizing;

use crate::block::Link;
use crate::equation::{Equation, challenge, verify_together, weight};
use crate::error::{Error, Place};
use crate::key::PublicKey;
use crate::ristretto::multiple;
use crate::scheme::ROOT;
use crate::signed::{Claim, Secret};
use crate::state::{State, Step};
use crate::{factors, hedge};

/// The largest number of tokens whose equations are verified with one sum.
const GROUP: usize = 64;

/// Makes the first link with the root key. Returns the link and the sum.
pub(crate) fn first(
    x: &Scalar,
    public: &PublicKey,
    before: &State,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    let k = hedge::nonce(x.as_bytes(), before, ROOT, payload)?;
    let link = Link::new(&[*public.point(), multiple(&k)].concat(), &[]);
    let after = before.absorb(&Step::new(ROOT, link.as_bytes(), payload));
    let sum = Zeroizing::new(*k + challenge(&after) * x);
    Ok((link, secret(&sum)))
}

/// Makes a further link with the sum so far. Returns the link and the new sum.
pub(crate) fn further(
    sum: &Secret,
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    let y = hedge::nonce(sum, before, kind, payload)?;
    let link = Link::new(&multiple(&y), &[]);
    let after = before.absorb(&Step::new(kind, link.as_bytes(), payload));
    let sum = Zeroizing::new(*scalar(sum)? + weight(&after) * *y);
    Ok((link, secret(&sum)))
}

fn secret(sum: &Scalar) -> Secret {
    let sum = Zeroizing::new(sum.to_bytes());
    Zeroizing::new(sum.to_vec())
}

/// Reads S, which must be below L. S can be secret, but whether it is below L is public, so one branch may
/// depend on that. The function is not inlined, because the caller would then repeat the branch.
#[inline(never)]
fn scalar(bytes: &[u8]) -> Result<Zeroizing<Scalar>, Error> {
    let bytes = Zeroizing::new(<[u8; 32]>::try_from(bytes).unwrap_or([0xff; 32]));
    let scalar = Scalar::from_canonical_bytes(*bytes);
    if scalar.is_none().into() {
        return Err(Error::scalar(Place::Aggregate));
    }
    Ok(Zeroizing::new(scalar.unwrap_or(Scalar::ZERO)))
}

/// Returns the verdicts on tokens. The equations of a whole group of tokens are verified with one sum.
pub(crate) fn verify(claims: &[&Claim<'_>]) -> Vec<Result<(), Error>> {
    let group = |claims: &[&Claim<'_>]| {
        let equations = claims.iter().map(|claim| equation(claim));
        verify_together(engine(), equations.collect(), factors::draw)
    };
    claims.chunks(GROUP).flat_map(group).collect()
}

/// Returns a token's equation, or an error if link 0 does not begin with the root key or S is not below L.
fn equation<'a>(claim: &'a Claim<'_>) -> Result<Equation<'a>, Error> {
    let first = claim.links.first();
    let root = first.and_then(|first| first.link.committed().get(..32));
    if root != Some(claim.root.as_bytes()) {
        return Err(Error::WrongRoot(claim.root_id));
    }
    Ok(Equation {
        s: wiped(|| scalar(claim.end.bytes()).map(Box::new))?,
        root: claim.root,
        links: claim.links.iter().collect(),
    })
}
