//! Incremental aggregated signatures on ristretto255: one point for each link, and one scalar for
//! all of them.
//!
//! The root key's link is a Schnorr signature. Every further link, and a seal, is one point Y. The signer who
//! adds it draws y, the point's logarithm, adds weight·y to the sum S (the token's one scalar), and forgets
//! y. The weight is a hash of this point and everything before it:
//! ```text
//! h_i = the state after link i; link 0 is (P_0, R_0), a further link is Y_i
//! c_0 = Hs(challenge ‖ h_0)                 z_i = Hs(weight ‖ h_i)
//! R_0 = k_0·G,  S_0 = k_0 + c_0·x_0         Y_i = y_i·G,  S_i = S_{i-1} + z_i·y_i
//! k_0 = Hs(nonce ‖ 32 random bytes ‖ le64 |x_0| ‖ x_0 ‖ h_-1 ‖ kind ‖ le64 |m_0| ‖ m_0)
//! y_i = Hs(nonce ‖ 32 random bytes ‖ le64 |S_{i-1}| ‖ S_{i-1} ‖ h_{i-1} ‖ kind ‖ le64 |m_i| ‖ m_i)
//! token: P_0, R_0, Y_i and m_i of all links, and S
//! valid: P_0 is the root key, and S·G = R_0 + c_0·P_0 + Σ z_i·Y_i
//! ```
//! Hs is SHA-512 modulo L; the words stand for `"klero-token/WORD" ‖ 3`. c_0 and z_i depend on all of a link
//! and on everything before it, so no term of a later link can cancel the root key's term. Removing a link
//! takes y_i, a discrete logarithm that its maker has forgotten.
//!
//! **y_i is a nonce.** If one y_i is used for two links after the same sum, the difference of the two new
//! sums reveals y_i, and with it the sum before. Nobody may see Y_i before its payload is fixed: an attacker
//! who chooses among the points of many open sessions can solve for a sum that nobody made (Benhamouda,
//! Lepoint, Loss, Orrù and Raykova, *On the (in)security of ROS*, 2021). So one function takes the payload,
//! draws y_i and makes the link, and nothing does this in two steps.
//!
//! The first link takes 64 bytes, each further one 32, and the end, S, 32. As a signature scheme it is a
//! variant of half-aggregated Schnorr signatures: Chalkias, Garillot, Kondi and Nikolaenko, *Non-interactive
//! half-aggregation of EdDSA and variants of Schnorr signatures* (2021); Chen and Zhao, *Half-aggregation of
//! Schnorr signatures with tight reductions* (2022).

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

/// The largest number of tokens in one sum.
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

/// Reads S, which must be below L. The verdict on that is public, so one branch may depend on it. If this
/// were inlined, the caller would repeat the branch.
#[inline(never)]
fn scalar(bytes: &[u8]) -> Result<Zeroizing<Scalar>, Error> {
    let bytes = Zeroizing::new(<[u8; 32]>::try_from(bytes).unwrap_or([0xff; 32]));
    let scalar = Scalar::from_canonical_bytes(*bytes);
    if scalar.is_none().into() {
        return Err(Error::scalar(Place::Aggregate));
    }
    Ok(Zeroizing::new(scalar.unwrap_or(Scalar::ZERO)))
}

/// The verdicts on tokens. One sum verifies a group of them.
pub(crate) fn verify(claims: &[&Claim<'_>]) -> Vec<Result<(), Error>> {
    let group = |claims: &[&Claim<'_>]| {
        let equations = claims.iter().map(|claim| equation(claim));
        verify_together(engine(), equations.collect(), factors::draw)
    };
    claims.chunks(GROUP).flat_map(group).collect()
}

/// The equation of a token, if its first link begins with the root key.
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
