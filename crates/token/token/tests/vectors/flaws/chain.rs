//! Flaws in tokens of `chain`: wrong signatures and keys of Ed25519, and a wrong secret at the end.

use crate::equations::Chain;
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::scalar::Scalar;
use klero_token::Place;

use super::edwards25519::{add_order, identities, signed_by_nobody, signed_with};
use super::of::Of;
use crate::equations::{ANYBODY, chain_message, state};
use crate::format::Vector;
use crate::maker::{ROOTS, narrowed};

/// The message that a block's signature covers if the block contains this key as the next key.
fn message(block: usize, next: &[u8]) -> Vec<u8> {
    let blocks = narrowed::<Chain>().parts.blocks;
    let before = state(1, 0, &blocks[..block]);
    chain_message(blocks[block].kind, &before, next, &blocks[block].payload)
}

pub fn chain(of: &Of<'_>, sealed: &Of<'_>) -> Vec<Vector> {
    let at = |reason, block| (reason, Some(Place::Block(block)));
    // Signs the last block with this key and R. No later signature covers the block, so all else is valid.
    let signed = |name, seed: &[u8; 32], r, small| {
        of.parts::<Chain>(name, at("signature", 2), |token| {
            let link = &mut token.blocks[2].link;
            let signature = signed_with(seed, &message(2, &link[..32]), r, small);
            link.splice(32.., signature);
        })
    };
    // Makes this encoding of the identity the second block's key. So anybody can sign the third block.
    let with_key = |name, key: [u8; 32]| {
        of.parts::<Chain>(name, at("key", 1), |token| {
            let message = message(1, &key);
            let signature = signed_with(&[0x11; 32], &message, Scalar::ONE, EIGHT_TORSION[0]);
            token.blocks[1].link = [&key[..], &signature].concat();
            token.blocks[2].link.splice(32.., signed_by_nobody());
        })
    };
    let [identity, beyond] = identities();
    let (last, root) = ([0x12; 32], ROOTS[0].1);
    vec![
        of.parts::<Chain>("s + L", at("scalar", 2), |token| {
            add_order(&mut token.blocks[2].link[64..]);
        }),
        signed("R of small order", &last, Scalar::ZERO, EIGHT_TORSION[0]),
        signed(
            "R plus a point of order 8",
            &last,
            Scalar::ONE,
            EIGHT_TORSION[1],
        ),
        signed(
            "last block signed by the root key",
            &root,
            Scalar::ONE,
            EIGHT_TORSION[0],
        ),
        with_key("next key of small order", identity),
        with_key("next key not canonical", beyond),
        of.parts::<Chain>("next key replaced", at("signature", 2), |token| {
            let mine = ed25519_dalek::SigningKey::from_bytes(&ANYBODY);
            token.blocks[2].link[..32].copy_from_slice(mine.verifying_key().as_bytes());
            token.end = ANYBODY.to_vec();
        }),
        of.parts::<Chain>("secret of another key", ("possession", None), |token| {
            token.end = ANYBODY.to_vec();
        }),
        Vector {
            challenge: None,
            ..sealed.parts::<Chain>("held by a device", ("held", None), |token| {
                (token.sealed, token.held) = (false, true);
                token.end.clear();
            })
        },
    ]
}
