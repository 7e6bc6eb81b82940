//! Verifies claims: checks the bytes first, and the equations on the curve second.
//!
//! A signature is valid if all of these conditions hold:
//! * s < L
//! * The key A is the canonical encoding of a point.
//! * R is the encoding of s·B - k·A. Here k is SHA-512 of R ‖ A ‖ message, mod L (RFC 8032, section 5.1.7).
//! * Neither A nor R has small order.

use alloc::vec::Vec;

use klero_lanes::{Engine, engine, has_small_order, through};

use crate::check::check;
use crate::claim::{Claim, Verdict};
use crate::invalid::Invalid;
use crate::signed::{Signed, parse};

/// The number of claims that the stages process together. It is large enough to fill every vector, and small
/// enough that the data between the stages stays in the second-level cache.
const GROUP: usize = 64;

/// Verifies one signature. The bytes may be untrusted. Runs in variable time.
///
/// ```
/// use klero_ed25519::{Invalid, verify};
/// # use ed25519_dalek::{Signer, SigningKey};
/// # let secret = SigningKey::from_bytes(&[7; 32]);
/// # let (key, signature) = (secret.verifying_key(), secret.sign(b"message").to_bytes());
/// assert_eq!(verify(&key, b"message", &signature), Ok(()));
/// let verdict = verify(&key, b"message", &signature[..63]);
/// assert_eq!(verdict, Err(Invalid::SignatureLength(63)));
/// ```
///
/// # Errors
/// Returns the first reason, in the order of [`Invalid`](crate::Invalid), why the signature is invalid.
pub fn verify(
    key: &(impl AsRef<[u8]> + ?Sized),
    message: &(impl AsRef<[u8]> + ?Sized),
    signature: &(impl AsRef<[u8]> + ?Sized),
) -> Verdict {
    verify_many(&[Claim::new(key, message, signature)])[0]
}

/// Verifies many signatures, and returns one verdict for each claim, in order. Each verdict is the one that
/// [`verify`] gives for the claim. Runs in variable time, on the calling thread.
#[must_use = "the verdicts are the result"]
pub fn verify_many(claims: &[Claim<'_>]) -> Vec<Verdict> {
    verify_many_on(engine(), claims)
}

/// Verifies claims like [`verify_many`], but on the given engine. No verdict depends on the engine.
#[must_use = "the verdicts are the result"]
pub fn verify_many_on(engine: Engine, claims: &[Claim<'_>]) -> Vec<Verdict> {
    let mut verdicts = Vec::with_capacity(claims.len());
    for claims in claims.chunks(GROUP) {
        let parsed = claims.iter().map(parse).collect();
        let checked = through(parsed, |signed| check(engine, signed));
        let judge = |(signed, holds)| judge(&signed, holds);
        verdicts.extend(checked.into_iter().map(|one| one.and_then(judge)));
    }
    verdicts
}

fn judge(signed: &Signed<'_>, holds: Option<bool>) -> Verdict {
    let holds = holds.ok_or(Invalid::KeyNotOnCurve)?;
    if has_small_order(signed.key) {
        Err(Invalid::KeySmallOrder)
    } else if !holds {
        Err(Invalid::Mismatch)
    } else if has_small_order(signed.r) {
        Err(Invalid::RSmallOrder)
    } else {
        Ok(())
    }
}
