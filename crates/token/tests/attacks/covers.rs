//! Attacks on the cover, the holder's signature over a third party's block, in the schemes that
//! sum signatures.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use klero_token::{Aggregate, Bls, Error, KeyFault, Limits, Place, Unverified};

use crate::encoding::{BLOCK, COVER, EXTERNAL, Part, Parts, SEAL};
use crate::equations::{
    Summed, add_signatures, aggregate_secret, bls_secret, bls_sign, coefficients, infinity,
    multiple, negated, scalar,
};
use crate::sound::{CHALLENGE, MY_SEED, honest, parts, refused, verified};

/// Each attack on both schemes.
macro_rules! fails {
    ($($attack:ident),*) => {$(
        mod $attack {
            #[test]
            fn aggregate() {
                super::$attack::<klero_token::Aggregate>();
            }

            #[test]
            fn bls() {
                super::$attack::<klero_token::Bls>();
            }
        }
    )*};
}

const THIRD_PARTY: [u8; 32] = [7; 32];

/// The holder's key for the next block: a different one each time.
fn holder(before: &Parts) -> [u8; 32] {
    [8 + before.blocks.len() as u8; 32]
}

/// A third party's statement after these blocks.
fn stated<S: Summed>(blocks: &[Part], payload: &[u8]) -> Vec<u8> {
    S::stated(&S::bound_to(blocks), &THIRD_PARTY, payload)
}

/// The token with a third party's block that is not covered.
fn uncovered<S: Summed>(before: &Parts, payload: &[u8]) -> Parts {
    let mut token = before.clone();
    let own = stated::<S>(&before.blocks, payload);
    S::include(&mut token, EXTERNAL, &own, payload);
    token
}

/// The token with a third party's block, covered by the holder.
fn covered<S: Summed>(before: &Parts, payload: &[u8]) -> Parts {
    let mut token = uncovered::<S>(before, payload);
    S::cover(&mut token, &holder(before));
    verified::<S>(&token);
    token
}

/// The cover that the last block has.
fn cut<S: Summed>(token: &mut Parts) -> Vec<u8> {
    let link = &mut token.blocks.last_mut().unwrap().link;
    link.split_off(S::link_length(BLOCK))
}

fn wrong<S: Summed>(token: &Parts) {
    refused::<S>(token, None, S::wrong(Place::Aggregate));
}

/// The third party's block without a cover.
fn dropped<S: Summed>() {
    let before = honest::<S>(&[b"everything"]);
    let mut bare = uncovered::<S>(&before, b"less");
    // There is no room for it.
    assert_eq!(Parts::read::<S>(&bare.bytes()), None);
    let decoded = Unverified::<S>::decode(&bare.bytes(), &Limits::default());
    assert!(decoded.is_err(), "{decoded:?}");

    // Of nobody: what it adds to the sum is nothing.
    let (key, nobody) = match S::NAME {
        "bls" => (infinity::<48>().to_vec(), Vec::new()),
        _ => (vec![0; 32], vec![0; 32]),
    };
    let mut nothing = bare.clone();
    nothing.blocks[1].link.extend([key, nobody].concat());
    let (place, fault) = (Place::Block(1), KeyFault::SmallOrder);
    refused::<S>(&nothing, None, Error::Key { place, fault });
    // The third party's once more, or the root's.
    for block in [0, 1] {
        let mut token = bare.clone();
        let again = bare.blocks[block].link.clone();
        token.blocks[1].link.extend(again);
        wrong::<S>(&token);
    }
    // Of anybody who signs the wrong thing.
    for (kind, payload) in [
        (COVER, &b"less"[..]),
        (BLOCK, b""),
        (EXTERNAL, b""),
        (SEAL, b""),
    ] {
        let mut token = bare.clone();
        let cover = S::signed(&bare.blocks, kind, &MY_SEED, payload);
        S::cover_with(&mut token, &cover);
        wrong::<S>(&token);
    }
    // Or before the third party has signed.
    let mut token = bare.clone();
    S::cover_with(&mut token, &S::signed(&before.blocks, COVER, &MY_SEED, b""));
    wrong::<S>(&token);
    // As it should be, it is a token.
    S::cover(&mut bare, &MY_SEED);
    verified::<S>(&bare);
}

