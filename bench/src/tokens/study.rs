//! The four schemes of the study.

use std::hint::black_box;

use klero_studies::challenge::{ChallengeToken, KeyPair, Token};

use super::{PAYLOAD, Work};

/// The interface that three of the study's schemes share.
macro_rules! of_the_study {
    ($scheme:ident, $keys:expr) => {
        pub mod $scheme {
            use super::*;
            use klero_studies::$scheme::{KeyPair, Token};

            fn key(n: usize) -> KeyPair {
                $keys(n as u8)
            }

            fn token(n: usize) -> Token {
                (1..n).fold(Token::new(&key(0), PAYLOAD), |token, i| {
                    token.append(&key(i), PAYLOAD)
                })
            }

            pub fn sign(n: usize) -> Work {
                let own = key(n - 1);
                if n == 1 {
                    return Box::new(move || {
                        !black_box(Token::new(&own, PAYLOAD).encode()).is_empty()
                    });
                }
                let before = token(n - 1);
                Box::new(move || !black_box(before.append(&own, PAYLOAD).encode()).is_empty())
            }

            pub fn verify(n: usize) -> Work {
                let (bytes, root) = (token(n).encode(), key(0).public());
                Box::new(move || Token::decode(&bytes).is_ok_and(|token| token.verify(&root)))
            }

            pub fn size(n: usize) -> usize {
                token(n).encode().len() - 4 - n * (4 + PAYLOAD.len())
            }
        }
    };
}

of_the_study!(vrf1, |n| KeyPair::from_seed(&[n; 32]));
of_the_study!(vrf2, |n| KeyPair::from_seed(&[n; 32]));
of_the_study!(pairing, |n| KeyPair::from_seed(&[n; 32]));

fn base_token(n: usize) -> Token {
    let root = KeyPair::from_seed(b"root");
    let first = Token::new(&root, PAYLOAD).expect("randomness");
    (1..n).fold(first, |token, _| token.append(PAYLOAD).expect("randomness"))
}

/// The verifier's challenge.
const CHALLENGE: &[u8] = b"a nonce, and the time";

/// Makes block n, and with `finish` the bytes of the token.
fn challenge_block(n: usize, finish: fn(Token) -> Option<Vec<u8>>) -> Work {
    if n == 1 {
        let root = KeyPair::from_seed(b"root");
        return Box::new(move || {
            let token = Token::new(&root, PAYLOAD);
            black_box(token.ok().and_then(finish)).is_some()
        });
    }
    let before = base_token(n - 1);
    Box::new(move || black_box(before.append(PAYLOAD).ok().and_then(finish)).is_some())
}

pub fn challenge_append(n: usize) -> Work {
    challenge_block(n, |token| Some(token.encode()))
}

/// The challenge scheme as the study timed it.
pub fn challenge_append_and_answer(n: usize) -> Work {
    challenge_block(n, |token| Some(token.answer(CHALLENGE).ok()?.encode()))
}

/// The form for verifiers: n blocks and the answer.
fn challenge_token(n: usize) -> Vec<u8> {
    base_token(n)
        .answer(CHALLENGE)
        .expect("randomness")
        .encode()
}

pub fn challenge_verify(n: usize) -> Work {
    let bytes = challenge_token(n);
    Box::new(move || ChallengeToken::decode(&bytes).is_ok_and(|token| token.verify()))
}

pub fn base_size(n: usize) -> usize {
    base_token(n).encode().len() - 4 - n * (4 + PAYLOAD.len())
}

pub fn challenge_size(n: usize) -> usize {
    challenge_token(n).len() - 4 - n * (4 + PAYLOAD.len()) - (4 + CHALLENGE.len())
}
