//! Proving (RFC 9381, section 5.1): constant time in the secret key.
//!
//! The scalars x and k meet only constant-time multiplications; alpha and the
//! public key may show in the timing (try-and-increment takes as many hashes as
//! alpha needs).

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use lanes::{Engine, Point};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::backend::Backend;
use crate::hash_to_curve::hash_to_curve;
use crate::key::SecretKey;
use crate::proof::{Output, Proof};
use crate::suite::Suite;
use crate::threads::in_groups;
use crate::transcript;
use crate::verify::encode_all;

/// So many proofs are made together.
const GROUP: usize = 64;

impl SecretKey {
    /// Proves: the proof and the output beta for alpha, in the key's suite.
    /// Deterministic.
    ///
    /// Constant time in the secret key for a given alpha.
    ///
    /// ```
    /// use klero::{Claim, SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::RFC9381_ELL2, &[7; 32]);
    /// let (proof, output) = key.prove(b"alpha");
    /// let claim = Claim {
    ///     key: key.public_key().as_bytes(),
    ///     alpha: b"alpha",
    ///     proof: proof.as_bytes(),
    ///     output: Some(output.as_bytes()),
    /// };
    /// assert_eq!(key.suite().verify(&claim), Ok(output));
    /// ```
    pub fn prove(&self, alpha: &[u8]) -> (Proof, Output) {
        let Backend(engine) = Backend::default();
        prove_group(engine, self.suite(), &[(self, alpha)])[0]
    }

    /// Proves many alphas: for each the proof and the output, in order and the same
    /// that [`prove`](Self::prove) gives.
    ///
    /// Constant time in the secret key for given alphas. With the feature `rayon` on
    /// the threads of the current pool.
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
    /// let proofs = key.prove_many(&[b"one", b"two"]);
    /// assert_eq!(proofs[1], key.prove(b"two"));
    /// ```
    pub fn prove_many(&self, alphas: &[impl AsRef<[u8]>]) -> Vec<(Proof, Output)> {
        let requests: Vec<_> = alphas.iter().map(|alpha| (self, alpha.as_ref())).collect();
        prove_all(Backend::default(), self.suite(), &requests)
    }
}

/// Proves with many keys of one suite: for each key and alpha the proof and the output,
/// in order and the same that [`SecretKey::prove`] gives.
///
/// Constant time in the secret keys for given alphas. With the feature `rayon` on the
/// threads of the current pool.
///
/// # Errors
/// [`MixedSuites`] names the first key of another suite than that of the first key.
///
/// ```
/// use klero::{SecretKey, Suite, prove_many};
/// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
/// let other = SecretKey::from_seed(Suite::RFC9381_TAI, &[8; 32]);
/// let proofs = prove_many(&[(&key, b"a"), (&other, b"a")])?;
/// assert_eq!(proofs[1], other.prove(b"a"));
///
/// let foreign = SecretKey::from_seed(Suite::PRAOS, &[9; 32]);
/// let error = prove_many(&[(&key, b"a"), (&other, b"a"), (&foreign, b"a")]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "key 2 is of suite praos, the keys before it of rfc9381-tai",
/// );
/// # Ok::<(), klero::MixedSuites>(())
/// ```
pub fn prove_many(requests: &[(&SecretKey, &[u8])]) -> Result<Vec<(Proof, Output)>, MixedSuites> {
    prove_many_on(Backend::default(), requests)
}

/// [`prove_many`] on a backend of choice.
///
/// # Errors
/// As [`prove_many`].
///
/// ```
/// use klero::{Backend, SecretKey, Suite, prove_many_on};
/// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
/// for backend in Backend::all() {
///     let proofs = prove_many_on(backend, &[(&key, b"alpha")])?;
///     assert_eq!(proofs, [key.prove(b"alpha")]);
/// }
/// # Ok::<(), klero::MixedSuites>(())
/// ```
pub fn prove_many_on(
    backend: Backend,
    requests: &[(&SecretKey, &[u8])],
) -> Result<Vec<(Proof, Output)>, MixedSuites> {
    let Some((first, _)) = requests.first() else {
        return Ok(Vec::new());
    };
    let expected = first.suite();
    let differs = |(key, _): &(&SecretKey, _)| key.suite() != expected;
    match requests.iter().position(differs) {
        Some(index) => Err(MixedSuites {
            index,
            expected,
            got: requests[index].0.suite(),
        }),
        None => Ok(prove_all(backend, expected, requests)),
    }
}

