//! A token without blocks.

use klero_studies::challenge::{ChallengeToken, KeyPair, Token};

/// There is no signature to be wrong, and no first key to compare.
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
