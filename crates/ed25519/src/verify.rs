//! From claims to verdicts: what bytes can say first, then what the curve says.

use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, y_is_canonical};

use crate::claim::{Claim, Verdict};
use crate::invalid::Invalid;
use crate::recompute::{Recomputed, recompute};
use crate::rules::Rules;

/// Claims that go through the stages together: every vector is full, and what passes between
/// the stages stays in the second cache.
const GROUP: usize = 64;

/// A claim whose bytes have the right form.
#[derive(Clone, Copy)]
pub(crate) struct Signed<'a> {
    pub(crate) key: &'a [u8; 32],
    pub(crate) r: &'a [u8; 32],
    pub(crate) s: Scalar,
    pub(crate) message: &'a [u8],
}

pub(crate) fn verify_groups(engine: Engine, rules: Rules, claims: &[Claim<'_>]) -> Vec<Verdict> {
    let mut verdicts = Vec::with_capacity(claims.len());
    for claims in claims.chunks(GROUP) {
        let parsed: Vec<_> = claims.iter().map(|claim| parse(rules, claim)).collect();
        let signed: Vec<_> = parsed.iter().flatten().copied().collect();
        let mut recomputed = recompute(engine, &signed).into_iter();
        verdicts.extend(parsed.into_iter().map(|parsed| {
            let signed = parsed?;
            // There is one for each claim that is parsed.
            let recomputed = recomputed.next().unwrap_or_default();
            judge(rules, &signed, recomputed)
        }));
    }
    verdicts
}

fn parse<'a>(rules: Rules, claim: &Claim<'a>) -> Result<Signed<'a>, Invalid> {
    let key: &[u8; 32] = claim
        .key
        .try_into()
        .map_err(|_| Invalid::KeyLength(claim.key.len()))?;
    let signature: &[u8; 64] = claim
        .signature
        .try_into()
        .map_err(|_| Invalid::SignatureLength(claim.signature.len()))?;
    if rules.canonical_key && !y_is_canonical(key) {
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

fn judge(rules: Rules, signed: &Signed<'_>, recomputed: Recomputed) -> Verdict {
    if !recomputed.key_on_curve {
        Err(Invalid::KeyNotOnCurve)
    } else if recomputed.key_small_order && !rules.small_order {
        Err(Invalid::KeySmallOrder)
    } else if recomputed.r != *signed.r {
        Err(Invalid::Mismatch)
    } else if recomputed.r_small_order && !rules.small_order {
        Err(Invalid::RSmallOrder)
    } else {
        Ok(())
    }
}
