//! The interface for verifying: methods of a suite, and a [`Verifier`] with options.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::backend::Backend;
use crate::batch::kept::KeptKeys;
use crate::batch::one_by_one::verify_each;
use crate::batch::sum::verify_together;
use crate::batch::weights::Weights;
use crate::claim::{Claim, Report, Verdict};
use crate::stage::{Stage, unwatched};
use crate::suite::Suite;
use crate::threads::in_groups;
use crate::tuning::{SUM_GROUP, VERIFY_GROUP};

impl Suite {
    /// Verifies one proof, and returns the output that it proves. The arguments may be untrusted bytes or the
    /// types of this crate. Runs in variable time, because nothing here is secret.
    ///
    /// # Errors
    /// The first reason, in the order of [`Invalid`](crate::error::Invalid), why the proof is invalid.
    ///
    /// ```
    /// use klero::{Invalid, SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    /// let (proof, output) = key.prove(b"alpha");
    /// let verify = |alpha| Suite::PRAOS.verify(key.public_key(), alpha, &proof);
    /// assert_eq!(verify(b"alpha"), Ok(output));
    /// assert_eq!(verify(b"other"), Err(Invalid::ChallengeMismatch));
    /// ```
    #[doc(alias = "ecvrf_verify")]
    #[doc(alias = "vrf_verify")]
    pub fn verify(
        self,
        key: &(impl AsRef<[u8]> + ?Sized),
        alpha: &(impl AsRef<[u8]> + ?Sized),
        proof: &(impl AsRef<[u8]> + ?Sized),
    ) -> Verdict {
        Verifier::new(self).verify(&Claim::new(key, alpha, proof))
    }

    /// Returns the verdicts, in the order of the claims, as [`Verifier::verify_many`] does by default.
    #[must_use = "the verdicts are the result"]
    pub fn verify_many(self, claims: &[Claim<'_>]) -> Vec<Verdict> {
        Verifier::new(self).verify_many(claims).verdicts
    }
}

/// The method of verifying many claims. No verdict depends on the method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// By a sum if that saves time. This needs proofs of 128 or 144 bytes, and enough claims: at least 24 on
    /// the portable backend, up to 80 on IFMA. Otherwise one by one.
    #[default]
    Auto,
    /// By a sum, for any number of claims in [`Verifier::verify_many`], if the proofs carry U and V.
    Sum,
    /// The equations of each claim by themselves, but computed for many claims side by side in lanes.
    OneByOne,
}

/// Verifies claims of one suite. The options are set once. A verifier can then be used many times, and be
/// shared between threads.
///
/// ```
/// use klero::{Backend, Claim, Method, SecretKey, Suite, Verifier};
/// let suite = Suite::RFC9381_ELL2_BC;
/// let key = SecretKey::from_seed(suite, &[7; 32]);
/// let alphas: Vec<_> = (0..20u8).map(|i| [i]).collect();
/// let proofs = key.prove_many(&alphas);
/// let claims: Vec<_> = alphas
///     .iter()
///     .zip(&proofs)
///     .map(|(alpha, (proof, _))| Claim::new(key.public_key(), alpha, proof))
///     .collect();
///
/// let report = Verifier::new(suite).method(Method::Sum).verify_many(&claims);
/// assert_eq!(report.verdicts[3], Ok(proofs[3].1));
/// assert_eq!(report.verified_alone, 0);
/// ```
#[must_use = "a verifier does nothing until it is given claims"]
#[derive(Clone, Debug)]
pub struct Verifier {
    suite: Suite,
    backend: Backend,
    method: Method,
    weights: Weights,
    kept_keys: Option<Arc<KeptKeys>>,
}

impl Verifier {
    /// A verifier with the default backend, method and weights.
    pub fn new(suite: Suite) -> Self {
        Self {
            suite,
            backend: Backend::default(),
            method: Method::Auto,
            weights: Weights::Hashed,
            kept_keys: None,
        }
    }

