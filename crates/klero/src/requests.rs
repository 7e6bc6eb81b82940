//! What is proved or evaluated together: inputs, each with the secret key for it.

use alloc::vec::Vec;

use klero_lanes::{Engine, Point};
use thiserror::Error;

use crate::hash_to_curve::hash_to_curve;
use crate::key::SecretKey;
use crate::stage::Watch;
use crate::suite::Suite;

/// Keys of two suites in one call of `prove_many` or `evaluate_many`.
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

/// The suite of all keys; `None` if there are none.
pub(crate) fn suite_of(requests: &[(&SecretKey, &[u8])]) -> Result<Option<Suite>, MixedSuites> {
    let Some((first, _)) = requests.first() else {
        return Ok(None);
    };
    let expected = first.suite();
    let differs = |(key, _): &(&SecretKey, _)| key.suite() != expected;
    match requests.iter().position(differs) {
        Some(index) => Err(MixedSuites {
            index,
            expected,
            got: requests[index].0.suite(),
        }),
        None => Ok(Some(expected)),
    }
}

/// H of each request. Try-and-increment finds no point with probability 2^-256; the identity
/// then stands for it, and no verifier accepts the proof.
pub(crate) fn hash_requests(
    engine: Engine,
    suite: Suite,
    requests: &[(&SecretKey, &[u8])],
    watch: &mut impl Watch,
) -> Vec<Point> {
    let inputs: Vec<_> = requests
        .iter()
        .map(|(key, alpha)| (key.public_key().as_bytes(), *alpha))
        .collect();
    hash_to_curve(engine, suite, &inputs, watch).points
}
