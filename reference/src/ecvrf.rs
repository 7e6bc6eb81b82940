//! ECVRF itself: challenge, output, prove and verify. Sections are those of RFC 9381.

use num_bigint::BigUint;
use sha2::{Digest, Sha512};

use crate::curve::{B, L, NotAPoint, Point, decode, sum_of_products};
use crate::field::{bytes_le, int, int_le};
use crate::hash_to_curve::hash_to_curve;
use crate::suite::{Form, Hash, Rules, Suite, Transcript};

// --------------------------------------------- what prover and verifier share

/// ECVRF_challenge_generation, section 5.4.3: c from the encodings of Y and of H, Γ, U, V.
pub fn challenge(suite: &Suite, y: &[u8; 32], points: [[u8; 32]; 4]) -> [u8; 16] {
    let y: &[u8] = match suite.transcript {
        Transcript::Rfc => y,
        Transcript::Draft03 | Transcript::Draft10 => &[],
    };
    let points = points.concat();
    let hash = suite.hash_32(&[&[suite.octet, 2], y, &points, trailer(suite)]);
    *hash.first_chunk().expect("32 bytes")
}

/// beta from the encoding of 8Γ: the last step of ECVRF_proof_to_hash, section 5.2.
pub fn output(suite: &Suite, cofactor_gamma: &[u8; 32]) -> [u8; 64] {
    suite.hash_64(&[&[suite.octet, 3], cofactor_gamma, trailer(suite)])
}

/// What ends the hashed strings of challenge and output.
fn trailer(suite: &Suite) -> &'static [u8] {
    match suite.transcript {
        Transcript::Draft03 => &[],
        Transcript::Draft10 | Transcript::Rfc => &[0],
    }
}

fn gamma_to_hash(suite: &Suite, gamma: &Point) -> [u8; 64] {
    output(suite, &gamma.mul(&int(8)).encode())
}

// ---------------------------------------------------------------------- prove

/// A secret key, expanded.
pub struct Key {
    /// The secret scalar: clamped, not reduced mod L.
    pub x: BigUint,
    /// What the nonce is hashed from.
    pub prefix: [u8; 32],
    /// The public key: the encoding of Y = xB.
    pub public: [u8; 32],
}

/// The key of a seed: RFC 8032, section 5.1.5, with SHA-512 in every suite.
pub fn expand(seed: &[u8; 32]) -> Key {
    let hash = Sha512::digest(seed);
    let (mut x, prefix): ([u8; 32], _) = (array(&hash[..32]), array(&hash[32..]));
    x[0] &= 248;
    x[31] = x[31] & 127 | 64;
    let x = int_le(&x);
    let public = B.mul(&x).encode();
    Key { x, prefix, public }
}

/// ECVRF_nonce_generation, section 5.4.2.2: k from the encoding of H.
pub fn nonce(suite: &Suite, prefix: &[u8; 32], h: &[u8; 32]) -> BigUint {
    let hash = match suite.hash {
        Hash::Sha512 => int_le(&suite.hash_64(&[prefix, h])),
        Hash::Blake2b => int_le(&suite.hash_32(&[prefix, h])),
    };
    hash % &*L
}

/// ECVRF_prove, section 5.1: the proof and its output.
pub fn prove(suite: &Suite, seed: &[u8; 32], alpha: &[u8]) -> (Vec<u8>, [u8; 64]) {
    let key = expand(seed);
    let h_point = hash_to_curve(suite, &key.public, alpha).expect("probability 2^-256");
    let gamma_point = h_point.mul(&key.x);
    let (h, gamma) = (h_point.encode(), gamma_point.encode());
    let k = nonce(suite, &key.prefix, &h);
    let (u, v) = (B.mul(&k).encode(), h_point.mul(&k).encode());
    let c = challenge(suite, &key.public, [h, gamma, u, v]);
    let s = bytes_le(&((k + int_le(&c) * &key.x) % &*L));
    let proof = proof_bytes(suite, [gamma, u, v, s], c);
    (proof, gamma_to_hash(suite, &gamma_point))
}

/// The output without a proof: beta = hash(8xH).
pub fn evaluate(suite: &Suite, seed: &[u8; 32], alpha: &[u8]) -> [u8; 64] {
    let key = expand(seed);
    let h = hash_to_curve(suite, &key.public, alpha).expect("probability 2^-256");
    gamma_to_hash(suite, &h.mul(&key.x))
}

/// The fields of a proof in the order of the suite's form.
pub fn proof_bytes(suite: &Suite, [gamma, u, v, s]: [[u8; 32]; 4], c: [u8; 16]) -> Vec<u8> {
    match suite.form {
        Form::Bytes80 => [&gamma[..], &c, &s].concat(),
        Form::Bytes128 => [gamma, u, v, s].concat(),
        Form::Bytes144 => [&gamma[..], &u, &v, &c, &s].concat(),
    }
}

// --------------------------------------------------------------------- verify

