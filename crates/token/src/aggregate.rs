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

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use klero_lanes::engine;
use zeroize::{Zeroize, Zeroizing};

use crate::equation::{Equation, challenge, hash_to_scalar, verify_together, weight};
use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, Sealed, SecretKey};
use crate::kind::ROOT;
use crate::link::{Lengths, Link};
use crate::scheme::{Claim, Scheme, Secret, Signer};
use crate::stack::wiped;
use crate::state::{State, Step, le64};

/// Half-aggregated Schnorr signatures: smaller tokens, and the fastest to extend and to verify.
///
/// Keys have 32 bytes. The keys and signatures of n blocks take 64n + 32 bytes. No device holds
/// keys of this scheme.
///
/// ```
/// use klero_token::{Aggregate, SecretKey, Verified};
/// let root = SecretKey::<Aggregate>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
/// assert_eq!(token.encode()?.len(), 13 + 20 + 2 * 5 + 8 + 8 + 2 * 64 + 32);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate;

/// The secret scalar; wiped when dropped.
#[derive(Clone)]
pub struct Expanded {
    x: Scalar,
}

impl Drop for Expanded {
    fn drop(&mut self) {
        self.x.zeroize();
    }
}

/// The number of tokens in one sum.
const GROUP: usize = 64;

impl Sealed for Aggregate {}

impl Keys for Aggregate {
    const NAME: &'static str = "aggregate";
    const SECRET_NAME: &'static str = "aggregate-secret";
    const KEY_LENGTH: usize = 32;

    type KeyBytes = [u8; 32];
    type Expanded = Expanded;

    fn expand(seed: &[u8; 32]) -> Expanded {
        Expanded {
            x: hash_to_scalar(b"klero-token/seed\x02", &[seed]),
        }
    }

    fn public(secret: &Expanded) -> [u8; 32] {
        RistrettoPoint::mul_base(&secret.x).compress().to_bytes()
    }

    fn check_key(bytes: &[u8; 32]) -> Result<(), KeyFault> {
        // The decoder does not distinguish other encodings of points from those of none.
        let point = CompressedRistretto(*bytes).decompress();
        let point = point.ok_or(KeyFault::NotAPoint)?;
        if point.is_identity() {
            return Err(KeyFault::SmallOrder);
        }
        Ok(())
    }
}

#[allow(private_interfaces)]
impl Scheme for Aggregate {
    const ID: u8 = 2;
    const HELD: bool = false;

    fn link_lengths(_: u8) -> Lengths {
        Lengths {
            committed: 64,
            signature: 0,
        }
    }

    fn end_length(_: bool) -> usize {
        32
    }

    fn sign(
        before: &State,
        kind: u8,
        signer: Signer<'_, Self>,
        payload: &[u8],
    ) -> Result<(Link, Secret), Error> {
        let fresh;
        let (key, sum) = match signer {
            Signer::Root(key) => (key, Zeroizing::new(Scalar::ZERO)),
            Signer::Holder(secret) => {
                fresh = SecretKey::hedged(secret, before, kind, payload)?;
                (&fresh, scalar(secret)?)
            }
        };
        let x = &key.expanded().x;
        let nonce = nonce(x, before, kind, payload)?;
        let commitment = RistrettoPoint::mul_base(&nonce).compress().to_bytes();
        let link = Link::new(&[*key.public_key().bytes(), commitment].concat(), &[]);
        let after = before.absorb(&Step::new(kind, link.as_bytes(), payload));
        let s = Zeroizing::new(*nonce + challenge(&after) * x);
        let weight = if kind == ROOT {
            Scalar::ONE
        } else {
            weight(&after)
        };
        let sum = Zeroizing::new(*sum + weight * *s);
        let sum = Zeroizing::new(sum.to_bytes());
        Ok((link, Zeroizing::new(sum.to_vec())))
    }

    fn verify(claims: &[Claim<'_, Self>]) -> Vec<Result<(), Error>> {
        let group = |claims: &[Claim<'_, Self>]| {
            verify_together(engine(), claims.iter().map(equation).collect())
        };
        claims.chunks(GROUP).flat_map(group).collect()
    }
}

/// k_i. The random bytes keep one key from signing two links with one nonce, and the rest does so
/// where they repeat.
fn nonce(x: &Scalar, before: &State, kind: u8, payload: &[u8]) -> Result<Zeroizing<Scalar>, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random).map_err(Error::NoRandomness)?;
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

/// The equation of a token, if it begins with the root key.
fn equation<'a>(claim: &'a Claim<'_, Aggregate>) -> Result<Equation<'a>, Error> {
    let first = claim.blocks.first();
    claim.check_root(first.and_then(|first| first.link.committed().get(..32)))?;
    Ok(Equation {
        s: wiped(|| scalar(claim.end()).map(Box::new))?,
        links: claim.links().collect(),
    })
}