/// From one third party's block to another; and two exchanged.
fn moved<S: Summed>() {
    let first = covered::<S>(&honest::<S>(&[b"everything"]), b"less");
    let mut second = covered::<S>(&first, b"less");
    let mut exchanged = second.clone();
    let [a, b] = [1, 2].map(|i| second.blocks[i].link.split_off(S::link_length(BLOCK)));
    exchanged.blocks[1].link = [&second.blocks[1].link[..], &b].concat();
    exchanged.blocks[2].link = [&second.blocks[2].link[..], &a].concat();
    wrong::<S>(&exchanged);

    // To another token, with what it signed and instead of what was there.
    let other = honest::<S>(&[b"nothing"]);
    let mut bare = uncovered::<S>(&other, b"less");
    let before = honest::<S>(&[b"everything"]);
    let theirs = uncovered::<S>(&before, b"less");
    let cover = S::signed(&theirs.blocks, COVER, &holder(&before), b"");
    S::cover_with(&mut bare, &cover);
    wrong::<S>(&bare);

    // Both over one block: there is room for one.
    let mut twice = first;
    twice.blocks[1].link.extend(&a);
    assert_eq!(Parts::read::<S>(&twice.bytes()), None);
    assert!(Unverified::<S>::decode(&twice.bytes(), &Limits::default()).is_err());
}

/// A cover is not accepted as a block without a payload, nor such a block as a cover.
fn cover_against_block<S: Summed>() {
    let token = covered::<S>(&honest::<S>(&[b"everything"]), b"less");
    for kind in [BLOCK, EXTERNAL] {
        let mut split = token.clone();
        let link = cut::<S>(&mut split);
        split.blocks[1].kind = BLOCK;
        split.blocks.push(Part {
            kind,
            link,
            payload: Vec::new(),
        });
        if kind == EXTERNAL {
            S::cover(&mut split, &MY_SEED);
        }
        wrong::<S>(&split);
        // Alone, in front of the third party's block, and behind it.
        let cover = split.blocks.pop().unwrap();
        let mut alone = token.clone();
        alone.blocks[1] = cover.clone();
        wrong::<S>(&alone);
        for at in [1, 2] {
            let mut more = token.clone();
            more.blocks.insert(at, cover.clone());
            wrong::<S>(&more);
        }
    }

    // What a holder added behind the third party's block, as its cover.
    let mut joined = uncovered::<S>(&honest::<S>(&[b"everything"]), b"less");
    S::add(&mut joined, BLOCK, &MY_SEED, b"");
    let link = joined.blocks.pop().unwrap().link;
    joined.blocks[1].link.extend(link);
    wrong::<S>(&joined);

    // Two blocks of a holder's, as a third party's and its cover.
    let mut joined = honest::<S>(&[b"everything", b"less", b""]);
    let link = joined.blocks.pop().unwrap().link;
    joined.blocks[1].link.extend(link);
    joined.blocks[1].kind = EXTERNAL;
    wrong::<S>(&joined);
}

/// A cover is not accepted as a seal, nor a seal as a cover.
fn cover_against_seal<S: Summed>() {
    let token = covered::<S>(&honest::<S>(&[b"everything"]), b"less");
    let mut sealed = token.clone();
    let cover = cut::<S>(&mut sealed);
    sealed.blocks[1].kind = BLOCK;
    sealed.end = [cover, sealed.end].concat();
    sealed.sealed = true;
    refused::<S>(&sealed, Some(&CHALLENGE), S::wrong(Place::Seal));

    let mut sealed = parts(&verified::<S>(&token).seal(&CHALLENGE).unwrap());
    let end = sealed.end.split_off(S::link_length(SEAL));
    cut::<S>(&mut sealed);
    sealed.blocks[1].link.extend(sealed.end);
    (sealed.end, sealed.sealed) = (end, false);
    wrong::<S>(&sealed);
}

/// A third party that covers its own block. It knows what the block is bound to, and of
/// sums: none, another token's, that of the token with its block as the holder covered it,
/// and that of a sealed token.
fn by_the_third_party<S: Summed>() {
    let before = honest::<S>(&[b"everything"]);
    let after = covered::<S>(&before, b"less");
    let other = covered::<S>(&honest::<S>(&[b"nothing"]), b"less");
    let mut sealed = before.clone();
    S::seal_to(&mut sealed, &CHALLENGE.encode());
    let of_seal = sealed.end.split_off(S::link_length(SEAL));

    let mut bare = after.clone();
    let cover = cut::<S>(&mut bare);
    let own = stated::<S>(&before.blocks, b"less");
    let mut without = after.clone();
    S::take_off(&mut without, &bare.blocks, &own[S::link_length(BLOCK)..]);

    let nothing = S::beginning(&[0; 32]);
    for sum in [nothing, other.end, after.end.clone(), without.end, of_seal] {
        // The sum is none of the token that it should be of,
        let mut token = before.clone();
        token.end = sum;
        let refusal = match token.end == S::beginning(&[0; 32]) && S::NAME == "bls" {
            true => Error::SignaturePoint {
                place: Place::Aggregate,
            },
            false => S::wrong(Place::Aggregate),
        };
        refused::<S>(&token, None, refusal);
        for payload in [&b"less"[..], b"more"] {
            let mut token = uncovered::<S>(&token, payload);
            // with the holder's cover of another block or of the same,
            let mut kept = token.clone();
            kept.blocks[1].link.extend(&cover);
            let valid = S::holds(&kept, &kept.blocks[0].link[..S::KEY_LENGTH], None);
            // (which is the token that it was, made once more)
            assert_eq!(valid, kept == after);
            if !valid {
                wrong::<S>(&kept);
            }
            // nor with one of its own.
            S::cover(&mut token, &THIRD_PARTY);
            wrong::<S>(&token);
            S::seal_to(&mut token, &CHALLENGE.encode());
            refused::<S>(&token, Some(&CHALLENGE), S::wrong(Place::Seal));
        }
    }
}

