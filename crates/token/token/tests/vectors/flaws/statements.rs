//! Third parties' statements with wrong signatures or wrong keys.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::scalar::Scalar;
use klero_token::Place;

use super::edwards25519::{add_order, identities, signed_by_nobody, signed_with};
use super::of::Of;
use crate::equations::{Twin, state, stated, statement_message};
use crate::format::Vector;
use crate::maker::{THIRD_PARTY, unvouched};

pub fn statements<S: Twin>(of: &Of<'_>) -> Vec<Vector> {
    let before = unvouched::<S>();
    let here = before.state();
    let key = {
        let seed = ed25519_dalek::SigningKey::from_bytes(&THIRD_PARTY);
        seed.verifying_key().to_bytes()
    };
    let text = b"of age";
    let honest = |scheme, state| stated(scheme, state, &THIRD_PARTY, text);
    let first = state(S::ID, 0, &before.parts.blocks[..1]);
    let message = statement_message(S::ID, &here, &key, text);
    let with_r = |r, small| {
        let signature = signed_with(&THIRD_PARTY, &message, r, small);
        [&key[..], &signature, text].concat()
    };
    let [identity, beyond] = identities().map(|key| [&key[..], &signed_by_nobody(), text].concat());
    let mut changed = honest(S::ID, &here);
    *changed.last_mut().unwrap() ^= 1;
    let mut plus_order = honest(S::ID, &here);
    add_order(&mut plus_order[64..96]);
    [
        ("statement changed", "signature", changed),
        (
            "statement for the token before",
            "signature",
            honest(S::ID, &first),
        ),
        (
            "statement for another scheme",
            "signature",
            honest(S::ID % 3 + 1, &here),
        ),
        ("third party's s + L", "scalar", plus_order),
        (
            "third party's R of small order",
            "signature",
            with_r(Scalar::ZERO, EIGHT_TORSION[0]),
        ),
        (
            "third party's R plus a point of order 8",
            "signature",
            with_r(Scalar::ONE, EIGHT_TORSION[1]),
        ),
        ("third party's key of small order", "key", identity),
        ("third party's key not canonical", "key", beyond),
    ]
    .map(|(name, reason, statement)| {
        let token = before.clone().statement(&statement).parts;
        of.token(name, (reason, Some(Place::ThirdParty(2))), &token)
    })
    .into()
}
