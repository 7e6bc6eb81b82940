//! Wrong root keys, and blocks that were changed after signing.

use klero_token::Place;

use super::of::{Of, wrong};
use crate::encoding::{OPAQUE, Parts};
use crate::equations::Twin;
use crate::format::Vector;
use crate::maker::{ROOTS, roots};

pub fn root_keys<S: Twin>(of: &Of<'_>, under_two: &Of<'_>) -> Vec<Vector> {
    let wrong_root = match S::NAME {
        "chain" => wrong::<S>(Place::Block(0)),
        _ => ("wrong root", None),
    };
    vec![
        Vector {
            roots: Some(roots::<S>([(0, ROOTS[1].1)])),
            ..of.invalid("another root key", wrong_root)
        },
        Vector {
            roots: Some(roots::<S>([(1, ROOTS[0].1)])),
            ..of.invalid("no root key of this number", ("unknown root", None))
        },
        under_two.parts::<S>(
            "number of the root key changed",
            wrong::<S>(Place::Block(0)),
            |token| {
                token.root_id = 7;
            },
        ),
    ]
}

pub fn blocks<S: Twin>(of: &Of<'_>) -> Vec<Vector> {
    let at = |block| wrong::<S>(Place::Block(block));
    let change = |name, refusal, flaw: fn(&mut Parts)| of.parts::<S>(name, refusal, flaw);
    // In `chain`, the secret at the token's end does not match the last key once the last block is removed.
    let no_secret = match S::NAME {
        "chain" => ("possession", None),
        _ => at(2),
    };
    vec![
        change("random bytes changed", at(0), |token| {
            token.blocks[0].payload[0] ^= 1
        }),
        change("rights changed", at(0), |token| {
            token.blocks[0].payload[20] ^= 1
        }),
        change("caveat of the issuer changed", at(0), |token| {
            *token.blocks[0].payload.last_mut().unwrap() ^= 1;
        }),
        change("caveat becomes a right", at(0), |token| {
            token.blocks[0].payload[16] += 1
        }),
        change("second block changed", at(1), |token| {
            token.blocks[1].payload[0] ^= 1
        }),
        change("last block changed", at(2), |token| {
            token.blocks[2].payload[0] ^= 1
        }),
        change("caveats turned into bytes", at(1), |token| {
            token.blocks[1].kind = OPAQUE
        }),
        change("blocks swapped", at(1), |token| {
            token.blocks.swap(1, 2);
            if token.scheme == 1 {
                // The secret of the key in the block that is now the last.
                token.end = vec![0x12; 32];
            }
        }),
        change("payloads swapped", at(1), |token| {
            let [_, one, two] = &mut token.blocks[..] else {
                unreachable!()
            };
            std::mem::swap(&mut one.payload, &mut two.payload);
        }),
        change("second block removed", at(1), |token| {
            drop(token.blocks.remove(1))
        }),
        change("last block repeated", at(3), |token| {
            let last = token.blocks[2].clone();
            token.blocks.push(last);
        }),
        change("last block removed", no_secret, |token| {
            drop(token.blocks.pop())
        }),
    ]
}
