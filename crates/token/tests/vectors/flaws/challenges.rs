//! Seals that do not answer the challenge.

use klero_token::Place;

use super::of::Of;
use crate::equations::Twin;
use crate::format::{Asked, Hex, Vector};
use crate::make::{asked, narrowed, unvouched, wrong};

pub fn challenges<S: Twin>(bearer: &Of<'_>, sealed: &Of<'_>) -> Vec<Vector> {
    let wrong = wrong::<S>(Place::Seal);
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
        sealed.asked("another nonce", wrong, |asked| asked.nonce.0[0] ^= 1),
        sealed.asked("another audience", wrong, |asked| asked.audience.push('s')),
        sealed.asked("another time", wrong, |asked| asked.time += 1),
        sealed.asked("a byte of the nonce in the audience", wrong, |asked| {
            let byte = asked.nonce.0.pop().unwrap();
            asked.audience.insert(0, byte.into());
        }),
        Vector {
            challenge: Some(nothing.clone()),
            token: narrowed::<S>().seal(&nothing).parts.bytes().into(),
            ..sealed.invalid("empty nonce", ("empty nonce", None))
        },
        sealed.parts::<S>("seal of another token", wrong, |token| {
            token.end = unvouched::<S>().seal(&asked()).parts.end;
        }),
        sealed.parts::<S>(
            "block changed under the seal",
            self::wrong::<S>(Place::Block(2)),
            |token| {
                token.blocks[2].payload[0] ^= 1;
            },
        ),
    ]
}