/// A third party's block inserted into a token: before a holder's block, and before the seal.
fn inserted<S: Summed>() {
    let token = honest::<S>(&[b"everything", b"less"]);
    let mut first = token.clone();
    let second = first.blocks.pop().unwrap();
    S::add_external(
        &mut first,
        &stated::<S>(&token.blocks[..1], b"of age"),
        b"of age",
    );
    first.blocks.push(second);
    wrong::<S>(&first);

    let mut sealed = honest::<S>(&[b"everything"]);
    S::seal_to(&mut sealed, &CHALLENGE.encode());
    let mut more = sealed.clone();
    let seal = more.end.drain(..S::link_length(SEAL)).collect::<Vec<_>>();
    S::add_external(
        &mut more,
        &stated::<S>(&sealed.blocks, b"of age"),
        b"of age",
    );
    more.end = [seal, more.end].concat();
    refused::<S>(&more, Some(&CHALLENGE), S::wrong(Place::Seal));
}

fails!(
    dropped,
    moved,
    cover_against_block,
    cover_against_seal,
    by_the_third_party,
    inserted
);

/// A cover by a key that should cancel a third party's who never signed.
#[test]
fn bls_rogue_cover() {
    let third_party = bls_secret(&THIRD_PARTY).sk_to_pk().compress();
    let mine = bls_secret(&MY_SEED);
    let key = mine.sk_to_pk().to_bytes();
    let sum = [&key[..], &negated(&third_party)]
        .map(|bytes| blst::min_pk::PublicKey::uncompress(bytes).unwrap());
    let rogue = blst::min_pk::AggregatePublicKey::aggregate(&sum.each_ref(), false).unwrap();
    for cover in [
        rogue.to_public_key().compress().to_vec(),
        negated(&third_party),
    ] {
        let mut token = honest::<Bls>(&[b"everything"]);
        token.blocks.push(Part {
            kind: EXTERNAL,
            link: [&third_party[..], &cover].concat(),
            payload: b"of age".to_vec(),
        });
        wrong::<Bls>(&token);
        // With x·H of the third party's part, and of the cover.
        let mut stated = token.blocks.clone();
        stated[1].link.truncate(48);
        for blocks in [stated, token.blocks.clone()] {
            let mut token = token.clone();
            let own = bls_sign(&blocks, &mine).compress();
            token.end = add_signatures(&token.end, &own);
            wrong::<Bls>(&token);
        }
    }
}

/// The same; and a nonce that should cancel it.
#[test]
fn aggregate_rogue_cover() {
    let point = |bytes: &[u8]| CompressedRistretto::from_slice(bytes).unwrap();
    let third_party = multiple(aggregate_secret(&THIRD_PARTY));
    let [mine, nonce] = [&MY_SEED, &[8; 32]].map(aggregate_secret);
    let before = honest::<Aggregate>(&[b"everything"]);
    let mut token = before.clone();
    token.blocks.push(Part {
        kind: EXTERNAL,
        link: [third_party, multiple(nonce)].concat(),
        payload: b"of age".to_vec(),
    });
    let (c, z) = coefficients(&token.blocks);
    let theirs = point(&third_party).decompress().unwrap();
    let rogue = RistrettoPoint::mul_base(&mine) - z * c * theirs;
    for key in [rogue, -theirs] {
        let mut token = token.clone();
        token.blocks[1].link.extend(key.compress().as_bytes());
        token.blocks[1].link.extend(multiple(nonce));
        // As if the third party's challenge and weight, or none, were the cover's.
        let (c_cover, z_cover) = coefficients(&token.blocks);
        for (c, z) in [(c, z), (c_cover, z_cover)] {
            let mut token = token.clone();
            let own = z * nonce + z_cover * (nonce + c * mine);
            token.end = (scalar(&before.end) + own).to_bytes().to_vec();
            wrong::<Aggregate>(&token);
        }
        // R from the equation: it is in the challenge.
        let s = aggregate_secret(&[9; 32]);
        let rest = z * (RistrettoPoint::mul_base(&nonce) + c * theirs);
        let r = z_cover.invert() * (RistrettoPoint::mul_base(&s) - rest) - c_cover * key;
        token.blocks[1].link[96..].copy_from_slice(r.compress().as_bytes());
        token.end = (scalar(&before.end) + s).to_bytes().to_vec();
        wrong::<Aggregate>(&token);
    }
}
