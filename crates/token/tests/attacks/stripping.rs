//! Removal of a block, so that the token allows again what the block forbade.
//!
//! In the pairing scheme of `klero-studies`, a signature x·H(m) is the same whatever it is added to. If the
//! attenuator used one key and one message twice, two sums can differ by it: anyone who has both has the
//! signature, and can subtract it from any third.

use crate::encoding::{OPAQUE, Parts};
use crate::equations::Aggregate;
use crate::equations::{Twin, scalar, weight};
use crate::sound::{CHALLENGE, MY_SEED, fails, honest, parts, refused, verified};
use curve25519_dalek::Scalar;
use klero_token::{Error, Place};

/// Drops the last block, or the last two, or all but the first, and leaves the end as it is.
fn blocks_dropped<S: Twin>() {
    let token = honest::<S>(&[b"everything", b"less", b"little", b"nothing"]);
    let refusal = match S::NAME {
        // A longer token does not contain the secret of an earlier key.
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    for length in 1..4 {
        let mut token = token.clone();
        token.blocks.truncate(length);
        refused::<S>(&token, None, refusal.clone());
    }
    // A block between others.
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

/// The attacker's own key is the last: with it a token can be extended, not shortened.
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

/// The payload is repeated; y and its weight are not, since they depend on the place. The test subtracts
/// the differences of S, with and without the weights.
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
