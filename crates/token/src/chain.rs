//! A chain of Ed25519 signatures: each link names the key that signs the next.
//!
//! The construction of Biscuit v2. The root key signs the first link, which names a
//! fresh public key; whoever holds its secret half can add a link, which names the next
//! key, and so on. A bearer token carries the last secret key; the link of a seal names none.
//!
//! The signed message is
//! ```text
//! "klero-token/chain" ‖ 2 ‖ kind ‖ state ‖ next public key (none in a seal)
//!                     ‖ le64 |payload| ‖ payload
//! ```
//! Verification is strict: a signature with a component of small order is refused, in one token
//! and in many.
//!
//! A link takes 96 bytes, that of a seal 64; the end takes 32 (bearer) or none (sealed).

use alloc::vec;
use alloc::vec::Vec;

use ed25519_dalek::hazmat::ExpandedSecretKey;
use klero_ed25519::{Claim as Ed25519Claim, Rules};
use klero_lanes::{Point, engine};
use zeroize::Zeroizing;

use crate::draft::{Device, Draft};
use crate::ed25519::{ed25519_keys, refused, sign};
use crate::error::{Error, Place};
use crate::key::{PublicKey, SecretKey};
use crate::kind::SEAL;
use crate::link::{Lengths, Link};
use crate::scheme::{Claim, Proof, Scheme, Secret, Signed, Signer};
use crate::state::{State, le64};

/// Ed25519 signatures, one for each block, as in Biscuit. Use this scheme unless there is a
/// reason for another.
///
/// Keys have 32 bytes. The keys and signatures of n blocks take 96n + 32 bytes. Any Ed25519
/// device can be the issuer, and can hold the last key of a token.
///
/// ```
/// use klero_token::{Chain, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
/// assert_eq!(token.encode()?.len(), 13 + 20 + 2 * 5 + 8 + 8 + 2 * 96 + 32);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain;

ed25519_keys!(Chain, "chain");

impl Chain {
    /// What the message of every first block begins with, and no other message: a device or a
    /// service with the root key can sign these alone, so that nobody can have it sign what counts
    /// elsewhere.
    ///
    /// ```
    /// use klero_token::{Chain, Minting, SecretKey};
    /// let root = SecretKey::<Chain>::generate()?;
    /// let minting = Minting::<Chain>::prepare(root.public_key(), 0, b"may read", &[])?;
    /// assert!(minting.to_sign().starts_with(Chain::FIRST_BLOCK));
    /// # Ok::<(), klero_token::Error>(())
    /// ```
    pub const FIRST_BLOCK: &'static [u8] = b"klero-token/chain\x02\x00";
}

/// What is signed.
fn message(before: &State, kind: u8, next: &[u8], payload: &[u8]) -> Vec<u8> {
    [
        b"klero-token/chain\x02",
        &[kind][..],
        &before.0,
        next,
        &le64(payload),
        payload,
    ]
    .concat()
}

/// A link without its signature. The next key is the bearer's; nobody has one behind a seal.
fn draft(before: &State, kind: u8, secret: &[u8], payload: &[u8]) -> Result<Draft, Error> {
    if kind == SEAL {
        return Ok(Draft {
            committed: Vec::new(),
            secret: Secret::default(),
            message: message(before, kind, &[], payload),
        });
    }
    let next = SecretKey::<Chain>::hedged(secret, before, kind, payload)?;
    let mut draft = draft_for(before, kind, next.public_key(), payload);
    draft.secret = Zeroizing::new(next.as_bytes().to_vec());
    Ok(draft)
}

/// A link without its signature whose next key is somebody else's.
pub(crate) fn draft_for(
    before: &State,
    kind: u8,
    next: &PublicKey<Chain>,
    payload: &[u8],
) -> Draft {
    Draft {
        committed: next.as_bytes().to_vec(),
        secret: Secret::default(),
        message: message(before, kind, next.as_bytes(), payload),
    }
}

/// The link of a draft, signed by the bearer.
pub(crate) fn sign_draft(draft: &Draft, secret: &Secret) -> Result<Link, Error> {
    let key = SecretKey::<Chain>::from_bytes(secret)?;
    Ok(Link::new(
        &draft.committed,
        &sign(key.expanded(), &draft.message),
    ))
}

#[allow(private_interfaces)]
impl Scheme for Chain {
    const ID: u8 = 1;
    const HELD: bool = true;

