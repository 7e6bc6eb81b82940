//! Without S in the factors of a sum, they are known before S is chosen: the errors of two tokens are
//! made to cancel, and the sum accepts both though neither is valid.

use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::{Bindings, Token};

use super::narrowed;

/// The factor of each times the error of its S adds up to zero, as the factors were before.
fn cancelling(bindings: &Bindings) -> [Token; 2] {
    let mut tokens = [narrowed(bindings), narrowed(bindings)];
    let factors = bindings.factors(&tokens);
    tokens[0].s += Scalar::ONE;
    tokens[1].s -= factors[0] * factors[1].invert();
    tokens
}

#[test]
fn without_the_sum_in_the_factors_errors_cancel() {
    let without = Bindings {
        sum: false,
        ..Bindings::ALL
    };
    let tokens = cancelling(&without);
    assert!(tokens.iter().all(|token| !without.holds(token)));
    assert!(without.hold_together(&tokens));
    // With it, the factors change as soon as S does.
    assert!(!Bindings::ALL.hold_together(&cancelling(&Bindings::ALL)));
}
