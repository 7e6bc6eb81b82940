//! Without P_0 in h_0, a token under P_0 becomes one under P_0 + d·G, a key that may be another
//! tenant's: c_0 is the same, so S + c_0·d is right. Nobody needs to know a secret key.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::{Bindings, Token};

use super::{falls, narrowed};

fn moved(bindings: &Bindings) -> Token {
    let d = Scalar::from(42u8);
    let mut token = narrowed(bindings);
    token.s += bindings.scalars(&token)[0] * d;
    let other = token.root.decompress().unwrap() + RistrettoPoint::mul_base(&d);
    token.root = other.compress();
    token
}

#[test]
fn without_the_root_key_tokens_move_to_related_keys() {
    // With it, c is another under another key.
    let without = Bindings {
        root: false,
        ..Bindings::ALL
    };
    falls(&without, moved);
}
