//! From `pk ‖ alpha` to the point H, in the three ways in use.
//!
//! All of them end with a multiplication by the cofactor, so H lies in the
//! subgroup of order L. Only public values pass here: variable time is fine.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::montgomery::MontgomeryPoint;
use sha2::Sha512;

use crate::field::FieldElement;
use crate::suite::{HashToCurve, Suite};
use crate::transcript::short;

/// The domain separation tag of RFC 9381, section 5.5, without the suite octet.
const DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";

/// H, or `None` when try-and-increment runs out of counters.
pub(crate) fn hash_to_curve(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<EdwardsPoint> {
    match suite.hash_to_curve {
        HashToCurve::Draft03 => {
            let r = short(suite.hash, &[&[suite.octet, 1], pk, alpha]);
            elligator2_draft03(r)
        }
        HashToCurve::Rfc9380 => Some(EdwardsPoint::encode_to_curve::<Sha512>(
            &[pk, alpha],
            &[DST, &[suite.octet]],
        )),
        HashToCurve::TryAndIncrement => (0..=u8::MAX).find_map(|counter| {
            let candidate = short(suite.hash, &[&[suite.octet, 1], pk, alpha, &[counter, 0]]);
            Some(
                CompressedEdwardsY(candidate)
                    .decompress()?
                    .mul_by_cofactor(),
            )
        }),
    }
}

/// Elligator2 as draft-03 has it (draft-irtf-cfrg-vrf-03, section 5.4.1.2): the
/// sign bit of r is cleared first, and x is the even root.
///
/// Exactly one of u = -A/(1+2r²) and -A-u is on the curve (the other is on its
/// twist), so this never gives `None`.
fn elligator2_draft03(mut r: [u8; 32]) -> Option<EdwardsPoint> {
    r[31] &= 0x7f;
    let r = FieldElement::from_bytes(&r);
    let rr2 = r.square() + r.square();
    // 1 + 2r² is never 0: -1/2 is not a square.
    let u = FieldElement::MINUS_A * (FieldElement::ONE + rr2).invert();
    let on_curve = |u: FieldElement| MontgomeryPoint(u.to_bytes()).to_edwards(0);
    let point = on_curve(u).or_else(|| on_curve(FieldElement::MINUS_A - u))?;
    Some(point.mul_by_cofactor())
}
