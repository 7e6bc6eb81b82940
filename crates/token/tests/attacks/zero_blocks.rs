//! A token that says nothing, and forbids nothing.

use klero_token::Error;
use klero_token::hazmat::seed::challenge::{ChallengeToken, KeyPair, Token};

use crate::encoding::Parts;
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, fails, refused};

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

/// Without blocks, whatever the end is, and sealed by whoever likes.
fn no_blocks<S: Twin>() {
    let mut token = Parts::nothing::<S>(&S::beginning(&MY_SEED));
    refused::<S>(&token, None, Error::NoBlocks);
    S::seal_to(&mut token, &CHALLENGE.encode());
    refused::<S>(&token, Some(&CHALLENGE), Error::NoBlocks);
}

fails!(no_blocks);
