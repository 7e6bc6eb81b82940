//! Evaluating: the output without a proof, constant time in the secret key.
//!
//! One secret multiplication instead of three, for owners of the key.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point};
use zeroize::Zeroizing;

use crate::backend::Backend;
use crate::batch::table::encode_all;
use crate::key::SecretKey;
use crate::output::Output;
use crate::requests::{MixedSuites, hash_requests, suite_of};
use crate::stage::Unwatched;
use crate::suite::Suite;
use crate::threads::in_groups;
use crate::transcript;
use crate::tuning::PROVE_GROUP;

impl SecretKey {
    /// The output beta for alpha, without a proof: the one that [`prove`](Self::prove) gives.
    /// One secret multiplication instead of three, for owners of the key who need no proof,
    /// such as a key-transparency server that looks up its own index.
    ///
    /// Constant time in the secret key for a given alpha.
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
    /// assert_eq!(key.evaluate(b"alpha"), key.prove(b"alpha").1);
    /// ```
    #[must_use]
    pub fn evaluate(&self, alpha: &[u8]) -> Output {
        let Backend(engine) = Backend::default();
        evaluate_group(engine, self.suite(), &[(self, alpha)])[0]
    }

    /// Evaluates many alphas: for each the output, in order and the same that
    /// [`evaluate`](Self::evaluate) gives.
    ///
    /// Constant time in the secret key for given alphas. With the feature `rayon` on
    /// the threads of the current pool.
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
    /// let outputs = key.evaluate_many(&[b"one", b"two"]);
    /// assert_eq!(outputs[1], key.evaluate(b"two"));
    /// ```
    #[must_use]
    pub fn evaluate_many(&self, alphas: &[impl AsRef<[u8]>]) -> Vec<Output> {
        let requests: Vec<_> = alphas.iter().map(|alpha| (self, alpha.as_ref())).collect();
        evaluate_all(Backend::default(), self.suite(), &requests)
    }
}

/// Evaluates with many keys of one suite: for each key and alpha the output, in order and the
/// same that [`SecretKey::evaluate`] gives.
///
/// Constant time in the secret keys for given alphas. With the feature `rayon` on the
/// threads of the current pool.
///
/// # Errors
/// [`MixedSuites`] names the first key of another suite than that of the first key.
///
/// ```
/// use klero::{Backend, SecretKey, Suite, evaluate_many_on};
/// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
/// let other = SecretKey::from_seed(Suite::RFC9381_TAI, &[8; 32]);
/// let requests: [(_, &[u8]); 2] = [(&key, b"a"), (&other, b"a")];
/// for backend in Backend::all() {
///     assert_eq!(evaluate_many_on(backend, &requests)?[1], other.evaluate(b"a"));
/// }
/// # Ok::<(), klero::MixedSuites>(())
/// ```
pub fn evaluate_many_on(
    backend: Backend,
    requests: &[(&SecretKey, &[u8])],
) -> Result<Vec<Output>, MixedSuites> {
    Ok(match suite_of(requests)? {
        Some(suite) => evaluate_all(backend, suite, requests),
        None => Vec::new(),
    })
}

/// [`evaluate_many_on`] the default backend.
///
/// # Errors
/// As [`evaluate_many_on`].
///
/// ```
/// use klero::{SecretKey, Suite, evaluate_many};
/// let key = SecretKey::from_seed(Suite::RFC9381_TAI, &[7; 32]);
/// assert_eq!(evaluate_many(&[(&key, b"a")])?, [key.evaluate(b"a")]);
/// # Ok::<(), klero::MixedSuites>(())
/// ```
pub fn evaluate_many(requests: &[(&SecretKey, &[u8])]) -> Result<Vec<Output>, MixedSuites> {
    evaluate_many_on(Backend::default(), requests)
}

/// Evaluates with keys that are all of this suite.
fn evaluate_all(
    Backend(engine): Backend,
    suite: Suite,
    requests: &[(&SecretKey, &[u8])],
) -> Vec<Output> {
    in_groups(requests, PROVE_GROUP, |requests| {
        evaluate_group(engine, suite, requests)
    })
    .concat()
}

/// beta of each request: 8·(x·H), hashed.
fn evaluate_group(engine: Engine, suite: Suite, requests: &[(&SecretKey, &[u8])]) -> Vec<Output> {
    let n = requests.len();
    let h = hash_requests(engine, suite, requests, &mut Unwatched);
    let mut x = Zeroizing::new(vec![[0; 32]; n]);
    for (x, (key, _)) in x.iter_mut().zip(requests) {
        x.copy_from_slice(key.x().as_bytes());
    }
    // Projective coordinates reveal bits of the scalar.
    let mut points = Zeroizing::new(vec![Point::IDENTITY; 2 * n]);
    let (gammas, cofactor_gammas) = points.split_at_mut(n);
    let whole = engine.whole(n);
    engine.secret_mul(&h[..whole], &x[..whole], &mut gammas[..whole]);
    engine.secret_mul_alone(&h[whole..], &x[whole..], &mut gammas[whole..]);
    engine.mul_by_cofactor(gammas, cofactor_gammas);
    transcript::outputs(engine, suite, &encode_all(engine, cofactor_gammas))
}
