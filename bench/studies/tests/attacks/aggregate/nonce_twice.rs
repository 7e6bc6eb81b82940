//! y is a nonce: used in two seals, it gives away S of the token that was sealed, from S + z·y and S +
//! z'·y. Two answers to challenges, which everyone may see, become the bearer token.

use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::Bindings;
use klero_studies::aggregate::kind::{OPAQUE, SEAL};

use super::narrowed;

#[test]
fn one_nonce_in_two_seals_gives_the_sum_away() {
    let all = Bindings::ALL;
    let token = narrowed(&all);
    let y = Scalar::from(77u8);
    let [one, two] = [b"one", b"two"].map(|nonce| all.add(&token, SEAL, &y, nonce));

    // Whoever saw both.
    let [z, w] = [&one, &two].map(|seal| all.scalars(seal)[2]);
    let s = (z * two.s - w * one.s) * (z - w).invert();
    let mut bearer = one.clone();
    bearer.links.pop();
    bearer.s = s;
    assert!(all.holds(&bearer));
    assert!(all.holds(&all.add(&bearer, OPAQUE, &Scalar::from(5u8), b"mine")));
}

/// Two blocks with one y are as bad: the sum before them is that of a token without them.
#[test]
fn one_nonce_in_two_blocks_takes_them_off() {
    let all = Bindings::ALL;
    let token = narrowed(&all);
    let y = Scalar::from(77u8);
    let [one, two] = [b"less", b"none"].map(|payload| all.add(&token, OPAQUE, &y, payload));
    let [z, w] = [&one, &two].map(|token| all.scalars(token)[2]);
    let mut wider = one.clone();
    wider.links.pop();
    wider.s -= z * (one.s - two.s) * (z - w).invert();
    assert!(all.holds(&wider));
}
