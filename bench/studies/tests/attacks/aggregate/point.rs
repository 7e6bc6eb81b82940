//! Without Y in h_i, z_i is known before Y_i is chosen: anyone who knows the root's public key solves
//! the equation for Y_i.

use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::{Bindings, Token};

use super::{falls, unsigned};

/// A token of two links for any payloads, from the public key alone.
fn forged(bindings: &Bindings) -> Token {
    let mut token = unsigned(&[b"everything", b""], Scalar::from(99u8));
    let z = bindings.scalars(&token)[1];
    let error = bindings.error(&token);
    token.links[1].move_by(z.invert() * error);
    token
}

#[test]
fn without_the_point_anyone_forges() {
    // With it, z changes as soon as Y does.
    let without = Bindings {
        point: false,
        ..Bindings::ALL
    };
    falls(&without, forged);
}
