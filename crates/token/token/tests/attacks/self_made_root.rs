//! A token that starts with the attacker's own key.

use crate::equations::Twin;
use crate::sound::{MY_SEED, fails, parts, refused, wrong_root};
use crate::support::again;
use klero_token::{Error, RootKeys, SecretKey, Token};

/// The verifier, not the token, chooses the root key.
fn own_key<S: Twin>() {
    let me = SecretKey::from_seed(S::SCHEME, &MY_SEED);
    let token = Token::mint(&me, 0, b"everything", &[]).unwrap();
    refused::<S>(&parts(&token), None, wrong_root::<S>());
    let longer = token.append(b"").unwrap();
    refused::<S>(&parts(&longer), None, wrong_root::<S>());
}

/// The verifier also chooses the numbers of the root keys.
fn own_number<S: Twin>() {
    let me = SecretKey::from_seed(S::SCHEME, &MY_SEED);
    let token = Token::mint(&me, 7, b"everything", &[]).unwrap();
    refused::<S>(&parts(&token), None, Error::UnknownRoot(7));

    let verdict = again(&token).verify(&RootKeys::new(), None);
    assert_eq!(verdict.unwrap_err(), Error::UnknownRoot(7));
}

fails!(own_key, own_number);
