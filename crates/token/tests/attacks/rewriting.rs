//! Every message but the last can be replaced in a token that is valid.
//!
//! h_i only occurs in v, as S·h_i next to W. So W + S·(h_old - h_new) hides the change.

use klero_token::Place;
use klero_token::hazmat::seed::{
    ristretto::{KeyPair, hash_to_curve},
    vrf1, vrf2,
};

use crate::encoding::{OPAQUE, Parts, ROOT, rights};
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, fails, honest, refused};

/// Rewrites all but the last message of a token of either scheme.
macro_rules! rewrite {
    ($token:expr) => {{
        let mut token = $token;
        let (_, blocks) = token.blocks.split_last_mut().unwrap();
        for block in blocks {
            let old = hash_to_curve(&block.key, &block.message);
            block.message = b"everything".to_vec();
            let new = hash_to_curve(&block.key, &block.message);
            token.w += token.s * (old - new);
        }
        token
    }};
}

#[test]
fn seed_vrf1() {
    let [root, a, b] = [b"root", b"aaaa", b"bbbb"].map(|seed| KeyPair::from_seed(seed));
    let token = vrf1::Token::new(&root, b"little")
        .append(&a, b"less")
        .append(&b, b"nothing");
    let rewritten = rewrite!(token.clone());
    assert_ne!(rewritten.blocks[..2], token.blocks[..2]);
    assert!(rewritten.verify(&root.public()));
}

#[test]
fn seed_vrf2() {
    let [root, a, b] = [b"root", b"aaaa", b"bbbb"].map(|seed| KeyPair::from_seed(seed));
    let token = vrf2::Token::new(&root, b"little")
        .append(&a, b"less")
        .append(&b, b"nothing");
    let rewritten = rewrite!(token.clone());
    assert_ne!(rewritten.blocks[..2], token.blocks[..2]);
    assert!(rewritten.verify(&root.public()));
}

/// Any payload, first, middle or last.
fn one_payload<S: Twin>() {
    let token = honest::<S>(&[b"little", b"less", b"nothing"]);
    for block in 0..3 {
        for payload in [&b"everything"[..], b"", b"littl", b"little\0"] {
            let mut token = token.clone();
            token.blocks[block].payload = match block {
                0 => rights(payload),
                _ => payload.to_vec(),
            };
            refused::<S>(&token, None, S::wrong(Place::Block(block)));
        }
    }
}

/// All blocks but the first are mine, and I sign them again.
fn own_blocks_signed_again<S: Twin>() {
    let first = if S::NAME == "chain" {
        MY_SEED
    } else {
        ROOT_SEED
    };
    let mut token = Parts::nothing::<S>(&S::beginning(&ROOT_SEED));
    S::add(&mut token, ROOT, &first, &rights(b"little"));

    token.blocks[0].payload = rights(b"everything");
    for payload in [b"less", b"nada"] {
        S::add(&mut token, OPAQUE, &MY_SEED, payload);
        refused::<S>(&token, None, S::wrong(Place::Block(0)));
    }
    S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    refused::<S>(&token, Some(&CHALLENGE), S::wrong(Place::Block(0)));
}

fails!(one_payload, own_blocks_signed_again);
