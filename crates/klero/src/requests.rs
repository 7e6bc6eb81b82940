//! What is proved or evaluated together: inputs, each with the secret key for it.

use alloc::vec::Vec;

use klero_lanes::{Engine, Point};

use crate::hash_to_curve::hash_to_curve;
use crate::key::SecretKey;
use crate::stage::Stage;
use crate::suite::Suite;

/// A secret key, and the alpha to prove or evaluate with it.
pub(crate) type Request<'a> = (&'a SecretKey, &'a [u8]);

/// An answer to each request, in order. `answer` gets the requests of one suite at a time, and
/// answers them in groups.
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

/// H of each request. Try-and-increment finds no point with probability 2^-256; the identity
/// then stands for it, and no verifier accepts the proof.
pub(crate) fn hash_requests(
    engine: Engine,
    suite: Suite,
    requests: &[Request<'_>],
    watch: &mut impl FnMut(Stage),
) -> Vec<Point> {
    let inputs: Vec<_> = requests
        .iter()
        .map(|(key, alpha)| (key.public_key().as_bytes(), *alpha))
        .collect();
    hash_to_curve(engine, suite, &inputs, watch).points
}
