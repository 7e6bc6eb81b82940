//! Flaws of `aggregate`: keys, commitments and the sum of the signatures.

use crate::equations::Aggregate;
use curve25519_dalek::scalar::Scalar;
use klero_token::Place;

use super::edwards25519::add_order;
use super::forged::second;
use super::of::Of;
use crate::encoding::CAVEATS;
use crate::equations::{aggregate_secret, coefficients_at, multiple, scalar, state};
use crate::format::Vector;

/// p - s: the same point, by an encoding that does not count.
fn negated(key: [u8; 32]) -> [u8; 32] {
    let mut prime = [0xff_u8; 32];
    (prime[0], prime[31]) = (0xed, 0x7f);
    let mut borrow = 0;
    std::array::from_fn(|i| {
        let left = i16::from(prime[i]) - i16::from(key[i]) - borrow;
        borrow = i16::from(left < 0);
        left as u8
    })
}

pub fn aggregate(of: &Of<'_>, of_one: &Of<'_>) -> Vec<Vector> {
    let everywhere = |reason| (reason, Some(Place::Aggregate));
    let at_second = |reason| (reason, Some(Place::Block(1)));
    let (x, k) = (aggregate_secret(&[0x11; 32]), Scalar::from(5u8));
    let (key, commitment) = (multiple(x), multiple(k));
    // S with the second signature k + c·x, times its weight or another.
    let with = |key: [u8; 32], commitment: [u8; 32], x: Scalar, k: Scalar, weighted: bool| {
        second::<Aggregate>([key, commitment].concat(), |sum, after| {
            let (c, z) = coefficients_at(CAVEATS, after);
            let weight = if weighted { z } else { Scalar::ONE };
            (scalar(sum) + weight * (k + c * x)).to_bytes().to_vec()
        })
    };
    let zero = Scalar::ZERO;
    let weak_key = with([0; 32], commitment, zero, k, true);
    let weak_commitment = with(key, [0; 32], x, zero, true);
    vec![
        of.parts::<Aggregate>("S + L", everywhere("scalar"), |token| {
            add_order(&mut token.end)
        }),
        of.parts::<Aggregate>("S + 1", everywhere("signature"), |token| {
            token.end = (scalar(&token.end) + Scalar::ONE).to_bytes().to_vec();
        }),
        of.token(
            "P of the second block is the identity",
            at_second("key"),
            &weak_key,
        ),
        of.token(
            "R of the second block is the identity",
            at_second("point"),
            &weak_commitment,
        ),
        of.token(
            "P of the second block is the negative encoding",
            at_second("key"),
            &with(negated(key), commitment, x, k, true),
        ),
        of.token(
            "the second signature with weight 1",
            everywhere("signature"),
            &with(key, commitment, x, k, false),
        ),
        of_one.parts::<Aggregate>(
            "the first signature weighted",
            everywhere("signature"),
            |token| {
                let (_, z) = coefficients_at(CAVEATS, &state(2, 0, &token.blocks));
                token.end = (z * scalar(&token.end)).to_bytes().to_vec();
            },
        ),
    ]
}
