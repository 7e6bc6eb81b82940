//! The interface for proving and evaluating: methods of a secret key, and a [`Prover`] with options.

use alloc::vec::Vec;

use crate::backend::Backend;
use crate::error::Error;
use crate::key::SecretKey;
use crate::output::Output;
use crate::proof::Proof;
use crate::prove::{Request, check, evaluate_group, prove_group};
use crate::stage::{Stage, unwatched};
use crate::suite::Suite;
use crate::threads::in_groups;
use crate::tuning::PROVE_GROUP;

impl SecretKey {
    /// Proves alpha in the key's suite. Returns the proof and the output beta, which are deterministic.
    ///
    /// Runs in constant time in the secret key for a given alpha.
    ///
    /// ```
    /// use klero::{SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::RFC9381_ELL2, &[7; 32]);
    /// let (proof, output) = key.prove(b"alpha");
    /// assert_eq!(key.suite().verify(key.public_key(), b"alpha", &proof), Ok(output));
    /// ```
    #[must_use]
    #[doc(alias = "ecvrf_prove")]
    #[doc(alias = "vrf_prove")]
    pub fn prove(&self, alpha: &[u8]) -> (Proof, Output) {
        Prover::new().prove(self, alpha)
    }

    /// Proves like [`prove`](Self::prove), with a guard against faults: makes the proof twice, compares the
    /// two proofs, and verifies one of them. This takes three times as long. Use it on machines in which an
    /// attacker may cause faults.
    ///
    /// A flipped bit in Γ, U or V changes the challenge but not the nonce. A flipped bit in the nonce changes
    /// the nonce by a power of 2. In either case, the faulty proof and the right proof for the same alpha
    /// together reveal the secret key.
    ///
    /// # Errors
    /// [`Error::Fault`] after a fault of the processor or the memory.
    pub fn prove_checked(&self, alpha: &[u8]) -> Result<(Proof, Output), Error> {
        check(self, alpha, [self.prove(alpha), self.prove(alpha)])
    }

    /// Proves each alpha as [`prove`](Self::prove) does, and returns the results in the order of the alphas.
    /// Short for [`Prover::prove_many`] with this key and default options.
    #[must_use]
    pub fn prove_many(&self, alphas: &[impl AsRef<[u8]>]) -> Vec<(Proof, Output)> {
        Prover::new().prove_many(&self.requests(alphas))
    }

    /// Returns the output beta that [`prove`](Self::prove) gives for alpha, without a proof. This takes one
    /// secret multiplication, where a proof takes three. It is for owners of the key who need no proof, such
    /// as a key-transparency server that looks up its own index.
    ///
    /// Runs in constant time in the secret key for a given alpha.
    #[must_use]
    #[doc(alias = "vrf_hash")]
    pub fn evaluate(&self, alpha: &[u8]) -> Output {
        Prover::new().evaluate(self, alpha)
    }

    /// Evaluates each alpha as [`evaluate`](Self::evaluate) does, and returns the outputs in the order of the
    /// alphas. Short for [`Prover::evaluate_many`] with this key and default options.
    #[must_use]
    pub fn evaluate_many(&self, alphas: &[impl AsRef<[u8]>]) -> Vec<Output> {
        Prover::new().evaluate_many(&self.requests(alphas))
    }

    fn requests<'a>(&'a self, alphas: &'a [impl AsRef<[u8]>]) -> Vec<Request<'a>> {
        alphas.iter().map(|alpha| (self, alpha.as_ref())).collect()
    }
}

/// Proves and evaluates with any number of keys. The options are set once. A prover can then be used many
/// times, and be shared between threads.
///
/// Each key has its suite, and one call may use keys of several suites.
///
/// ```
/// use klero::{Backend, Prover, SecretKey, Suite};
/// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
/// let other = SecretKey::from_seed(Suite::RFC9381_ELL2, &[8; 32]);
/// for backend in Backend::all() {
///     let prover = Prover::new().backend(backend);
///     let proofs = prover.prove_many(&[(&key, b"7 June"), (&other, b"7 June"), (&key, b"8 June")]);
///     assert_eq!(proofs[1], other.prove(b"7 June"));
///     assert_eq!(proofs[2], key.prove(b"8 June"));
/// }
/// ```
#[must_use = "a prover does nothing until it is given inputs"]
#[derive(Clone, Debug, Default)]
pub struct Prover {
    backend: Backend,
}

impl Prover {
    /// A prover with the default backend.
    pub fn new() -> Self {
        Self::default()
    }

    /// Proves with this backend.
    pub fn backend(self, backend: Backend) -> Self {
        Self { backend }
    }

