//! Flaws of `bls`: points outside the group, and messages that were not to be signed.

use blst::min_pk;
use klero_token::{Bls, Place};

use super::forged::second;
use super::of::Of;
use crate::equations::{add_signatures, bls_secret, infinity};
use crate::format::Vector;
use crate::maker::{BEFORE, Maker};

pub fn bls(of: &Of<'_>) -> Vec<Vector> {
    let everywhere = |reason| (reason, Some(Place::Aggregate));
    let at_second = |reason| (reason, Some(Place::Block(1)));
    let secret = bls_secret(&[0x11; 32]);
    let key = secret.sk_to_pk().compress();
    let signed = |message: &[u8], tag: &str| secret.sign(message, tag.as_bytes(), &[]).compress();
    let with_end =
        |name, end: Vec<u8>| of.parts::<Bls>(name, everywhere("point"), |token| token.end = end);
    let ours = "KLERO-TOKEN-V2-BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_";
    let outside = |length: usize| {
        let encodings = (1..).map(|x| {
            let mut bytes = vec![0; length];
            (bytes[0], bytes[length - 1]) = (0x80, x);
            bytes
        });
        let on_curve = |bytes: &Vec<u8>| match length {
            48 => min_pk::PublicKey::uncompress(bytes).is_ok(),
            _ => min_pk::Signature::uncompress(bytes).is_ok(),
        };
        encodings.into_iter().find(on_curve).unwrap()
    };
    let unsigned = |link: Vec<u8>| second::<Bls>(link, |sum, _| sum.to_vec());
    let other_tag = second::<Bls>(key.to_vec(), |sum, after| {
        let tag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_";
        add_signatures(sum, &signed(after, tag))
    });
    let before = Maker::<Bls>::mint(0, "account 17", BEFORE).state();
    let other_message = second::<Bls>(key.to_vec(), |sum, _| {
        add_signatures(sum, &signed(&before, ours))
    });
    vec![
        of.parts::<Bls>("twice S", everywhere("signature"), |token| {
            token.end = add_signatures(&token.end, &token.end);
        }),
        with_end("S is infinity", infinity::<96>().to_vec()),
        with_end("S outside the group", outside(96)),
        of.parts::<Bls>("S not compressed", everywhere("point"), |token| {
            token.end[0] &= 0x7f
        }),
        of.token(
            "second key is infinity",
            at_second("key"),
            &unsigned(infinity::<48>().to_vec()),
        ),
        of.token(
            "second key outside the group",
            at_second("key"),
            &unsigned(outside(48)),
        ),
        of.token(
            "second key unsigned",
            everywhere("signature"),
            &unsigned(key.to_vec()),
        ),
        of.token(
            "hashed with another tag",
            everywhere("signature"),
            &other_tag,
        ),
        of.token(
            "signs the state before",
            everywhere("signature"),
            &other_message,
        ),
    ]
}
