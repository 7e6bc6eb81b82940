//! Why `aggregate` of klero-token binds what it binds: with one binding left out, or one rule for its
//! holders broken, it falls. Each attack fails on the scheme with all bindings.

mod batch;
mod commitment;
mod nonce_twice;
mod point;
mod prefix;
mod root;
mod two_steps;
mod vectors;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use klero_studies::aggregate::kind::{OPAQUE, ROOT};
use klero_studies::aggregate::{Bindings, Link, Token};

/// The victim's secret key, and what everyone knows of it.
fn victim() -> (Scalar, RistrettoPoint) {
    let x = Scalar::from(123_456_789u32);
    (x, RistrettoPoint::mul_base(&x))
}

/// A token by the victim that a holder narrowed.
fn narrowed(bindings: &Bindings) -> Token {
    let token = bindings.mint(&victim().0, &Scalar::from(31u8), b"read");
    bindings.add(&token, OPAQUE, &Scalar::from(41u8), b"only today")
}

/// A token that nobody signed, for the victim's key, with known logarithms and this S.
fn unsigned(payloads: &[&[u8]], s: Scalar) -> Token {
    let link = |(i, payload): (u8, &&[u8])| {
        let kind = if i == 0 { ROOT } else { OPAQUE };
        Link::new(kind, &Scalar::from(51 + i), payload)
    };
    Token {
        root: victim().1.compress(),
        links: (0..).zip(payloads).map(link).collect(),
        s,
    }
}

/// A forger wins where this is left out of the bindings, and in the same way loses against all.
fn falls(without: &Bindings, forge: impl Fn(&Bindings) -> Token) {
    assert!(without.holds(&forge(without)));
    assert!(!Bindings::ALL.holds(&forge(&Bindings::ALL)));
}

#[test]
fn honest_tokens_hold_under_all_bindings() {
    let token = narrowed(&Bindings::ALL);
    assert!(Bindings::ALL.holds(&token));
    assert!(Bindings::ALL.hold_together(&[token.clone(), token]));
}