    /// Proves one input, and returns proof and output. Runs in constant time in the secret key for a given
    /// alpha.
    #[must_use]
    pub fn prove(&self, key: &SecretKey, alpha: &[u8]) -> (Proof, Output) {
        let Backend(engine) = self.backend;
        prove_group(engine, key.suite(), &[(key, alpha)], &mut unwatched)[0]
    }

    /// Proves each request (a key and an alpha) as [`prove`](Self::prove) does, and returns the proofs and
    /// outputs in the order of the requests.
    ///
    /// Runs in constant time in the secret keys for given alphas. With the feature `rayon`, it uses the
    /// threads of the current pool.
    #[must_use]
    pub fn prove_many(&self, requests: &[(&SecretKey, &[u8])]) -> Vec<(Proof, Output)> {
        let Backend(engine) = self.backend;
        answer_by_suite(requests, |suite, requests| {
            in_groups(requests, PROVE_GROUP, |requests| {
                prove_group(engine, suite, requests, &mut unwatched)
            })
        })
    }

    /// Proves like [`prove_many`](Self::prove_many), but on one thread. Requests are proved in groups. Calls
    /// `watch` after each stage of each group, so that a caller can measure the time of each stage.
    pub fn prove_watched(
        &self,
        requests: &[(&SecretKey, &[u8])],
        mut watch: &mut dyn FnMut(Stage),
    ) -> Vec<(Proof, Output)> {
        let Backend(engine) = self.backend;
        answer_by_suite(requests, |suite, requests| {
            let groups = requests.chunks(PROVE_GROUP);
            let groups = groups.map(|requests| prove_group(engine, suite, requests, &mut watch));
            groups.collect()
        })
    }

    /// Returns the output of one input, without a proof. Runs in constant time in the secret key for a given
    /// alpha.
    #[must_use]
    pub fn evaluate(&self, key: &SecretKey, alpha: &[u8]) -> Output {
        let Backend(engine) = self.backend;
        evaluate_group(engine, key.suite(), &[(key, alpha)])[0]
    }

    /// Evaluates each request (a key and an alpha) as [`evaluate`](Self::evaluate) does, and returns the
    /// outputs in the order of the requests.
    ///
    /// Runs in constant time in the secret keys for given alphas. With the feature `rayon`, it uses the
    /// threads of the current pool.
    #[must_use]
    pub fn evaluate_many(&self, requests: &[(&SecretKey, &[u8])]) -> Vec<Output> {
        let Backend(engine) = self.backend;
        answer_by_suite(requests, |suite, requests| {
            in_groups(requests, PROVE_GROUP, |requests| {
                evaluate_group(engine, suite, requests)
            })
        })
    }
}

/// Returns the answers to requests, in the order of the requests. Each call of `answer` gets all requests of
/// one suite, and returns lists whose concatenation is the answers in that order.
pub(crate) fn answer_by_suite<T>(
    requests: &[Request<'_>],
    mut answer: impl FnMut(Suite, &[Request<'_>]) -> Vec<Vec<T>>,
) -> Vec<T> {
    let suite = |(key, _): &Request<'_>| key.suite();
    let mut places: Vec<_> = (0..requests.len()).collect();
    places.sort_by_key(|&place| suite(&requests[place]).name);
    let sorted: Vec<_> = places.iter().map(|&place| requests[place]).collect();
    let answers = sorted
        .chunk_by(|a, b| suite(a) == suite(b))
        .flat_map(|requests| answer(suite(&requests[0]), requests))
        .flatten();
    let mut answers: Vec<_> = places.into_iter().zip(answers).collect();
    answers.sort_unstable_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_several_suites_are_answered_in_order() {
        let keys = Suite::ALL.iter().zip(1..);
        let keys: Vec<_> = keys
            .map(|(&suite, seed)| SecretKey::from_seed(suite, &[seed; 32]))
            .collect();
        let alphas: Vec<_> = (0..150u8).map(|alpha| [alpha]).collect();
        let requests: Vec<Request<'_>> = keys
            .iter()
            .cycle()
            .zip(&alphas)
            .map(|(key, alpha)| (key, &alpha[..]))
            .collect();
        let proofs: Vec<_> = requests
            .iter()
            .map(|(key, alpha)| key.prove(alpha))
            .collect();
        let prover = Prover::new();
        assert_eq!(prover.prove_many(&requests), proofs);
        assert_eq!(prover.prove_watched(&requests, &mut |_| ()), proofs);
        let outputs: Vec<_> = proofs.into_iter().map(|(_, output)| output).collect();
        assert_eq!(prover.evaluate_many(&requests), outputs);
        assert!(prover.prove_many(&[]).is_empty() && prover.evaluate_many(&[]).is_empty());
    }
}
