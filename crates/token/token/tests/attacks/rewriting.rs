//! Attacks that replace an earlier message in a valid token.
//!
//! In the VRF schemes of `klero-studies`, a message's hash h_i is used only in v = W + S·h_i. An attacker who
//! changes the message adds S·(h_old - h_new) to W, and v stays the same.

use crate::encoding::{OPAQUE, Parts, ROOT, rights};
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, fails, honest, refused};
use klero_token::Place;

/// Changes the payload of the first, the middle or the last block.
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

/// All blocks except the first are mine. I change the first block, and then sign my blocks for the result.
fn own_blocks_signed_again<S: Twin>() {
    let mut token = Parts::nothing::<S>(&S::beginning(&ROOT_SEED));
    let first = match S::NAME {
        "chain" => MY_SEED,
        _ => ROOT_SEED,
    };
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