    /// Verifies with this backend.
    pub fn backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }

    /// Uses this method.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Takes the random weights of sums from this source.
    pub fn weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// Keeps up to `n` public keys between calls, and shares them with clones of this verifier. For each key,
    /// this takes 4.3 KB for the decoded point and multiples of it. No verdict depends on kept keys.
    ///
    /// Keeping keys saves time if keys come back, like the keys of the few thousand pools of a chain. It
    /// helps only if claims are verified without a sum, and a call has at least about as many claims as a
    /// vector has lanes (8 or 4). From the fourth use of a key on, its claims take 13 to 20 % less time (Zen
    /// 4). On a vector backend, a call with a single claim gains nothing. If keys do not come back, keeping
    /// them costs a few percent. At worst, every key comes four times, and keeping them costs about a tenth.
    /// When `n` keys are kept, the next new key makes the verifier forget them all.
    ///
    /// # Panics
    /// Panics like `HashMap` if the operating system has no random bytes.
    #[cfg(feature = "std")]
    pub fn keep_keys(self, n: usize) -> Self {
        Self {
            kept_keys: (n > 0).then(|| Arc::new(KeptKeys::new(n))),
            ..self
        }
    }

    /// Verifies one claim. Runs in variable time.
    ///
    /// # Errors
    /// The first reason, in the order of [`Invalid`](crate::error::Invalid), why the claim is invalid.
    pub fn verify(&self, claim: &Claim<'_>) -> Verdict {
        let Backend(engine) = self.backend;
        verify_each(
            engine,
            self.suite,
            self.kept_keys.as_deref(),
            core::slice::from_ref(claim),
            &mut unwatched,
        )[0]
    }

    /// Verifies many claims, and returns their verdicts, in the order of the claims. Each verdict is the one
    /// that [`verify`](Self::verify) gives for the claim.
    ///
    /// The verdicts are a pure function of the claims. Runs in variable time. A verdict takes 72 bytes of
    /// memory, or 144 while the verdicts of all groups are joined. Each thread also needs about 6.5 MB for a
    /// group of 2048 claims, however large the batch is.
    ///
    /// Wrong claims make a sum fail, and finding them takes time. A batch of 2048 claims takes up to 1.7
    /// times as long if one is wrong as if none is. However many claims are wrong, and wherever they are, a
    /// batch takes at most about 1.5 times as long as with [`Method::OneByOne`]. Use that method for claims
    /// from people who may send wrong claims on purpose. The benchmark in `bench` of the source tree measures
    /// both ratios on your machine, with `--only wrong`.
    ///
    /// With the feature `rayon` the claims are shared among the threads of the current pool.
    pub fn verify_many(&self, claims: &[Claim<'_>]) -> Report {
        let groups = in_groups(claims, self.group_size(), |claims| {
            self.verify_group(claims, &mut unwatched)
        });
        Report::of(groups, claims.len())
    }

    /// Verifies like [`verify_many`](Self::verify_many), but on one thread. Calls `watch` at the end of each
    /// stage of each group, so that a caller can measure the time of each stage.
    pub fn verify_watched(&self, claims: &[Claim<'_>], mut watch: &mut dyn FnMut(Stage)) -> Report {
        let groups = claims.chunks(self.group_size());
        let groups = groups.map(|claims| self.verify_group(claims, &mut watch));
        Report::of(groups.collect(), claims.len())
    }

    fn has_sums(&self) -> bool {
        self.suite.proof_form.has_points() && self.method != Method::OneByOne
    }

    fn group_size(&self) -> usize {
        if self.has_sums() {
            SUM_GROUP
        } else {
            VERIFY_GROUP
        }
    }

    fn verify_group(&self, claims: &[Claim<'_>], watch: &mut impl FnMut(Stage)) -> Report {
        let Backend(engine) = self.backend;
        let kept_keys = self.kept_keys.as_deref();
        let least = match self.method {
            Method::Sum => 1,
            Method::Auto | Method::OneByOne => engine.sum_from(),
        };
        if self.has_sums() && claims.len() >= least {
            verify_together(engine, self.suite, self.weights, kept_keys, claims, watch)
        } else {
            Report {
                verdicts: verify_each(engine, self.suite, kept_keys, claims, watch),
                verified_alone: 0,
            }
        }
    }
}
