//! Without R_0 in c_0, anyone who knows the root's public key solves the equation for R_0.

use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::{Bindings, Token};

use super::{falls, unsigned};

fn forged(bindings: &Bindings) -> Token {
    let mut token = unsigned(&[b"everything"], Scalar::from(99u8));
    let error = bindings.error(&token);
    token.links[0].move_by(error);
    token
}

#[test]
fn without_the_commitment_anyone_forges() {
    // With it, c changes as soon as R does.
    let without = Bindings {
        commitment: false,
        ..Bindings::ALL
    };
    falls(&without, forged);
}