/// Keys of two suites in one call of [`prove_many`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("key {index} is of suite {got}, the keys before it of {expected}")]
#[non_exhaustive]
pub struct MixedSuites {
    /// The place of the first key of another suite, from 0.
    pub index: usize,
    /// The suite of the keys before it.
    pub expected: Suite,
    /// Its suite.
    pub got: Suite,
}

/// Proves with keys that are all of this suite.
fn prove_all(
    Backend(engine): Backend,
    suite: Suite,
    requests: &[(&SecretKey, &[u8])],
) -> Vec<(Proof, Output)> {
    in_groups(requests, GROUP, |requests| {
        prove_group(engine, suite, requests)
    })
    .concat()
}

fn prove_group(
    engine: &dyn Engine,
    suite: Suite,
    requests: &[(&SecretKey, &[u8])],
) -> Vec<(Proof, Output)> {
    let n = requests.len();
    let inputs: Vec<_> = requests
        .iter()
        .map(|(key, alpha)| (key.public_key().as_bytes(), *alpha))
        .collect();
    // Try-and-increment finds no point with probability 2^-256; the identity then
    // stands for it, and no verifier accepts the proof.
    let h_points: Vec<Point> = hash_to_curve(engine, suite, &inputs)
        .into_iter()
        .map(|point| point.unwrap_or(Point::IDENTITY))
        .collect();
    let h = encode_all(engine, &h_points);

    // Written where they stay, and read by reference: what is returned by value leaves
    // copies on the stack.
    let mut nonces = Zeroizing::new(vec![Scalar::ZERO; n]);
    let mut x = Zeroizing::new(vec![[0; 32]; n]);
    let mut k = Zeroizing::new(vec![[0; 32]; n]);
    for (i, (key, _)) in requests.iter().enumerate() {
        transcript::nonce(suite, key.prefix(), &h[i], &mut nonces[i]);
        x[i].copy_from_slice(key.x().as_bytes());
        k[i].copy_from_slice(nonces[i].as_bytes());
    }

    // Γ = x·H, U = k·B, V = k·H and 8Γ of all, one kind after the other.
    // Projective coordinates tell of the scalars that made them.
    let mut points = Zeroizing::new(vec![Point::IDENTITY; 4 * n]);
    let whole = engine.whole(n);
    let (gammas, rest) = points.split_at_mut(n);
    let (u, rest) = rest.split_at_mut(n);
    let v = &mut rest[..n];
    engine.secret_mul_pair(&h_points[..whole], &x, &k, gammas, v);
    engine.secret_mul_base(&k[..whole], u);
    engine.secret_mul_alone(
        &h_points[whole..],
        &x[whole..],
        &k[whole..],
        &mut gammas[whole..],
        &mut v[whole..],
        &mut u[whole..],
    );
    let (gammas, rest) = points.split_at_mut(n);
    engine.mul_by_cofactor(gammas, &mut rest[2 * n..]);
    let encoded = encode_all(engine, &points);

    let (encoded_gammas, rest) = encoded.split_at(n);
    let (encoded_u, rest) = rest.split_at(n);
    let (encoded_v, cofactor_gammas) = rest.split_at(n);
    let hashed = |i| {
        let (key, _): &(&SecretKey, _) = &requests[i];
        let points = [&h[i], &encoded_gammas[i], &encoded_u[i], &encoded_v[i]];
        (key.public_key().as_bytes(), points)
    };
    let challenges = transcript::challenges(engine, suite, (0..n).map(hashed));
    let outputs = transcript::outputs(engine, suite, cofactor_gammas);

    (0..n)
        .map(|i| {
            let c = &challenges[i];
            let mut s = Zeroizing::new(transcript::challenge_scalar(c));
            *s *= requests[i].0.x();
            *s += &nonces[i];
            let points = [&encoded_gammas[i], &encoded_u[i], &encoded_v[i]];
            let proof = Proof::new(suite.proof_form, points, c, s.as_bytes());
            (proof, outputs[i])
        })
        .collect()
}
