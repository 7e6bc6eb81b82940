//! Aggregated BLS signatures on BLS12-381: one point for all links. Each message contains the
//! signer's key and everything before it.
//!
//! Boneh, Lynn and Shacham (2001), aggregated as in draft-irtf-cfrg-bls-signature, where
//! the message of every signer contains the signer's key ("message augmentation"), so that
//! no key can be chosen to cancel another. Keys are in G1, signatures in G2:
//! ```text
//! h_i   = the state after link i, P_i
//! S_i   = S_{i-1} + x_i·H(h_i)
//! token: (P_i, m_i) of all links, and S
//! valid: P_0 is the root key, and e(g, S) = Π e(P_i, H(h_i))
//! ```
//! Every point is checked to be in its group.
//!
//! A link takes 48 bytes, and the end 96.

use alloc::vec::Vec;

use blst::BLST_ERROR;
use blst::min_pk::{self, AggregateSignature, Signature};
use zeroize::Zeroizing;

use crate::draft::{Device, Draft};
use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, PublicKey, Sealed, SecretKey};
use crate::link::{Lengths, Link};
use crate::scheme::{Claim, Scheme, Secret, Signer};
use crate::state::{State, Step};

/// Aggregated BLS signatures: the smallest tokens of five blocks or more, and slow to verify.
///
/// Keys have 48 bytes. The keys and the signature of n blocks take 48n + 96 bytes. The issuer's
/// key can be in a device that signs a message of 64 bytes, with this tag of the hash to G2:
/// `KLERO-TOKEN-V2-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_`.
///
/// ```
/// use klero_token::{Bls, SecretKey, Verified};
/// let root = SecretKey::<Bls>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
/// assert_eq!(token.encode()?.len(), 13 + 20 + 2 * 5 + 8 + 8 + 2 * 48 + 96);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bls;

/// The domain separation tag of the hash to the curve.
const DST: &[u8] = b"KLERO-TOKEN-V2-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";

/// The context string for deriving keys.
const KEY_INFO: &[u8] = b"klero-token/seed\x02";

/// P_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; 48]);

impl AsRef<[u8]> for Key {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Key {
    type Error = core::array::TryFromSliceError;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        bytes.try_into().map(Self)
    }
}

/// A point of G1, not infinity.
fn decode_key(bytes: &[u8]) -> Result<min_pk::PublicKey, KeyFault> {
    min_pk::PublicKey::key_validate(bytes).map_err(|error| match error {
        BLST_ERROR::BLST_BAD_ENCODING => KeyFault::NotCanonical,
        BLST_ERROR::BLST_PK_IS_INFINITY => KeyFault::SmallOrder,
        _ => KeyFault::NotAPoint,
    })
}

/// The sum of two signatures, which are in the group or were never verified.
fn add(sum: &[u8], own: &Signature) -> Result<Signature, Error> {
    let place = Place::Aggregate;
    let sum = Signature::from_bytes(sum).map_err(|_| Error::SignaturePoint { place })?;
    let mut total = AggregateSignature::from_signature(&sum);
    total.add_aggregate(&AggregateSignature::from_signature(own));
    Ok(total.to_signature())
}

impl Sealed for Bls {}

impl Keys for Bls {
    const NAME: &'static str = "bls";
    const SECRET_NAME: &'static str = "bls-secret";
    const KEY_LENGTH: usize = 48;

    type KeyBytes = Key;
    type Expanded = min_pk::SecretKey;

    fn expand(seed: &[u8; 32]) -> min_pk::SecretKey {
        // Fails only for seeds of less than 32 bytes.
        min_pk::SecretKey::key_gen(seed, KEY_INFO).unwrap_or_default()
    }

    fn public(secret: &min_pk::SecretKey) -> Key {
        Key(secret.sk_to_pk().to_bytes())
    }

    fn check_key(bytes: &Key) -> Result<(), KeyFault> {
        decode_key(&bytes.0).map(drop)
    }
}

#[allow(private_interfaces)]
impl Scheme for Bls {
    const ID: u8 = 3;
    const PAIRS: bool = true;
    const HELD: bool = false;

    fn link_lengths(_: u8) -> Lengths {
        Lengths {
            committed: 48,
            signature: 0,
        }
    }

    fn end_length(_: bool) -> usize {
        96
    }

    fn sign(
        before: &State,
        kind: u8,
        signer: Signer<'_, Self>,
        payload: &[u8],
    ) -> Result<(Link, Secret), Error> {
        let signed = |key: &SecretKey<Self>| -> Result<_, Error> {
            let draft = Self::draft(key.public_key(), before, kind, payload)?;
            let signature = key.expanded().sign(&draft.message, DST, &[]);
            Ok((Link::new(&draft.committed, &[]), signature))
        };
        let (link, sum) = match signer {
            Signer::Root(key) => signed(key)?,
            Signer::Holder(sum) => {
                let (link, own) = signed(&SecretKey::hedged(sum, before, kind, payload)?)?;
                (link, add(sum, &own)?)
            }
        };
        let sum = Zeroizing::new(sum.to_bytes());
        Ok((link, Zeroizing::new(sum.to_vec())))
    }

    fn verify(claims: &[Claim<'_, Self>]) -> Vec<Result<(), Error>> {
        claims.iter().map(verify_one).collect()
    }
}

impl Device for Bls {
    const SIGNATURE: usize = 96;

    fn draft(
        key: &PublicKey<Self>,
        before: &State,
        kind: u8,
        payload: &[u8],
    ) -> Result<Draft, Error> {
        let committed = key.as_bytes().to_vec();
        let message = before.absorb(&Step::new(kind, &committed, payload)).0;
        Ok(Draft {
            committed,
            secret: Secret::default(),
            message: message.to_vec(),
        })
    }

    fn complete(draft: Draft, signature: &[u8]) -> (Link, Secret) {
        let secret = Zeroizing::new(signature.to_vec());
        (Link::new(&draft.committed, &[]), secret)
    }
}

fn verify_one(claim: &Claim<'_, Bls>) -> Result<(), Error> {
    let first = claim.blocks.first();
    claim.check_root(first.map(|first| first.link.committed()))?;
    let key = |signed: &crate::scheme::Signed<'_>| {
        let place = signed.place;
        decode_key(signed.link.committed()).map_err(|fault| Error::Key { place, fault })
    };
    let keys = claim.links().map(key).collect::<Result<Vec<_>, _>>()?;
    let keys: Vec<_> = keys.iter().collect();
    let messages: Vec<_> = claim.links().map(|signed| &signed.after.0[..]).collect();
    let place = Place::Aggregate;
    let sum = Signature::sig_validate(claim.end(), true);
    let sum = sum.map_err(|_| Error::SignaturePoint { place })?;
    // All points were checked to be in their groups.
    match sum.aggregate_verify(false, &messages, DST, &keys, false) {
        BLST_ERROR::BLST_SUCCESS => Ok(()),
        _ => Err(Error::Signature { place }),
    }
}
