//! A token without blocks.

use klero_token::Error;
use klero_token::hazmat::seed::challenge::{ChallengeToken, KeyPair, Token};

use crate::encoding::Parts;
use crate::equations::Twin;
use crate::sound::{CHALLENGE, MY_SEED, fails, refused};

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

/// No blocks, with any end, and sealed by anyone.
fn no_blocks<S: Twin>() {
    let mut token = Parts::nothing::<S>(&S::beginning(&MY_SEED));
    refused::<S>(&token, None, Error::NoBlocks);
    S::seal_to(&mut token, &CHALLENGE.encode().unwrap());
    refused::<S>(&token, Some(&CHALLENGE), Error::NoBlocks);
}

fails!(no_blocks);
