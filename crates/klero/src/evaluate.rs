//! Evaluating: the output without a proof, constant time in the secret key.
//!
//! One secret multiplication instead of three, for owners of the key.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::{Engine, Point};
use zeroize::Zeroizing;

use crate::batch::table::encode_all;
use crate::output::Output;
use crate::requests::{Request, hash_requests};
use crate::stage::unwatched;
use crate::suite::Suite;
use crate::transcript;

/// beta of each request: 8·(x·H), hashed.
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
    // Projective coordinates reveal bits of the scalar.
    let mut points = Zeroizing::new(vec![Point::IDENTITY; 2 * n]);
    let (gammas, cofactor_gammas) = points.split_at_mut(n);
    let whole = engine.whole(n);
    engine.secret_mul(&h[..whole], &x[..whole], &mut gammas[..whole]);
    engine.secret_mul_alone(&h[whole..], &x[whole..], &mut gammas[whole..]);
    engine.mul_by_cofactor(gammas, cofactor_gammas);
    transcript::outputs(engine, suite, &encode_all(engine, cofactor_gammas))
}
