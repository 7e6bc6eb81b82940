//! Messages before the last, replaced in a valid token.
//!
//! In the VRF schemes of `klero-studies`, only v has h_i, in W + S·h_i: W + S·(h_old - h_new) hides a change.

use crate::encoding::{OPAQUE, Parts, ROOT, rights};
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, ROOT_SEED, fails, honest, refused};
use klero_token::Place;

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
