//! A token that says nothing, and forbids nothing.

use klero_token::hazmat::seed::challenge::{ChallengeToken, KeyPair, Token};

/// All of no signatures are right, and there is no first key to be compared.
#[test]
fn seed_challenge() {
    let token = Token {
        blocks: Vec::new(),
        next: KeyPair::from_seed(b"me"),
    };
    assert!(Token::decode(&token.encode()).unwrap().verify());

    let answer = token.answer(b"who are you?").unwrap();
    assert!(ChallengeToken::decode(&answer.encode()).unwrap().verify());
}
