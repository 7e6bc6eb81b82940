//! ECVRF on edwards25519 in every suite, as plainly as it can be written: the
//! oracle that the library is compared to.
//!
//! Big integers, one formula per step, and nothing in common with the library
//! but the names of the reasons in [`klero::Invalid`]. Read from top to bottom:
//! the suites, hashing to the curve, what both sides share, prove, verify; the
//! field and the curve are in [`super::curve`]. Section numbers are those of
//! RFC 9381 unless another document is named.

use blake2::Blake2b;
use blake2::digest::consts::U32;
use klero::Invalid;
use num_bigint::BigUint;
use sha2::{Digest, Sha512};

use super::curve::{B, Field, L, NotAPoint, Point, bytes_le, decode, int, int_le, sum_of_products};

// --------------------------------------------------------------- the suites

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    Draft03,
    Ell2Nu,
    Tai,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transcript {
    /// Neither Y nor a trailing zero.
    Draft03,
    /// A trailing zero.
    Draft10,
    /// Y, and a trailing zero.
    Rfc,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rules {
    Cardano,
    Rfc,
    Original,
}

/// A suite: its name, and every choice that the steps below look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suite {
    pub name: &'static str,
    pub octet: u8,
    pub blake2b: bool,
    pub map: Map,
    pub transcript: Transcript,
    /// 80: Γ‖c‖s, 128: Γ‖U‖V‖s, 144: Γ‖U‖V‖c‖s.
    pub proof_len: usize,
    pub rules: Rules,
}

#[rustfmt::skip]
pub const SUITES: [Suite; 14] = [
    suite("praos",           4, Map::Draft03, Transcript::Draft03,  80, Rules::Cardano),
    suite("praos-original",  4, Map::Draft03, Transcript::Draft03,  80, Rules::Original),
    suite("draft10-tai",     3, Map::Tai,     Transcript::Draft10,  80, Rules::Cardano),
    suite("draft10-tai-bc",  3, Map::Tai,     Transcript::Draft10, 128, Rules::Cardano),
    suite("draft13",         4, Map::Ell2Nu,  Transcript::Rfc,      80, Rules::Cardano),
    suite("draft13-bc",      4, Map::Ell2Nu,  Transcript::Rfc,     128, Rules::Cardano),
    suite("rfc9381-tai",     3, Map::Tai,     Transcript::Rfc,      80, Rules::Rfc),
    suite("rfc9381-ell2",    4, Map::Ell2Nu,  Transcript::Rfc,      80, Rules::Rfc),
    suite("rfc9381-tai-bc",  3, Map::Tai,     Transcript::Rfc,     128, Rules::Rfc),
    suite("rfc9381-ell2-bc", 4, Map::Ell2Nu,  Transcript::Rfc,     128, Rules::Rfc),
    suite("praos-128",       4, Map::Draft03, Transcript::Draft03, 128, Rules::Cardano),
    suite("praos-144",       4, Map::Draft03, Transcript::Draft03, 144, Rules::Cardano),
    suite("praos-tai",       4, Map::Tai,     Transcript::Draft03,  80, Rules::Cardano),
    Suite {
        blake2b: true,
        ..suite("praos-blake2b", 4, Map::Draft03, Transcript::Draft03, 80, Rules::Cardano)
    },
];

const fn suite(
    name: &'static str,
    octet: u8,
    map: Map,
    transcript: Transcript,
    proof_len: usize,
    rules: Rules,
) -> Suite {
    Suite {
        name,
        octet,
        blake2b: false,
        map,
        transcript,
        proof_len,
        rules,
    }
}

impl Suite {
    /// The suite's 32-byte hash: half of SHA-512, or BLAKE2b-256.
    pub fn hash_32(&self, parts: &[&[u8]]) -> [u8; 32] {
        if self.blake2b {
            Blake2b::<U32>::digest(parts.concat()).into()
        } else {
            self.hash_64(parts)[..32].try_into().unwrap()
        }
    }

    fn hash_64(&self, parts: &[&[u8]]) -> [u8; 64] {
        if self.blake2b {
            blake2::Blake2b512::digest(parts.concat()).into()
        } else {
            Sha512::digest(parts.concat()).into()
        }
    }

    fn trailer(&self) -> &'static [u8] {
        match self.transcript {
            Transcript::Draft03 => &[],
            Transcript::Draft10 | Transcript::Rfc => &[0],
        }
    }
}

// --------------------------------------------------------- hash to the curve

/// ECVRF_encode_to_curve with the public key as salt: section 5.4.1. None if
/// 256 tries find no point.
pub fn hash_to_curve(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<Point> {
    let point = match suite.map {
        Map::Tai => try_and_increment(suite, pk, alpha)?,
        Map::Draft03 => elligator2_draft03(suite, pk, alpha),
        Map::Ell2Nu => elligator2_rfc9380(suite, pk, alpha),
    };
    Some(point.mul(&int(8)))
}

/// Section 5.4.1.1.
fn try_and_increment(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<Point> {
    (0..=255).find_map(|counter| {
        let hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha, &[counter, 0]]);
        decode(&hash).ok()
    })
}

