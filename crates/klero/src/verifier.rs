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
    /// Verifies one proof, and returns the output that it proves. Takes bytes, trusted or not, or
    /// the types of this crate. Variable time; nothing here is secret.
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

    /// One verdict for each claim, in order: [`Verifier::verify_many`] with default options.
    #[must_use = "the verdicts are the result"]
    pub fn verify_many(self, claims: &[Claim<'_>]) -> Vec<Verdict> {
        Verifier::new(self).verify_many(claims).verdicts
    }
}

/// The way in which many claims are verified. No verdict depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// By a sum where that pays: for at least 24 (portable) to 80 (IFMA) proofs of 128 or 144
    /// bytes.
    #[default]
    Auto,
    /// By a sum, at every size of [`Verifier::verify_many`], if the proofs allow it.
    Sum,
    /// Each claim by itself, side by side in lanes.
    OneByOne,
}

/// Verifies claims of one suite. Its options are set once; it is used many times and shared
/// between threads.
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

    /// Keeps up to `n` public keys between calls, and shares them with clones of this verifier: the decoded
    /// point and multiples of it, 4.3 KB a key. No verdict depends on it.
    ///
    /// It pays if keys come back, as those of the few thousand pools of a chain do, and if claims are
    /// verified without a sum, at least about a vector of them (8 or 4) in a call: from the fourth use of a
    /// key on, such claims take 13 to 20 % less time (Zen 4). A claim alone on a vector backend gains
    /// nothing, nor does a sum. If keys do not come back, it costs a few percent, and at worst, if every key
    /// comes four times, about a tenth. Once `n` keys are kept, the next one makes the verifier forget them
    /// all.
    ///
    /// # Panics
    /// As `HashMap`, if the operating system has no random bytes.
    #[cfg(feature = "std")]
    pub fn keep_keys(self, n: usize) -> Self {
        Self {
            kept_keys: (n > 0).then(|| Arc::new(KeptKeys::new(n))),
            ..self
        }
    }

    /// Verifies one claim. Variable time.
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

    /// One verdict for each claim, in order: the same that [`verify`](Self::verify) gives for
    /// the claim alone.
    ///
    /// The verdicts are a pure function of the claims. Variable time. Besides the verdicts (72
    /// bytes each, for a moment twice), it needs memory for 2048 claims on each thread (about
    /// 6.5 MB), however many claims there are.
    ///
    /// Wrong claims make a sum fail, and finding them takes time. With one wrong claim, 2048 claims
    /// take up to 1.7 times as long as without. However many claims are wrong, and wherever they are, a
    /// batch takes at most about 1.5 times as long as by [`Method::OneByOne`], which is the method
    /// for claims from people who may send wrong ones on purpose. The benchmark in `bench` of the
    /// source tree measures both on your machine, with `--only wrong`.
    ///
    /// With the feature `rayon` the claims are shared among the threads of the current pool.
    pub fn verify_many(&self, claims: &[Claim<'_>]) -> Report {
        let groups = in_groups(claims, self.group_size(), |claims| {
            self.verify_group(claims, &mut unwatched)
        });
        Report::of(groups, claims.len())
    }

    /// Verifies as [`verify_many`](Self::verify_many) does, on one thread. Calls `watch` at the end of each
    /// stage of each group, to measure where the time goes.
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
