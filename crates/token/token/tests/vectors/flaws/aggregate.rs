//! Flaws in tokens of `aggregate`: wrong points, and wrong sums of the signatures.

use crate::equations::Aggregate;
use curve25519_dalek::scalar::Scalar;
use klero_token::Place;

use super::edwards25519::add_order;
use super::forged::second;
use super::of::Of;
use crate::encoding::Parts;
use crate::equations::{aggregate_secret, challenge, multiple, scalar, weight, weight_at};
use crate::format::Vector;
use crate::maker::{Maker, ROOTS};

/// Returns p - s, where s is the encoding of a point. The result is a non-canonical encoding of that point.
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

/// A token of one block whose commitment R is the identity, so that S = c·x.
fn without_nonce() -> Parts {
    let mut token = Maker::<Aggregate>::mint(0, "account 17", "").parts;
    token.blocks[0].link[32..].fill(0);
    let s = challenge(&token.blocks) * aggregate_secret(&ROOTS[0].1);
    token.end = s.to_bytes().to_vec();
    token
}

pub fn aggregate(of: &Of<'_>, of_one: &Of<'_>) -> Vec<Vector> {
    let everywhere = |reason| (reason, Some(Place::Aggregate));
    let point = |block| ("point", Some(Place::Block(block)));
    let y = Scalar::from(5u8);
    // Makes a token whose second block has this link. Adds y to S, times the link's weight if `weighted`.
    let with = |link: [u8; 32], y: Scalar, weighted: bool| {
        second::<Aggregate>(link.to_vec(), |sum, after| {
            let weight = if weighted {
                weight_at(after)
            } else {
                Scalar::ONE
            };
            (scalar(sum) + weight * y).to_bytes().to_vec()
        })
    };
    vec![
        of.parts::<Aggregate>("S + L", everywhere("scalar"), |token| {
            add_order(&mut token.end)
        }),
        of.parts::<Aggregate>("S + 1", everywhere("signature"), |token| {
            token.end = (scalar(&token.end) + Scalar::ONE).to_bytes().to_vec();
        }),
        of_one.token("R is the identity", point(0), &without_nonce()),
        of.token(
            "Y of the second block is the identity",
            point(1),
            &with([0; 32], Scalar::ZERO, true),
        ),
        of.token(
            "Y of the second block is the negative encoding",
            point(1),
            &with(negated(multiple(y)), y, true),
        ),
        of.token(
            "the second point with weight 1",
            everywhere("signature"),
            &with(multiple(y), y, false),
        ),
        of_one.parts::<Aggregate>(
            "the first signature weighted",
            everywhere("signature"),
            |token| {
                let z = weight(&token.blocks);
                token.end = (z * scalar(&token.end)).to_bytes().to_vec();
            },
        ),
    ]
}