/// Elligator2 to Montgomery's curve v² = w = u³ + A·u² + u (RFC 9380, section
/// 6.7.1, Z = 2): u, w, and whether the first candidate was taken.
fn elligator2(r: &Field) -> (Field, Field, bool) {
    let (one, a) = (Field::small(1), Field::small(486662));
    let w = |u: &Field| &(&(&(u * u) + &(&a * u)) + &one) * u;
    let u1 = &-&a * &(&one + &(&Field::small(2) * &(r * r))).invert();
    if w(&u1).sqrt().is_some() {
        (u1.clone(), w(&u1), true)
    } else {
        let u2 = &-&a - &u1;
        (u2.clone(), w(&u2), false)
    }
}

/// Montgomery's u to Edwards' y (RFC 7748, section 4.1).
fn edwards_y(u: &Field) -> Field {
    let one = Field::small(1);
    &(u - &one) * &(u + &one).invert()
}

/// draft-irtf-cfrg-vrf-03, section 5.4.1.2, as deployed: the sign bit of the
/// hash is cleared before the map, and x is always the even root.
fn elligator2_draft03(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Point {
    let mut hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha]);
    hash[31] &= 0x7f;
    let (u, _, _) = elligator2(&Field::new(int_le(&hash)));
    Point::from_y(edwards_y(&u), false).expect("Elligator2 maps to the curve")
}

/// The domain separation tag of section 5.5, without the suite octet.
pub const DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";

