//! Makes proofs (RFC 9381, section 5.1), and evaluates alphas (computes their outputs without proofs). Both
//! run in constant time in the secret key.
//!
//! The scalars x and k are used only in constant-time arithmetic. The time may depend on alpha and the public
//! key, because they determine how many hashes try-and-increment needs.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point};
use zeroize::Zeroizing;

use crate::batch::table::encode_all;
use crate::error::Error;
use crate::hash_to_curve::decode_and_hash;
use crate::key::SecretKey;
use crate::output::Output;
use crate::proof::Proof;
use crate::stage::{Stage, unwatched};
use crate::suite::Suite;
use crate::transcript;

/// A secret key, and the alpha to prove or evaluate with it.
pub(crate) type Request<'a> = (&'a SecretKey, &'a [u8]);

/// Returns the proof if both attempts made the same proof and the proof verifies. A temporary fault makes the
/// two proofs differ. A lasting fault, such as a fault in the key, makes a proof that does not verify.
pub(crate) fn check(
    key: &SecretKey,
    alpha: &[u8],
    [made, again]: [(Proof, Output); 2],
) -> Result<(Proof, Output), Error> {
    let (proof, output) = made;
    let verdict = key.suite().verify(key.public_key(), alpha, &proof);
    if made == again && verdict == Ok(output) {
        Ok(made)
    } else {
        Err(Error::Fault)
    }
}

/// Proves a group of requests whose keys are all of this suite.
pub(crate) fn prove_group(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
    watch: &mut impl FnMut(Stage),
) -> Vec<(Proof, Output)> {
    let commitments = commit(engine, suite, requests, watch);
    respond(engine, suite, requests, &commitments, watch)
}

/// A group of proofs before the challenges are hashed.
struct Commitments {
    /// The encodings of H.
    h: Vec<[u8; 32]>,
    /// The nonces k.
    nonces: Zeroizing<Vec<Scalar>>,
    /// The encodings of all Γ, followed by all U, all V and all 8Γ.
    points: Vec<[u8; 32]>,
}

/// The first half of proving: Γ = x·H, U = k·B and V = k·H.
fn commit(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
    watch: &mut impl FnMut(Stage),
) -> Commitments {
    let n = requests.len();
    let h_points = hash_requests(engine, suite, requests, watch);
    let h = encode_all(engine, &h_points);
    watch(Stage::EncodeH);

    // These secrets are written in place and read by reference. Returning them by value would leave copies on
    // the stack.
    let mut nonces = Zeroizing::new(vec![Scalar::ZERO; n]);
    let mut x = Zeroizing::new(vec![[0; 32]; n]);
    let mut k = Zeroizing::new(vec![[0; 32]; n]);
    let hashed = requests.iter().zip(&h);
    let hashed = hashed.map(|((key, _), h)| [key.prefix(), h]);
    transcript::nonces(engine, suite, hashed, &mut nonces);
    for (i, (key, _)) in requests.iter().enumerate() {
        x[i].copy_from_slice(key.x().as_bytes());
        k[i].copy_from_slice(nonces[i].as_bytes());
    }
    watch(Stage::Nonces);

    let points = multiply(engine, &h_points, &x, &k, watch);
    let points = encode_all(engine, &points);
    watch(Stage::Encode);
    Commitments { h, nonces, points }
}

/// Computes all Γ = x·H, then all U = k·B, V = k·H and 8Γ. The points are wiped when dropped, because
/// projective coordinates reveal bits of the scalars.
fn multiply(
    engine: Engine,
    h_points: &[Point],
    x: &[[u8; 32]],
    k: &[[u8; 32]],
    watch: &mut impl FnMut(Stage),
) -> Zeroizing<Vec<Point>> {
    let n = h_points.len();
    let mut points = Zeroizing::new(vec![Point::IDENTITY; 4 * n]);
    let whole = engine.whole(n);
    let (gammas, rest) = points.split_at_mut(n);
    let (u, rest) = rest.split_at_mut(n);
    let v = &mut rest[..n];
    engine.secret_mul_pair(
        &h_points[..whole],
        &x[..whole],
        &k[..whole],
        &mut gammas[..whole],
        &mut v[..whole],
    );
    if whole > 0 {
        watch(Stage::SecretPair);
    }
    engine.secret_mul_base(&k[..whole], &mut u[..whole]);
    if whole > 0 {
        watch(Stage::SecretBase);
    }
    engine.secret_prove_alone(
        &h_points[whole..],
        &x[whole..],
        &k[whole..],
        &mut gammas[whole..],
        &mut v[whole..],
        &mut u[whole..],
    );
    if whole < n {
        watch(Stage::SecretPair);
    }
    let (gammas, rest) = points.split_at_mut(n);
    engine.mul_by_cofactor(gammas, &mut rest[2 * n..3 * n]);
    points
}

/// The second half of proving: c, s = k + c·x and beta.
fn respond(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
    Commitments { h, nonces, points }: &Commitments,
    watch: &mut impl FnMut(Stage),
) -> Vec<(Proof, Output)> {
    let n = requests.len();
    let (gammas, rest) = points.split_at(n);
    let (u, rest) = rest.split_at(n);
    let (v, cofactor_gammas) = rest.split_at(n);
    let hashed = |i| {
        let (key, _): &(&SecretKey, _) = &requests[i];
        let points = [&h[i], &gammas[i], &u[i], &v[i]];
        (key.public_key().as_bytes(), points)
    };
    let challenges = transcript::challenges(engine, suite, (0..n).map(hashed));
    let outputs = transcript::outputs(engine, suite, cofactor_gammas);
    watch(Stage::Hash);

    let proofs = (0..n)
        .map(|i| {
            let c = &challenges[i];
            let mut s = Zeroizing::new(transcript::challenge_scalar(c));
            *s *= requests[i].0.x();
            *s += &nonces[i];
            let points = [&gammas[i], &u[i], &v[i]];
            let proof = Proof::new(suite.proof_form, points, c, s.as_bytes());
            (proof, outputs[i])
        })
        .collect();
    watch(Stage::Respond);
    proofs
}

