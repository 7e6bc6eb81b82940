//! Attacks that remove a block, so that the token allows again what the block forbade.
//!
//! In the pairing scheme of `klero-studies`, a signature x·H(m) is the same in every sum. If a holder signs
//! one message twice with one key, two sums can differ by exactly this signature. Anyone who has both sums
//! has the signature, and can subtract it from any third sum.

use crate::encoding::{OPAQUE, Parts};
use crate::equations::Aggregate;
use crate::equations::{Twin, scalar, weight};
use crate::sound::{CHALLENGE, MY_SEED, fails, honest, parts, refused, verified};
use curve25519_dalek::Scalar;
use klero_token::{Error, Place};

/// Drops the last block, the last two or three blocks, or a block in the middle. The end stays as it is.
fn blocks_dropped<S: Twin>() {
    let token = honest::<S>(&[b"everything", b"less", b"little", b"nothing"]);
    let refusal = match S::NAME {
        // A longer token does not contain the secrets of its earlier keys.
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    for length in 1..4 {
        let mut token = token.clone();
        token.blocks.truncate(length);
        refused::<S>(&token, None, refusal.clone());
    }
    let mut token = token;
    token.blocks.remove(2);
    refused::<S>(&token, None, S::wrong(Place::Block(2)));
}

/// Drops the last block of a sealed token. The seal covers that block.
fn block_dropped_under_a_seal<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"everything", b"less"]));
    let mut sealed = parts(&token.seal(&CHALLENGE).unwrap());
    sealed.blocks.pop();
    refused::<S>(&sealed, Some(&CHALLENGE), S::wrong(Place::Seal));
}

/// The attacker's own key is the last key. With this key a token can be extended, but not shortened.
fn own_block_replaced<S: Twin>() {
    let mut token = honest::<S>(&[b"everything", b"less"]);
    S::add(&mut token, OPAQUE, &MY_SEED, b"mine");
    token.blocks.remove(1);
    refused::<S>(&token, None, S::wrong(Place::Block(1)));
    token.blocks.pop();
    let refusal = match S::NAME {
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    refused::<S>(&token, None, refusal);
}

fails!(
    blocks_dropped,
    block_dropped_under_a_seal,
    own_block_replaced
);

/// Appends the same payload twice. The nonces y and the weights of the two blocks differ, because both depend
/// on all earlier blocks. One block changes the sum by a difference. Subtracting this difference, with or
/// without correction for the weights, does not remove the other block.
#[test]
fn aggregate_appended_twice() {
    let append = |token: &Parts| {
        let mut token = token.clone();
        Aggregate::add(&mut token, OPAQUE, &[7; 32], b"read only");
        token
    };
    let minus = |a: &Parts, b: &Parts| scalar(&a.end) - scalar(&b.end);
    let strip = |token: &Parts, own: Scalar, of_own: Scalar| {
        let last = weight(&token.blocks);
        for own in [
            own,
            own * last,
            own * of_own.invert(),
            own * of_own.invert() * last,
        ] {
            let mut token = token.clone();
            token.blocks.pop();
            token.end = (scalar(&token.end) - own).to_bytes().to_vec();
            refused::<Aggregate>(&token, None, Aggregate::wrong(Place::Aggregate));
        }
    };
    let once = append(&honest::<Aggregate>(&[b"everything"]));
    let twice = append(&once);
    strip(&once, minus(&twice, &once), weight(&twice.blocks));

    let mine = honest::<Aggregate>(&[b"my files"]);
    let mine_after = append(&mine);
    let of_mine = weight(&mine_after.blocks);
    let yours = honest::<Aggregate>(&[b"your files"]);
    strip(&append(&yours), minus(&mine_after, &mine), of_mine);
}