/// Section 5.4.1.2: edwards25519_XMD:SHA-512_ELL2_NU_ (RFC 9380, sections 5.2
/// and 6.8.2, the rational map of appendix D.1).
fn elligator2_rfc9380(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Point {
    let dst = [DST, &[suite.octet]].concat();
    let uniform = expand_message_xmd_48(&[pk, alpha].concat(), &dst);
    let (u, w, first) = elligator2(&Field::new(BigUint::from_bytes_be(&uniform)));
    let v = w.sqrt().expect("on the curve").with_parity(first);
    let root = (-&Field::small(486664)).sqrt().expect("a square");
    Point::affine(&(&root * &u) * &v.invert(), edwards_y(&u))
}

/// expand_message_xmd(SHA-512) for 48 bytes: one block b_1 is enough (RFC 9380,
/// section 5.3.1).
fn expand_message_xmd_48(msg: &[u8], dst: &[u8]) -> [u8; 48] {
    let dst_prime = [dst, &[dst.len() as u8]].concat();
    let z_pad = [0; 128];
    let b_0 = Sha512::digest([&z_pad, msg, &[0, 48], &[0], &dst_prime].concat());
    let b_1 = Sha512::digest([&b_0[..], &[1], &dst_prime].concat());
    b_1[..48].try_into().unwrap()
}

// ---------------------------------------------------------------- both sides

/// ECVRF_challenge_generation, section 5.4.3: 16 bytes.
pub fn challenge(suite: &Suite, y: &[u8; 32], points: [[u8; 32]; 4]) -> [u8; 16] {
    let y: &[u8] = match suite.transcript {
        Transcript::Rfc => y,
        Transcript::Draft03 | Transcript::Draft10 => &[],
    };
    let points = points.concat();
    suite.hash_32(&[&[suite.octet, 2], y, &points, suite.trailer()])[..16]
        .try_into()
        .unwrap()
}

/// ECVRF_proof_to_hash, section 5.2, from Γ on.
fn gamma_to_hash(suite: &Suite, gamma: &Point) -> [u8; 64] {
    output(suite, &gamma.mul(&int(8)).encode())
}

/// beta from the encoding of 8Γ.
pub fn output(suite: &Suite, cofactor_gamma: &[u8; 32]) -> [u8; 64] {
    suite.hash_64(&[&[suite.octet, 3], cofactor_gamma, suite.trailer()])
}

/// The proof's fields in the suite's order.
pub fn proof_bytes(suite: &Suite, [gamma, u, v, s]: [[u8; 32]; 4], c: [u8; 16]) -> Vec<u8> {
    match suite.proof_len {
        80 => [&gamma[..], &c, &s].concat(),
        128 => [gamma, u, v, s].concat(),
        _ => [&gamma[..], &u, &v, &c, &s].concat(),
    }
}

// --------------------------------------------------------------------- prove

/// A secret key expanded: RFC 8032, section 5.1.5 (SHA-512 in every suite).
pub struct Key {
    /// The secret scalar, clamped, not reduced mod L.
    pub x: BigUint,
    pub prefix: [u8; 32],
    pub pk: [u8; 32],
}

pub fn expand(seed: &[u8; 32]) -> Key {
    let hash: [u8; 64] = Sha512::digest(seed).into();
    let (mut x, prefix): ([u8; 32], [u8; 32]) = (
        hash[..32].try_into().unwrap(),
        hash[32..].try_into().unwrap(),
    );
    x[0] &= 248;
    x[31] = x[31] & 127 | 64;
    let x = int_le(&x);
    let pk = B.mul(&x).encode();
    Key { x, prefix, pk }
}

/// ECVRF_nonce_generation, section 5.4.2.2.
pub fn nonce(suite: &Suite, prefix: &[u8; 32], h: &[u8; 32]) -> BigUint {
    if suite.blake2b {
        int_le(&suite.hash_32(&[prefix, h])) % &*L
    } else {
        int_le(&suite.hash_64(&[prefix, h])) % &*L
    }
}

/// ECVRF_prove, section 5.1: the proof and its output.
pub fn prove(suite: &Suite, seed: &[u8; 32], alpha: &[u8]) -> (Vec<u8>, [u8; 64]) {
    let key = expand(seed);
    let h_point = hash_to_curve(suite, &key.pk, alpha).expect("probability 2^-256");
    let gamma_point = h_point.mul(&key.x);
    let (h, gamma) = (h_point.encode(), gamma_point.encode());
    let k = nonce(suite, &key.prefix, &h);
    let (u, v) = (B.mul(&k).encode(), h_point.mul(&k).encode());
    let c = challenge(suite, &key.pk, [h, gamma, u, v]);
    let s = bytes_le(&((k + int_le(&c) * &key.x) % &*L));
    let proof = proof_bytes(suite, [gamma, u, v, s], c);
    (proof, gamma_to_hash(suite, &gamma_point))
}

// -------------------------------------------------------------------- verify

/// sP - cQ, as the suite's rules have it: s·P + c·(-Q) under the RFC's, and
/// s·P + (L-c)·Q under Cardano's. They differ when Q has torsion, for then L·Q is
/// not the identity.
fn recompute(suite: &Suite, s: &BigUint, p: &Point, c: &[u8; 16], q: &Point) -> [u8; 32] {
    let c = int_le(c);
    let point = match suite.rules {
        Rules::Cardano => sum_of_products([(s, p), (&((&*L - c) % &*L), q)]),
        Rules::Rfc | Rules::Original => sum_of_products([(s, p), (&c, &q.neg())]),
    };
    point.encode()
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap()
}

/// ECVRF_decode_proof, section 5.4.4: Γ and s, the two fields that can be wrong
/// by themselves. U and V are only ever compared as bytes.
fn decode_gamma_and_s(suite: &Suite, proof: &[u8]) -> Result<(Point, BigUint), Invalid> {
    let (expected, got) = (suite.proof_len, proof.len());
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

/// ECVRF_proof_to_hash, section 5.2.
pub fn proof_to_hash(suite: &Suite, proof: &[u8]) -> Result<[u8; 64], Invalid> {
    let (gamma, _) = decode_gamma_and_s(suite, proof)?;
    Ok(gamma_to_hash(suite, &gamma))
}

/// ECVRF_validate_key, section 5.4.5, and canonicity.
pub fn validate_key(key: &[u8]) -> Result<Point, Invalid> {
    let bytes: [u8; 32] = key.try_into().map_err(|_| Invalid::KeyLength(key.len()))?;
    let y = decode(&bytes).map_err(|fault| match fault {
        NotAPoint::NotCanonical => Invalid::KeyNotCanonical,
        NotAPoint::NotOnCurve => Invalid::KeyNotOnCurve,
    })?;
    if y.has_small_order() {
        return Err(Invalid::KeySmallOrder);
    }
    Ok(y)
}

/// ECVRF_verify, section 5.3, one claim at a time: the output, or the first of
/// the checks, in the order of [`Invalid`]'s variants, that fails.
pub fn verify(suite: &Suite, claim: &klero::Claim) -> Result<[u8; 64], Invalid> {
    let y_point = validate_key(claim.key)?;
    let y = array(claim.key);
    let (gamma_point, s) = decode_gamma_and_s(suite, claim.proof)?;
    let proof = claim.proof;
    let gamma = array(&proof[..32]);
    let h_point = hash_to_curve(suite, &y, claim.alpha).ok_or(Invalid::NoCurvePoint)?;
    let h = h_point.encode();

    let u_and_v = |c| {
        let u = recompute(suite, &s, &B, c, &y_point);
        let v = recompute(suite, &s, &h_point, c, &gamma_point);
        (u, v)
    };
    if proof.len() == 80 {
        let c = array(&proof[32..48]);
        let (u, v) = u_and_v(&c);
        if challenge(suite, &y, [h, gamma, u, v]) != c {
            return Err(Invalid::ChallengeMismatch);
        }
    } else {
        let (u, v) = (array(&proof[32..64]), array(&proof[64..96]));
        let c = challenge(suite, &y, [h, gamma, u, v]);
        if proof.len() == 144 && proof[96..112] != c {
            return Err(Invalid::ChallengeMismatch);
        }
        let recomputed = u_and_v(&c);
        if recomputed.0 != u {
            return Err(Invalid::UMismatch);
        }
        if recomputed.1 != v {
            return Err(Invalid::VMismatch);
        }
    }

    let beta = gamma_to_hash(suite, &gamma_point);
    match claim.output {
        Some(output) if output.len() != 64 => Err(Invalid::OutputLength(output.len())),
        Some(output) if output != beta => Err(Invalid::OutputMismatch),
        _ => Ok(beta),
    }
}
