//! Claims that are meant to make verifiers disagree, for any suite.
//!
//! The owner of the key, who makes many of these claims, can choose the nonce, add points of small order
//! (errors) to Y, Γ, U and V, and repeat the proof until the challenge has a given residue mod 8. The
//! functions return [`Case`]s with the model's verdicts. Many claims are valid. T is a point of order 8.
//!
//! No claim has a 128-byte proof with c = 0. Nobody can make such a proof, because that needs a preimage of
//! the hash.

mod changed;
mod forged;
mod torsion;

use klero_reference::Suite;

pub use self::changed::{encodings, fills, flips, foreign, lengths, scalars, swaps};
pub use self::forged::{groups, known_coefficients, small_order_keys, zero_nonce};
pub use self::torsion::{hidden_by, some_torsion, torsion};
use super::case::{Case, owner};

/// Attacks that every careful verifier detects, one by one or in a batch.
pub fn plain(suite: &Suite) -> Vec<Case> {
    [
        small_order_keys(suite),
        scalars(suite),
        encodings(suite),
        fills(suite),
        lengths(suite),
        swaps(suite),
        foreign(suite),
        flips(suite),
    ]
    .concat()
}

/// Makes an honest claim with its output, to be changed.
fn honest(suite: &Suite, alpha: &[u8]) -> Case {
    Case::honest_by_model(suite, &owner(1), alpha)
}