/// Returns the output beta of each request, which is a hash of 8·(x·H). This takes one secret
/// multiplication, where a proof takes three.
pub(crate) fn evaluate_group(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
) -> Vec<Output> {
    let n = requests.len();
    let h = hash_requests(engine, suite, requests, &mut unwatched);
    let mut x = Zeroizing::new(vec![[0; 32]; n]);
    for (x, (key, _)) in x.iter_mut().zip(requests) {
        x.copy_from_slice(key.x().as_bytes());
    }
    // The points are wiped, because projective coordinates reveal bits of the scalar.
    let mut points = Zeroizing::new(vec![Point::IDENTITY; 2 * n]);
    let (gammas, cofactor_gammas) = points.split_at_mut(n);
    let whole = engine.whole(n);
    engine.secret_mul(&h[..whole], &x[..whole], &mut gammas[..whole]);
    engine.secret_mul_alone(&h[whole..], &x[whole..], &mut gammas[whole..]);
    engine.mul_by_cofactor(gammas, cofactor_gammas);
    transcript::outputs(engine, suite, &encode_all(engine, cofactor_gammas))
}

/// Returns the point H of each request. With probability 2^-256, try-and-increment finds no point. Then H is
/// the identity, and no verifier accepts the proof.
fn hash_requests(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
    watch: &mut impl FnMut(Stage),
) -> Vec<Point> {
    let inputs: Vec<_> = requests
        .iter()
        .map(|(key, alpha)| (key.public_key().as_bytes(), *alpha))
        .collect();
    let (_, h, _) = decode_and_hash(engine, suite, &[], &inputs, watch);
    h
}

#[cfg(test)]
mod tests {
    use super::*;
    use curve25519_dalek::EdwardsPoint;
    use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
    use curve25519_dalek::edwards::CompressedEdwardsY;

    use crate::proof::Parts;
    use crate::suite::ProofForm;

    const ALPHA: &[u8] = b"alpha";

    /// Makes a proof, and runs `fault` between the two halves of proving.
    fn prove_with(key: &SecretKey, fault: impl FnOnce(&mut Commitments)) -> (Proof, Output) {
        let (engine, requests) = (klero_lanes::engine(), [(key, ALPHA)]);
        let mut commitments = commit(engine, key.suite(), &requests, &mut unwatched);
        fault(&mut commitments);
        respond(engine, key.suite(), &requests, &commitments, &mut unwatched)[0]
    }

    /// c and s of a proof of 80 bytes.
    fn parts((proof, _): &(Proof, Output)) -> (Scalar, Scalar) {
        let parts = Parts::split(ProofForm::GammaCS, proof.as_bytes()).unwrap();
        let s = Scalar::from_bytes_mod_order(*parts.s);
        (transcript::challenge_scalar(parts.challenge.unwrap()), s)
    }

    #[test]
    fn a_flipped_bit_is_withheld_where_it_would_give_the_key_away() {
        for &suite in Suite::ALL {
            let key = SecretKey::from_seed(suite, &[7; 32]);
            let right = key.prove(ALPHA);
            assert_eq!(prove_with(&key, |_| ()), right);
            assert_eq!(check(&key, ALPHA, [right; 2]), Ok(right));
            for part in 0..3 {
                let faulty = prove_with(&key, |made| made.points[part][5] ^= 4);
                assert_ne!(faulty.0, right.0, "{suite}");
                for pair in [[faulty; 2], [right, faulty], [faulty, right]] {
                    assert_eq!(check(&key, ALPHA, pair), Err(Error::Fault), "{suite}");
                }
                if suite.proof_form == ProofForm::GammaCS {
                    let ((c, s), (wrong_c, wrong_s)) = (parts(&right), parts(&faulty));
                    let x = (s - wrong_s) * (c - wrong_c).invert();
                    assert_eq!(x, *key.x(), "{suite}");
                }
            }
        }
    }

    /// A proof with nonce k + 1 is as valid as a proof with nonce k. So verification alone does not detect a
    /// fault that adds 1 to the nonce.
    #[test]
    fn a_flipped_bit_of_the_nonce_is_withheld_though_the_proof_is_valid() {
        let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
        let right = key.prove(ALPHA);
        let plus = |encoding: &mut [u8; 32], point: EdwardsPoint| {
            let sum = CompressedEdwardsY(*encoding).decompress().unwrap() + point;
            *encoding = sum.compress().to_bytes();
        };
        let faulty = prove_with(&key, |made| {
            made.nonces[0] += Scalar::ONE;
            let h = CompressedEdwardsY(made.h[0]).decompress().unwrap();
            plus(&mut made.points[1], ED25519_BASEPOINT_POINT);
            plus(&mut made.points[2], h);
        });
        // The fault is not detected if it occurs in both proofs.
        assert_eq!(check(&key, ALPHA, [faulty; 2]), Ok(faulty));
        assert_eq!(check(&key, ALPHA, [right, faulty]), Err(Error::Fault));
        let ((c, s), (wrong_c, wrong_s)) = (parts(&right), parts(&faulty));
        let x = (s - (wrong_s - Scalar::ONE)) * (c - wrong_c).invert();
        assert_eq!(x, *key.x());
    }
}