/// Why a claim is invalid. Verification checks in the order of the variants, and returns
/// the first that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The public key is not 32 bytes long.
    KeyLength(usize),
    /// The y of the public key is p or more.
    KeyNotCanonical,
    /// The public key is no point of the curve.
    KeyNotOnCurve,
    /// The public key has small order.
    KeySmallOrder,
    /// The proof does not have the length of the suite's proofs.
    ProofLength {
        /// The suite's proof length in bytes.
        expected: usize,
        /// The length of this one.
        got: usize,
    },
    /// The y of Γ is p or more.
    GammaNotCanonical,
    /// Γ is no point of the curve.
    GammaNotOnCurve,
    /// s is L or more.
    ScalarNotCanonical,
    /// alpha hashes to no point.
    NoCurvePoint,
    /// The challenge is not the one that the points hash to.
    ChallengeMismatch,
    /// The U of the proof is not sB - cY.
    UMismatch,
    /// The V of the proof is not sH - cΓ.
    VMismatch,
    /// The claimed output is not 64 bytes long.
    OutputLength(usize),
    /// The claimed output is not the proof's.
    OutputMismatch,
}

/// ECVRF_verify, section 5.3, with the public key validated: the output, or the first check
/// that fails. A claimed output, if there is one, must be the proof's.
pub fn verify(
    suite: &Suite,
    key: &[u8],
    alpha: &[u8],
    proof: &[u8],
    claimed: Option<&[u8]>,
) -> Result<[u8; 64], Invalid> {
    let y_point = validate_key(key)?;
    let (gamma_point, s) = decode_gamma_and_s(suite, proof)?;
    let (y, gamma) = (array(key), array(&proof[..32]));
    let h_point = hash_to_curve(suite, &y, alpha).ok_or(Invalid::NoCurvePoint)?;
    let h = h_point.encode();

    // U and V as the equations give them.
    let recompute = |c| {
        let u = s_p_minus_c_q(suite, &s, &B, c, &y_point);
        let v = s_p_minus_c_q(suite, &s, &h_point, c, &gamma_point);
        (u, v)
    };
    if suite.form == Form::Bytes80 {
        let c = array(&proof[32..48]);
        let (u, v) = recompute(&c);
        if challenge(suite, &y, [h, gamma, u, v]) != c {
            return Err(Invalid::ChallengeMismatch);
        }
    } else {
        // The proof contains U and V, and they are compared as bytes: an encoding of the
        // right point that is not canonical is wrong.
        let (u, v) = (array(&proof[32..64]), array(&proof[64..96]));
        let c = challenge(suite, &y, [h, gamma, u, v]);
        if suite.form == Form::Bytes144 && proof[96..112] != c {
            return Err(Invalid::ChallengeMismatch);
        }
        let recomputed = recompute(&c);
        if recomputed.0 != u {
            return Err(Invalid::UMismatch);
        }
        if recomputed.1 != v {
            return Err(Invalid::VMismatch);
        }
    }

    let beta = gamma_to_hash(suite, &gamma_point);
    match claimed {
        Some(output) if output.len() != 64 => Err(Invalid::OutputLength(output.len())),
        Some(output) if output != beta => Err(Invalid::OutputMismatch),
        _ => Ok(beta),
    }
}

/// sP - cQ by the suite's rules, encoded. (L-c)·Q and -(c·Q) differ if Q has torsion, since
/// then L·Q is not the identity.
fn s_p_minus_c_q(suite: &Suite, s: &BigUint, p: &Point, c: &[u8; 16], q: &Point) -> [u8; 32] {
    let c = int_le(c);
    let point = match suite.rules {
        Rules::Cardano => sum_of_products([(s, p), (&((&*L - c) % &*L), q)]),
        Rules::Rfc | Rules::Original => sum_of_products([(s, p), (&c, &q.neg())]),
    };
    point.encode()
}

/// ECVRF_validate_key, section 5.4.5. The key must also be canonical.
pub fn validate_key(key: &[u8]) -> Result<Point, Invalid> {
    let bytes = key.try_into().map_err(|_| Invalid::KeyLength(key.len()))?;
    let y = decode(bytes).map_err(|fault| match fault {
        NotAPoint::NotCanonical => Invalid::KeyNotCanonical,
        NotAPoint::NotOnCurve => Invalid::KeyNotOnCurve,
    })?;
    if y.has_small_order() {
        return Err(Invalid::KeySmallOrder);
    }
    Ok(y)
}

/// ECVRF_decode_proof, section 5.4.4: Γ and s, the fields that can be wrong by themselves.
fn decode_gamma_and_s(suite: &Suite, proof: &[u8]) -> Result<(Point, BigUint), Invalid> {
    let (expected, got) = (suite.proof_len(), proof.len());
    if got != expected {
        return Err(Invalid::ProofLength { expected, got });
    }
    let gamma = decode(&array(&proof[..32])).map_err(|fault| match fault {
        NotAPoint::NotCanonical => Invalid::GammaNotCanonical,
        NotAPoint::NotOnCurve => Invalid::GammaNotOnCurve,
    })?;
    let s = int_le(&proof[got - 32..]);
    match suite.rules {
        Rules::Original => Ok((gamma, s % &*L)),
        Rules::Cardano | Rules::Rfc if s < *L => Ok((gamma, s)),
        Rules::Cardano | Rules::Rfc => Err(Invalid::ScalarNotCanonical),
    }
}

/// ECVRF_proof_to_hash, section 5.2: the output of a proof that is not verified.
pub fn proof_to_hash(suite: &Suite, proof: &[u8]) -> Result<[u8; 64], Invalid> {
    let (gamma, _) = decode_gamma_and_s(suite, proof)?;
    Ok(gamma_to_hash(suite, &gamma))
}

/// The bytes as an array of their length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("the length is known")
}
