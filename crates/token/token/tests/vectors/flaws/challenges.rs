//! Seals that do not answer the verifier's challenge, and challenges without a seal.

use klero_token::Place;

use super::of::{Of, wrong};
use crate::equations::Twin;
use crate::format::{Asked, Hex, Vector};
use crate::maker::{asked, narrowed, unvouched};

pub fn challenges<S: Twin>(bearer: &Of<'_>, sealed: &Of<'_>) -> Vec<Vector> {
    let at_seal = wrong::<S>(Place::Seal);
    let nothing = Asked {
        nonce: Hex::default(),
        ..asked()
    };
    vec![
        Vector {
            challenge: None,
            ..sealed.invalid("no challenge set", ("sealed", None))
        },
        bearer.asked("not sealed", ("not sealed", None), |_| {}),
        sealed.asked("another nonce", at_seal, |asked| asked.nonce.0[0] ^= 1),
        sealed.asked("another audience", at_seal, |asked| {
            asked.audience.push('s')
        }),
        sealed.asked("another time", at_seal, |asked| asked.time += 1),
        sealed.asked("a byte of the nonce in the audience", at_seal, |asked| {
            let byte = asked.nonce.0.pop().unwrap();
            asked.audience.insert(0, byte.into());
        }),
        Vector {
            challenge: Some(nothing.clone()),
            token: narrowed::<S>().seal(&nothing).parts.bytes().into(),
            ..sealed.invalid("empty nonce", ("empty nonce", None))
        },
        sealed.parts::<S>("seal of another token", at_seal, |token| {
            token.end = unvouched::<S>().seal(&asked()).parts.end;
        }),
        sealed.parts::<S>(
            "block changed under the seal",
            wrong::<S>(Place::Block(2)),
            |token| {
                token.blocks[2].payload[0] ^= 1;
            },
        ),
    ]
}
