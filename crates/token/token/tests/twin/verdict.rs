//! The second implementation's verdict on the bytes of a token, with the reason for a refusal. This
//! implementation takes the same steps as the library, in the same order.

use std::collections::BTreeMap;

use klero_token::Limits;

use crate::encoding::{Parts, Refusal, ensure};
use crate::equations::Twin;

/// The nonce, audience and time of a challenge.
pub type Asked<'a> = (&'a [u8], &'a str, u64);

/// Returns the token if it is valid under the root key whose number it contains. With a challenge, the token
/// must be sealed to the challenge. Without a challenge, the token must be neither sealed nor held.
pub fn verdict<S: Twin>(
    bytes: &[u8],
    limits: &Limits,
    roots: &BTreeMap<u32, Vec<u8>>,
    asked: Option<Asked<'_>>,
) -> Result<Parts, Refusal> {
    let token = Parts::read_within::<S>(bytes, limits)?;
    if let Some((nonce, ..)) = asked {
        ensure(token.sealed, "not sealed", None)?;
        ensure(!nonce.is_empty(), "empty nonce", None)?;
    } else {
        ensure(!token.sealed, "sealed", None)?;
        ensure(!token.held, "held", None)?;
    }
    let root = roots.get(&token.root_id).ok_or(("unknown root", None))?;
    let answer = asked.filter(|_| token.sealed).map(answer);
    S::verdict(&token, root, answer.as_deref())?;
    Ok(token)
}

/// The payload of a seal to this challenge.
pub fn answer((nonce, audience, time): Asked<'_>) -> Vec<u8> {
    [
        &(nonce.len() as u64).to_le_bytes()[..],
        nonce,
        &(audience.len() as u64).to_le_bytes(),
        audience.as_bytes(),
        &time.to_le_bytes(),
    ]
    .concat()
}
