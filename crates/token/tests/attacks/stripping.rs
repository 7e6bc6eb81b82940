//! A block is taken off a token, and what it forbade is allowed again.
//!
//! A signature x·H(m) is the same whatever it is added to. Whoever has two sums that
//! differ by it, for the attenuator used one key and one message twice, has it, and can
//! subtract it from any third.

use blst::min_pk::{AggregateSignature, Signature};
use curve25519_dalek::Scalar;
use klero_token::hazmat::seed::pairing::{KeyPair, Token};
use klero_token::{Aggregate, Bls, Chain, Challenge, Error, Place, SecretKey};

use crate::encoding::{BLOCK, Part, Parts};
use crate::equations::{Summed, Twin, add_signatures, coefficients, negated, scalar};
use crate::sound::{CHALLENGE, MY_SEED, fails, honest, parts, refused, verified};

/// a - b; -b is b with the other y, which is one bit of the compressed form.
fn difference(a: &Signature, b: &Signature) -> Signature {
    let mut bytes = b.compress();
    bytes[0] ^= 0x20;
    let b = Signature::uncompress(&bytes).unwrap();
    AggregateSignature::aggregate(&[a, &b], false)
        .unwrap()
        .to_signature()
}

fn strip(token: &Token, signature: &Signature) -> Token {
    let mut blocks = token.blocks.clone();
    blocks.pop();
    Token {
        blocks,
        signature: difference(&token.signature, signature),
    }
}

/// S_0 + x·H twice more than S_0 + x·H: their difference taken from the latter is S_0.
#[test]
fn seed_pairing_appended_twice() {
    let [root, attenuator] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let once = Token::new(&root, b"everything").append(&attenuator, b"read only");
    let twice = once.append(&attenuator, b"read only");

    let signature = difference(&twice.signature, &once.signature);
    assert!(strip(&once, &signature).verify(&root.public()));
}

/// Mine is attenuated before my eyes; yours I only see attenuated.
#[test]
fn seed_pairing_from_another_token() {
    let [root, attenuator] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let mine = Token::new(&root, b"my files");
    let mine_after = mine.append(&attenuator, b"read only");
    let yours_after = Token::new(&root, b"your files").append(&attenuator, b"read only");

    let signature = difference(&mine_after.signature, &mine.signature);
    let yours = strip(&yours_after, &signature);
    assert_eq!(yours.blocks[0].message, b"your files");
    assert!(yours.verify(&root.public()));
}

