//! Divides claims into their parts, and makes the checks that do not compute with points of the curve.

use curve25519_dalek::scalar::Scalar;
use klero_lanes::y_is_canonical;

use crate::claim::Claim;
use crate::invalid::Invalid;

/// A claim whose bytes have the right form.
#[derive(Clone, Copy)]
pub(crate) struct Signed<'a> {
    pub(crate) key: &'a [u8; 32],
    pub(crate) r: &'a [u8; 32],
    pub(crate) s: Scalar,
    pub(crate) message: &'a [u8],
}

/// Returns the parts of a claim, or the reason why its bytes do not have the right form.
pub(crate) fn parse<'a>(claim: &Claim<'a>) -> Result<Signed<'a>, Invalid> {
    let key: &[u8; 32] = claim
        .key
        .try_into()
        .map_err(|_| Invalid::KeyLength(claim.key.len()))?;
    let signature: &[u8; 64] = claim
        .signature
        .try_into()
        .map_err(|_| Invalid::SignatureLength(claim.signature.len()))?;
    if !y_is_canonical(key) {
        return Err(Invalid::KeyNotCanonical);
    }
    let [r, s] = halves(signature);
    let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(*s))
        .ok_or(Invalid::ScalarNotCanonical)?;
    Ok(Signed {
        key,
        r,
        s,
        message: claim.message,
    })
}

fn halves(signature: &[u8; 64]) -> [&[u8; 32]; 2] {
    let (halves, _) = signature.as_chunks();
    [&halves[0], &halves[1]]
}
