//! A token that starts with the attacker's own key.

use klero_studies::challenge::{KeyPair, Token};

/// `verify` is not told the root key; it takes the one in the token.
#[test]
fn seed_challenge() {
    let token = Token::new(&KeyPair::from_seed(b"me"), b"everything").unwrap();
    assert!(token.verify());
    assert!(token.answer(b"who are you?").unwrap().verify());
}
