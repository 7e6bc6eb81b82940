//! The token schemes of `klero-studies`: the four of the study, and the sound one with pairings.

use std::hint::black_box;

use klero_studies::bls;
use klero_studies::challenge::{ChallengeToken, KeyPair, Token};

use crate::tokens::work::{PAYLOAD, Work, framing};

/// The interface that three of the study's schemes share.
macro_rules! of_the_study {
    ($scheme:ident) => {
        pub mod $scheme {
            use super::*;
            use klero_studies::$scheme::{KeyPair, Token};

            fn key(n: usize) -> KeyPair {
                KeyPair::from_seed(&[n as u8; 32])
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
                without_framing(token(n).encode(), n)
            }
        }
    };
}

of_the_study!(vrf1);
of_the_study!(vrf2);
of_the_study!(pairing);

/// The size of a token of n blocks, whose number and lengths take four bytes each.
fn without_framing(token: Vec<u8>, n: usize) -> usize {
    token.len() - 4 - n * (4 + PAYLOAD.len())
}

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
    let answer = base_token(n).answer(CHALLENGE);
    answer.expect("randomness").encode()
}

pub fn challenge_verify(n: usize) -> Work {
    let bytes = challenge_token(n);
    Box::new(move || ChallengeToken::decode(&bytes).is_ok_and(|token| token.verify()))
}

pub fn base_size(n: usize) -> usize {
    without_framing(base_token(n).encode(), n)
}

pub fn challenge_size(n: usize) -> usize {
    without_framing(challenge_token(n), n) - (4 + CHALLENGE.len())
}

/// The kind and the payload of block i of the sound scheme, counted from 0.
fn bls_block(i: usize) -> (u8, Vec<u8>) {
    match i {
        0 => (bls::kind::ROOT, bls::rights(PAYLOAD)),
        _ => (bls::kind::OPAQUE, PAYLOAD.to_vec()),
    }
}

fn bls_token(n: usize) -> bls::Token {
    let mut token = bls::Token::new(0);
    for i in 0..n {
        let (kind, payload) = bls_block(i);
        token.add(kind, &[i as u8; 32], &payload);
    }
    token
}

pub fn bls_sign(n: usize) -> Work {
    let (before, (kind, payload)) = (bls_token(n - 1), bls_block(n - 1));
    Box::new(move || {
        let mut token = before.clone();
        token.add(kind, &[n as u8 - 1; 32], &payload);
        !black_box(token.encode()).is_empty()
    })
}

pub fn bls_verify(n: usize) -> Work {
    let limits = bls::Limits {
        pairings: n as u32,
        ..Default::default()
    };
    let (bytes, root) = (bls_token(n).encode(), bls::public_key(&[0; 32]));
    Box::new(move || {
        let token = bls::Token::decode(&bytes, &limits);
        token.is_ok_and(|token| token.verify(&root, None).is_ok())
    })
}

pub fn bls_size(n: usize) -> usize {
    bls_token(n).encode().len() - framing(n)
}
