//! The parts of the work that the studies measured, on dalek's public API.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use klero_peer::{Claims, Work};

use crate::ecvrf::{Suite, decode, decode_key, decode_scalar};

/// A decoded claim.
#[derive(Clone)]
struct Decoded {
    key: [u8; 32],
    alpha: Vec<u8>,
    /// Γ.
    encoding: [u8; 32],
    y: EdwardsPoint,
    h: EdwardsPoint,
    gamma: EdwardsPoint,
    u: EdwardsPoint,
    v: EdwardsPoint,
    c: Scalar,
    c_bytes: [u8; 16],
    s: Scalar,
    /// The weights of the two equations.
    weights: [Scalar; 2],
}

/// The experiment of that name on claims of the suite:
///
/// - `verif`: verification with constant-time multiplications and an inversion for every
///   encoding, although nothing in it is secret;
/// - `internal_mul`: decoding a point and multiplying it, constant time;
/// - `single_multi`: both equations of a proof as one multiscalar multiplication;
/// - `steps`: steps 4 and 5, U and V from decoded points;
/// - `steps <n>`: the same for n proofs as one multiscalar multiplication of a random
///   combination, repeated for all claims;
/// - `hash_to_curve`.
pub fn prepare(name: &str, suite: &str, claims: &Claims<'_>) -> Option<Work> {
    let suite = Suite::by_name(suite)?;
    let decoded: Option<Vec<_>> = (0..claims.keys.len())
        .map(|i| decode_claim(&suite, claims, i))
        .collect();
    let decoded = decoded?;
    let each = |work: fn(&Suite, &Decoded) -> bool| -> Option<Work> {
        let decoded = decoded.clone();
        Some(Box::new(move || {
            decoded.iter().all(|claim| work(&suite, claim))
        }))
    };
    match name {
        "verif" => each(verify_constant_time),
        "internal_mul" => each(|_, claim| {
            decode(&claim.encoding).is_some_and(|point| !(point * claim.s).is_identity())
        }),
        "single_multi" => each(|_, claim| combination(std::slice::from_ref(claim))),
        "steps" => each(|_, claim| {
            let (y, c, s) = (&claim.y, &-claim.c, &claim.s);
            let u = EdwardsPoint::vartime_double_scalar_mul_basepoint(c, y, s);
            let v = EdwardsPoint::vartime_multiscalar_mul([s, c], [&claim.h, &claim.gamma]);
            u == claim.u && v == claim.v
        }),
        "hash_to_curve" => {
            each(|suite, claim| suite.hash_to_curve(&claim.key, &claim.alpha).is_some())
        }
        _ => {
            let size: usize = name.strip_prefix("steps ")?.parse().ok()?;
            Some(Box::new(move || decoded.chunks(size).all(combination)))
        }
    }
}

fn decode_claim(suite: &Suite, claims: &Claims<'_>, i: usize) -> Option<Decoded> {
    let (key, alpha, proof) = (claims.keys[i], claims.alpha(i), claims.proof(i));
    let (encodings, _) = proof.as_chunks::<32>();
    let (y, gamma) = (decode_key(&key)?, decode(encodings.first()?)?);
    let h = suite.hash_to_curve(&key, alpha)?;
    let s = decode_scalar(*proof.last_chunk()?)?;
    let c_bytes = if proof.len() == 80 {
        *proof.get(32..)?.first_chunk()?
    } else {
        let points = [
            h.compress().to_bytes(),
            encodings[0],
            encodings[1],
            encodings[2],
        ];
        suite.challenge(&key, points.each_ref())
    };
    let c = Scalar::from(u128::from_le_bytes(c_bytes));
    // Any 128 bits do, since only the cost is measured.
    let half = |at: usize| {
        let half = proof.get(at..)?.first_chunk()?;
        Some(Scalar::from(u128::from_le_bytes(*half)))
    };
    Some(Decoded {
        u: EdwardsPoint::vartime_double_scalar_mul_basepoint(&-c, &y, &s),
        v: EdwardsPoint::vartime_multiscalar_mul([s, -c], [h, gamma]),
        weights: [half(0)?, half(proof.len() - 32)?],
        key,
        alpha: alpha.to_vec(),
        encoding: encodings[0],
        y,
        h,
        gamma,
        c,
        c_bytes,
        s,
    })
}

fn verify_constant_time(suite: &Suite, claim: &Decoded) -> bool {
    let verified = || {
        let (y, gamma) = (decode_key(&claim.key)?, decode(&claim.encoding)?);
        let h = suite.hash_to_curve(&claim.key, &claim.alpha)?;
        let u = EdwardsPoint::mul_base(&claim.s) - y * claim.c;
        let v = h * claim.s - gamma * claim.c;
        let [h, u, v] = [h, u, v].map(|point| point.compress().to_bytes());
        let c = suite.challenge(&claim.key, [&h, &claim.encoding, &u, &v]);
        let output = suite.output(&gamma.mul_by_cofactor().compress());
        Some(c == claim.c_bytes && output != [0; 64])
    };
    verified() == Some(true)
}

/// Σ a·(U + c·Y - s·B) + b·(V + c·Γ - s·H) = 0 for all of them.
fn combination(claims: &[Decoded]) -> bool {
    let n = 5 * claims.len() + 1;
    let (mut scalars, mut points) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut base = Scalar::ZERO;
    for claim in claims {
        let [a, b] = claim.weights;
        base -= a * claim.s;
        scalars.extend([a, a * claim.c, b, b * claim.c, -(b * claim.s)]);
        points.extend([claim.u, claim.y, claim.v, claim.gamma, claim.h]);
    }
    scalars.push(base);
    points.push(curve25519_dalek::constants::ED25519_BASEPOINT_POINT);
    EdwardsPoint::vartime_multiscalar_mul(&scalars, &points).is_identity()
}
