//! Computes the model's verdicts with curve25519-dalek. This is a hundred times as fast as the model, and
//! makes it possible to check millions of random claims.
//!
//! dalek supplies the curve arithmetic and RFC 9380's hash to the curve. The model does all other hashing.
//! [`check_alone`] compares the model and the oracle on every case that it gets.
//!
//! [`check_alone`]: super::compare::check_alone

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::VartimeMultiscalarMul;
use klero_reference::curve::NotAPoint;
use klero_reference::field::{Field, P, bytes_le, int_le};
use klero_reference::{self as reference, ELL2_DST, Form, Invalid, Map, Rules, Suite};
use sha2::Sha512;

use super::case::{Case, Expected};

/// Decodes a point if y < p and the point is on the curve. If x = 0, the sign bit may be set.
fn decode(bytes: &[u8; 32]) -> Result<EdwardsPoint, NotAPoint> {
    let mut y = *bytes;
    y[31] &= 0x7f;
    // The comparison of big integers is only needed close to p.
    if y[1..31] == [0xff; 30] && y[31] == 0x7f && int_le(&y) >= *P {
        return Err(NotAPoint::NotCanonical);
    }
    let point = CompressedEdwardsY(*bytes).decompress();
    point.ok_or(NotAPoint::NotOnCurve)
}

/// Returns the point H of a claim: ECVRF_encode_to_curve.
pub fn hash_to_curve(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<EdwardsPoint> {
    match suite.map {
        Map::Tai => (0..=255).find_map(|counter| {
            let hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha, &[counter, 0]]);
            Some(decode(&hash).ok()?.mul_by_cofactor())
        }),
        Map::Draft03 => Some(elligator2_draft03(suite, pk, alpha).mul_by_cofactor()),
        Map::Ell2 => {
            let dst: [&[u8]; 2] = [ELL2_DST, &[suite.octet]];
            Some(EdwardsPoint::encode_to_curve::<Sha512>(&[pk, alpha], &dst))
        }
    }
}

/// Decodes two candidates for y, with an even x. Returns the first candidate that is on the curve.
fn elligator2_draft03(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> EdwardsPoint {
    let mut hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha]);
    hash[31] &= 0x7f;
    let r = Field::new(int_le(&hash));
    let (one, a) = (Field::small(1), Field::small(486662));
    // With t = 2r² and d = 1 + t, u is -n/d for n = A or n = A·t. So y = (u-1)/(u+1) = (n+d)/(n-d).
    let t = &Field::small(2) * &(&r * &r);
    let d = &one + &t;
    let point = |n: &Field| {
        let y = &(n + &d) * &(n - &d).invert();
        CompressedEdwardsY(bytes_le(y.integer())).decompress()
    };
    let candidates = point(&a).or_else(|| point(&(&a * &t)));
    candidates.expect("Elligator2 maps to the curve")
}

pub fn scalar(c: &[u8; 16]) -> Scalar {
    Scalar::from(u128::from_le_bytes(*c))
}

/// Returns m and Q' such that sP + mQ' is the point that the suite's rules define as sP - cQ. dalek
/// multiplies by the scalar as an integer below L, even if the point has torsion.
fn multiple(suite: &Suite, c: &[u8; 16], q: &EdwardsPoint) -> (Scalar, EdwardsPoint) {
    match suite.rules {
        Rules::Cardano => (-scalar(c), *q),
        Rules::Rfc | Rules::Original => (scalar(c), -q),
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap()
}

/// Returns the verdict of [`reference::verify`] on the claim of a case. All checks are in one function, which
/// shows their order: the first check that fails decides the reason.
pub fn verify(suite: &Suite, case: &Case) -> Expected {
    let length = case.key.len();
    let key = case.key.as_slice().try_into();
    let key: [u8; 32] = key.map_err(|_| Invalid::KeyLength(length))?;
    let y_point = decode(&key).map_err(|fault| match fault {
        NotAPoint::NotCanonical => Invalid::KeyNotCanonical,
        NotAPoint::NotOnCurve => Invalid::KeyNotOnCurve,
    })?;
    if y_point.is_small_order() {
        return Err(Invalid::KeySmallOrder);
    }

    let proof = &case.proof;
    let (expected, got) = (suite.proof_len(), proof.len());
    if got != expected {
        return Err(Invalid::ProofLength { expected, got });
    }
    let gamma = array(&proof[..32]);
    let gamma_point = decode(&gamma).map_err(|fault| match fault {
        NotAPoint::NotCanonical => Invalid::GammaNotCanonical,
        NotAPoint::NotOnCurve => Invalid::GammaNotOnCurve,
    })?;
    let s = array(&proof[got - 32..]);
    let s = match suite.rules {
        Rules::Original => Scalar::from_bytes_mod_order(s),
        Rules::Cardano | Rules::Rfc => {
            Option::from(Scalar::from_canonical_bytes(s)).ok_or(Invalid::ScalarNotCanonical)?
        }
    };

    let h_point = hash_to_curve(suite, &key, &case.alpha).ok_or(Invalid::NoCurvePoint)?;
    let h = h_point.compress().to_bytes();
    let challenge = |u, v| reference::challenge(suite, &key, [h, gamma, u, v]);
    let u_and_v = |c| {
        let (m, y_point) = multiple(suite, c, &y_point);
        let u = EdwardsPoint::vartime_double_scalar_mul_basepoint(&m, &y_point, &s);
        let (m, gamma_point) = multiple(suite, c, &gamma_point);
        let v = EdwardsPoint::vartime_multiscalar_mul([s, m], [h_point, gamma_point]);
        let encoded = EdwardsPoint::compress_batch(&[u, v]);
        encoded.map(|encoding| encoding.to_bytes())
    };
    if suite.form == Form::Bytes80 {
        let c = array(&proof[32..48]);
        let [u, v] = u_and_v(&c);
        if challenge(u, v) != c {
            return Err(Invalid::ChallengeMismatch);
        }
    } else {
        let (u, v) = (array(&proof[32..64]), array(&proof[64..96]));
        let c = challenge(u, v);
        if suite.form == Form::Bytes144 && proof[96..112] != c {
            return Err(Invalid::ChallengeMismatch);
        }
        let recomputed = u_and_v(&c);
        if recomputed[0] != u {
            return Err(Invalid::UMismatch);
        }
        if recomputed[1] != v {
            return Err(Invalid::VMismatch);
        }
    }

    let cofactor_gamma = gamma_point.mul_by_cofactor().compress().to_bytes();
    let beta = reference::output(suite, &cofactor_gamma);
    match &case.output {
        Some(output) if output.len() != 64 => Err(Invalid::OutputLength(output.len())),
        Some(output) if output[..] != beta => Err(Invalid::OutputMismatch),
        _ => Ok(beta),
    }
}