/// The last block, or the last two, or all but the first, and the end left as it is.
fn blocks_dropped<S: Twin>() {
    let token = honest::<S>(&[b"everything", b"less", b"little", b"nothing"]);
    let refusal = match S::NAME {
        // The secret of the first key is in no longer token.
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    for length in 1..4 {
        let mut token = token.clone();
        token.blocks.truncate(length);
        refused::<S>(&token, None, refusal.clone());
    }
    // One between others.
    let mut token = token;
    token.blocks.remove(2);
    refused::<S>(&token, None, S::wrong(Place::Block(2)));
}

/// The last block of a sealed token; the seal is over what was there.
fn block_dropped_under_a_seal<S: Twin>() {
    let token = verified::<S>(&honest::<S>(&[b"everything", b"less"]));
    let mut sealed = parts(&token.seal(&CHALLENGE).unwrap());
    sealed.blocks.pop();
    refused::<S>(&sealed, Some(&CHALLENGE), S::wrong(Place::Seal));
}

/// The attacker's own key is the last: with it a token can be extended, not shortened.
fn own_block_replaced<S: Twin>() {
    let mut token = honest::<S>(&[b"everything", b"less"]);
    S::add(&mut token, BLOCK, &MY_SEED, b"mine");
    token.blocks.remove(1);
    refused::<S>(&token, None, S::wrong(Place::Block(1)));
    token.blocks.pop();
    let refusal = match S::NAME {
        "chain" => Error::Possession,
        _ => S::wrong(Place::Aggregate),
    };
    refused::<S>(&token, None, refusal);
}

/// Payload and key are repeated; the signatures are not, for each is of its place.
#[test]
fn bls_appended_twice() {
    let attenuator = SecretKey::<Bls>::from_seed(&[7; 32]);
    let append = |token: &Parts| {
        let token = verified::<Bls>(token);
        parts(&token.append_with(&attenuator, b"read only").unwrap())
    };
    let minus = |a: &Parts, b: &Parts| add_signatures(&a.end, &negated(&b.end));
    let strip = |token: &Parts, signature: &[u8]| {
        let mut token = token.clone();
        token.blocks.pop();
        token.end = add_signatures(&token.end, &negated(signature));
        let place = Place::Aggregate;
        refused::<Bls>(&token, None, Error::Signature { place });
    };
    let once = append(&honest::<Bls>(&[b"everything"]));
    let twice = append(&once);
    strip(&once, &minus(&twice, &once));

    let mine = honest::<Bls>(&[b"my files"]);
    let yours = honest::<Bls>(&[b"your files"]);
    strip(&append(&yours), &minus(&append(&mine), &mine));
}

/// The same sums and differences of s, with and without the weights.
#[test]
fn aggregate_appended_twice() {
    let attenuator = SecretKey::<Aggregate>::from_seed(&[7; 32]);
    let append = |token: &Parts| {
        let token = verified::<Aggregate>(token);
        parts(&token.append_with(&attenuator, b"read only").unwrap())
    };
    let minus = |a: &Parts, b: &Parts| scalar(&a.end) - scalar(&b.end);
    let strip = |token: &Parts, own: Scalar, weight: Scalar| {
        let (_, last) = coefficients(&token.blocks);
        for own in [
            own,
            own * last,
            own * weight.invert(),
            own * weight.invert() * last,
        ] {
            let mut token = token.clone();
            token.blocks.pop();
            token.end = (scalar(&token.end) - own).to_bytes().to_vec();
            let place = Place::Aggregate;
            refused::<Aggregate>(&token, None, Error::Signature { place });
        }
    };
    let once = append(&honest::<Aggregate>(&[b"everything"]));
    let twice = append(&once);
    strip(&once, minus(&twice, &once), coefficients(&twice.blocks).1);

    let mine = honest::<Aggregate>(&[b"my files"]);
    let mine_after = append(&mine);
    let weight = coefficients(&mine_after.blocks).1;
    let yours = honest::<Aggregate>(&[b"your files"]);
    strip(&append(&yours), minus(&mine_after, &mine), weight);
}

/// A statement is good in its place only, so that having one of the same third party and
/// payload helps to take no other away.
fn another_statement<S: Twin>() {
    let third_party = SecretKey::<S>::from_seed(&[7; 32]);
    let [mine, yours] = [b"my files", b"yr files"].map(|payload| honest::<S>(&[payload]));
    let statement = |token: &Parts| {
        let request = verified::<S>(token).request().unwrap();
        request.sign(&third_party, b"of age").unwrap()
    };
    let after = verified::<S>(&yours).append_external(&statement(&yours));
    let after = parts(&after.unwrap());
    let stated = statement(&mine).encode().unwrap();
    let stated = &stated[5..stated.len() - 10];
    let mut stripped = after.clone();
    stripped.blocks.pop();
    let refusal = match S::NAME {
        "chain" => Error::Possession,
        "aggregate" => {
            let mut uncovered = after.blocks.clone();
            uncovered[1].link.truncate(64);
            let (_, weight) = coefficients(&uncovered);
            let own = weight * scalar(&stated[64..]);
            stripped.end = (scalar(&after.end) - own).to_bytes().to_vec();
            S::wrong(Place::Aggregate)
        }
        _ => {
            stripped.end = add_signatures(&after.end, &negated(&stated[48..]));
            S::wrong(Place::Aggregate)
        }
    };
    refused::<S>(&stripped, None, refusal);
}

fails!(
    blocks_dropped,
    block_dropped_under_a_seal,
    own_block_replaced,
    another_statement
);

/// Where blocks are summed a third party's is a sum with what it said, and whoever heard
/// that can subtract it again; but not the holder's cover of it, nor what stands behind.
#[test]
fn statement_taken_off_by_who_made_it() {
    fn summed<S: Summed>() {
        let (tokens, statement) = with_statement::<S>();
        let blocks = tokens[0].blocks[1].link.clone();
        for (mut token, challenge) in tokens.into_iter().zip(CHALLENGES) {
            // The third party's part alone, as if there were no cover.
            let mut stated = token.blocks[..2].to_vec();
            stated[1].link.truncate(S::link_length(BLOCK));
            assert!(blocks.starts_with(&stated[1].link));
            S::take_off(&mut token, &stated, &statement[S::link_length(BLOCK)..]);
            token.blocks.truncate(1);
            refused::<S>(&token, challenge, S::wrong(Place::Aggregate));
            // The cover stays, as a block that says nothing.
            let cover = Part {
                kind: BLOCK,
                link: blocks[S::link_length(BLOCK)..].to_vec(),
                payload: Vec::new(),
            };
            token.blocks.push(cover);
            refused::<S>(&token, challenge, S::wrong(Place::Aggregate));
        }
    }
    summed::<Aggregate>();
    summed::<Bls>();
    let (tokens, _) = with_statement::<Chain>();
    let refusals = [
        Error::Possession,
        Error::Possession,
        Chain::wrong(Place::Seal),
    ];
    for ((mut token, challenge), refusal) in tokens.into_iter().zip(CHALLENGES).zip(refusals) {
        token.blocks.truncate(1);
        refused::<Chain>(&token, challenge, refusal);
    }
}

const CHALLENGES: [Option<&Challenge<'_>>; 3] = [None, None, Some(&CHALLENGE)];

/// A token with a third party's block: last, with a holder's behind it, and sealed; and
/// what the third party said.
fn with_statement<S: Twin>() -> ([Parts; 3], Vec<u8>) {
    let third_party = SecretKey::<S>::from_seed(&[7; 32]);
    let before = verified::<S>(&honest::<S>(&[b"everything"]));
    let statement = before.request().unwrap().sign(&third_party, b"less");
    let statement = statement.unwrap();
    let last = before.append_external(&statement).unwrap();
    let followed = last.append(b"").unwrap();
    let sealed = last.seal(&CHALLENGE).unwrap();
    let stated = statement.encode().unwrap();
    let stated = &stated[5..stated.len() - 4 - b"less".len()];
    ([&last, &followed, &sealed].map(parts), stated.to_vec())
}
