//! A chain of Ed25519 signatures: each link contains the public key that verifies the next link.
//!
//! This is the construction of Biscuit v2. The root key signs the first link, which contains a fresh public
//! key. A holder of the matching secret key can add a link, which contains the next public key, and so on. A
//! bearer token carries the last secret key. The link of a seal contains no key.
//!
//! The signed message is
//! ```text
//! "klero-token/chain" ‖ 3 ‖ kind ‖ state ‖ next public key (none in a seal)
//!                     ‖ le64 |payload| ‖ payload
//! ```
//! Verification of Ed25519 is strict: both sides of the equation are compared without multiplying them by the
//! cofactor, and neither a key nor a signature's R may have small order. So a token gets the same verdict
//! whether it is verified alone or together with others.
//!
//! Links are Ed25519 signatures, with one exception: if the last block contains an ES256 key or a passkey,
//! this key signs the seal. Such seals are verified one by one.
//!
//! A link takes 96 bytes, or 97 if it contains an ES256 key or a passkey. A seal's link takes 64 bytes. The
//! end of a bearer token takes 32 bytes. In other tokens the end is empty, or is the data that a passkey
//! signed for the seal.

use alloc::vec;
use alloc::vec::Vec;

use ed25519_dalek::SigningKey;
use ed25519_dalek::hazmat::ExpandedSecretKey;
use klero_ed25519::{Claim as Ed25519Claim, verify_many};
use klero_lanes::{Point, engine};
use zeroize::Zeroizing;

use crate::algorithms::{refused, sign};
use crate::block::Link;
use crate::codec::Reader;
use crate::error::{Error, Place};
use crate::scheme::{SEAL, SEAL_ES256, SEAL_PASSKEY, key_of};
use crate::signed::{Claim, End, Secret, Signed};
use crate::state::{State, le64};
use crate::statement::Parts;
use crate::{hedge, webauthn};

/// The message that the signature in a link covers.
pub(crate) fn message(before: &State, kind: u8, next: &[u8], payload: &[u8]) -> Vec<u8> {
    [
        b"klero-token/chain\x03",
        &[kind][..],
        &before.0,
        next,
        &le64(payload),
        payload,
    ]
    .concat()
}

/// The seed of the bearer's key.
fn seed_of(secret: &Secret) -> Zeroizing<[u8; 32]> {
    // A bearer's secret always has 32 bytes, so the default is never used.
    Zeroizing::new(<[u8; 32]>::try_from(&secret[..]).unwrap_or_default())
}

/// The key of a bearer.
pub(crate) fn bearer(secret: &Secret) -> SigningKey {
    SigningKey::from_bytes(&seed_of(secret))
}

/// Makes a link's next key from random bytes, the secret and the link's content. Returns the public half,
/// which the link contains, and the secret half. Both are empty for a seal that a bearer makes.
pub(crate) fn next_key(
    secret: &[u8],
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Vec<u8>, Secret), Error> {
    if kind == SEAL {
        return Ok((Vec::new(), Secret::default()));
    }
    let seed = hedge::seed(secret, before, kind, payload)?;
    let next = SigningKey::from_bytes(&seed).verifying_key();
    Ok((next.as_bytes().to_vec(), Zeroizing::new(seed.to_vec())))
}

/// Makes a link that this key signs. Returns the link and the secret half of the next key.
pub(crate) fn link(
    key: &SigningKey,
    before: &State,
    kind: u8,
    payload: &[u8],
) -> Result<(Link, Secret), Error> {
    let (next, secret) = next_key(key.as_bytes(), before, kind, payload)?;
    let signature = sign(key, &message(before, kind, &next, payload));
    Ok((Link::new(&next, &signature), secret))
}