    fn link_lengths(kind: u8) -> Lengths {
        Lengths {
            committed: if kind == SEAL { 0 } else { 32 },
            signature: 64,
        }
    }

    fn end_length(sealed: bool) -> usize {
        if sealed { 0 } else { 32 }
    }

    fn sign(
        before: &State,
        kind: u8,
        signer: Signer<'_, Self>,
        payload: &[u8],
    ) -> Result<(Link, Secret), Error> {
        let draft = draft(before, kind, signer.secret(), payload)?;
        let link = match signer {
            Signer::Root(key) => Link::new(&draft.committed, &sign(key.expanded(), &draft.message)),
            Signer::Holder(secret) => sign_draft(&draft, secret)?,
        };
        Ok((link, draft.secret))
    }

    /// All signatures of all tokens go through the lanes together, and so do all last keys.
    fn verify(claims: &[Claim<'_, Self>]) -> Vec<Result<(), Error>> {
        let message = |signed: &Signed<'_>| {
            message(
                &signed.before,
                signed.kind,
                signed.link.committed(),
                signed.payload,
            )
        };
        let messages: Vec<_> = claims.iter().flat_map(Claim::links).map(message).collect();
        let signatures: Vec<_> = claims
            .iter()
            .flat_map(keys_and_links)
            .zip(&messages)
            .map(|((key, signed), message)| {
                Ed25519Claim::new(key, message, signed.link.signature())
            })
            .collect();
        let mut verdicts = Rules::STRICT.verify_many(&signatures).into_iter();
        let mut possessed = possessed(claims).into_iter();
        claims
            .iter()
            .map(|claim| {
                let mut key_place = Place::Block(0);
                // There is a verdict for each link, and an answer for each token.
                let verdicts: Vec<_> = claim.links().zip(&mut verdicts).collect();
                let possessed = possessed.next().unwrap_or(false);
                for (signed, verdict) in verdicts {
                    verdict.map_err(|invalid| refused(invalid, key_place, signed.place))?;
                    key_place = signed.place;
                }
                possessed.then_some(()).ok_or(Error::Possession)
            })
            .collect()
    }
}

impl Device for Chain {
    fn draft(
        _: &PublicKey<Self>,
        before: &State,
        kind: u8,
        payload: &[u8],
    ) -> Result<Draft, Error> {
        // The issuer's secret is in the device.
        draft(before, kind, &[], payload)
    }

    fn complete(draft: Draft, signature: &[u8]) -> (Link, Secret) {
        (Link::new(&draft.committed, signature), draft.secret)
    }

    const SIGNATURE: usize = 64;
}

/// The links of a token, each with the key that signed it.
fn keys_and_links<'a>(
    claim: &'a Claim<'_, Chain>,
) -> impl Iterator<Item = (&'a [u8], &'a Signed<'a>)> {
    let mut key = claim.root.as_bytes();
    claim.links().map(move |signed| {
        let signer = key;
        key = signed.link.committed();
        (signer, signed)
    })
}

/// For each token whether, unless it is sealed, it holds the secret half of its last key.
/// Constant time in these keys.
fn possessed(claims: &[Claim<'_, Chain>]) -> Vec<bool> {
    // Room for all of them, so that no copy is left behind.
    let mut secrets = Zeroizing::new(Vec::with_capacity(claims.len()));
    for claim in claims {
        if let Proof::Bearer(secret) = &claim.proof {
            // A secret of another length is nobody's.
            let seed = Zeroizing::new(<[u8; 32]>::try_from(&secret[..]).unwrap_or_default());
            let scalar = Zeroizing::new(ExpandedSecretKey::from(&*seed).scalar);
            secrets.push(scalar.to_bytes());
        }
    }
    let mut points = Zeroizing::new(vec![Point::IDENTITY; secrets.len()]);
    engine().secret_mul_base(&secrets, &mut points);
    let mut keys = vec![[0; 32]; points.len()];
    engine().encode(&points, &mut keys);
    let mut keys = keys.iter();
    let possessed = |claim: &Claim<'_, Chain>| match &claim.proof {
        Proof::Bearer(_) => {
            let last = claim.blocks.last().map(|last| last.link.committed());
            keys.next().map(|key| &key[..]) == last
        }
        Proof::Sealed(..) => true,
    };
    claims.iter().map(possessed).collect()
}