/// Verifies tokens. The Ed25519 signatures of all links are verified together in lanes, and the public keys
/// of all bearers are computed together in lanes.
pub(crate) fn verify(claims: &[&Claim<'_>]) -> Vec<Result<(), Error>> {
    let links = || {
        let links = claims.iter().flat_map(|claim| keys_and_links(claim));
        links.filter(|(_, signed)| !is_es256(signed))
    };
    let messages: Vec<_> = links()
        .map(|(_, signed)| {
            let next = signed.link.committed();
            message(&signed.before, signed.kind, next, signed.payload)
        })
        .collect();
    let signatures: Vec<_> = links()
        .zip(&messages)
        .map(|((key, signed), message)| Ed25519Claim::new(key, message, signed.link.signature()))
        .collect();
    let verdicts = verify_many(&signatures);
    assert_eq!(
        verdicts.len(),
        signatures.len(),
        "one verdict for each link"
    );
    let mut verdicts = verdicts.into_iter();
    let possessed = possessed(claims);
    claims
        .iter()
        .zip(possessed)
        .map(|(claim, possessed)| {
            let mut key_place = Place::Block(0);
            let of_claim = claim.links.iter().filter(|signed| !is_es256(signed));
            let verdicts: Vec<_> = of_claim.zip(&mut verdicts).collect();
            for (signed, verdict) in verdicts {
                verdict.map_err(|invalid| refused(invalid, key_place, signed.place))?;
                key_place = signed.place;
            }
            verify_es256(claim, key_place)?;
            possessed.then_some(()).ok_or(Error::Possession)
        })
        .collect()
}

/// True for a link that a P-256 key signed. Such a link is always a seal.
fn is_es256(signed: &Signed<'_>) -> bool {
    matches!(signed.kind, SEAL_ES256 | SEAL_PASSKEY)
}

/// Verifies the seal if it was made by a P-256 key, which is then in the last block.
fn verify_es256(claim: &Claim<'_>, key_place: Place) -> Result<(), Error> {
    let last = keys_and_links(claim).last();
    let Some((key, signed)) = last.filter(|(_, signed)| is_es256(signed)) else {
        return Ok(());
    };
    let (by, place) = (key_of(signed.kind), signed.place);
    let mut reader = Reader::new(claim.end.bytes());
    let parts = Parts {
        by,
        key,
        signature: signed.link.signature(),
        signed: webauthn::Signed::read(by, &mut reader, place)?,
        payload: &[],
    };
    let message = message(&signed.before, signed.kind, &[], signed.payload);
    let party = webauthn::required(by, claim.relying_party, place)?;
    parts.verify(&message, party, key_place, place)
}

/// The links of a token, each with the key that signed it.
fn keys_and_links<'a>(claim: &'a Claim<'_>) -> impl Iterator<Item = (&'a [u8], &'a Signed<'a>)> {
    let mut key: &[u8] = claim.root.as_bytes();
    claim.links.iter().map(move |signed| {
        let signer = key;
        key = signed.link.committed();
        (signer, signed)
    })
}

/// True for each token that holds the secret half of its last key or is not a bearer token. Constant time in
/// the secret halves.
fn possessed(claims: &[&Claim<'_>]) -> Vec<bool> {
    // The vector has room for all secrets, so it is never reallocated, which would leave a copy behind.
    let mut secrets = Zeroizing::new(Vec::with_capacity(claims.len()));
    for claim in claims {
        if let End::Bearer(secret) = claim.end {
            let scalar = Zeroizing::new(ExpandedSecretKey::from(&*seed_of(secret)).scalar);
            secrets.push(scalar.to_bytes());
        }
    }
    let mut points = Zeroizing::new(vec![Point::IDENTITY; secrets.len()]);
    engine().secret_mul_base(&secrets, &mut points);
    let mut keys = vec![[0; 32]; points.len()];
    engine().encode(&points, &mut keys);
    let mut keys = keys.iter();
    let possessed = |claim: &&Claim<'_>| match claim.end {
        End::Bearer(_) => {
            let last = claim.links.last().map(|last| last.link.committed());
            keys.next().map(|key| &key[..]) == last
        }
        _ => true,
    };
    claims.iter().map(possessed).collect()
}
