//! The sound scheme with pairings.

use std::hint::black_box;

use klero_studies::bls;

use super::{PAYLOAD, Work, framing};

/// A token of n blocks of the sound scheme with pairings, by keys of these seeds.
fn token(n: usize) -> bls::Token {
    use bls::{Token, kind, rights};
    let mut token = Token::new(0);
    for i in 0..n {
        match i {
            0 => token.add(kind::ROOT, &[0; 32], &rights(PAYLOAD)),
            _ => token.add(kind::OPAQUE, &[i as u8; 32], PAYLOAD),
        }
    }
    token
}

pub fn sign(n: usize) -> Work {
    use bls::{kind, rights};
    let before = token(n - 1);
    let (kind, payload) = match n {
        1 => (kind::ROOT, rights(PAYLOAD)),
        _ => (kind::OPAQUE, PAYLOAD.to_vec()),
    };
    Box::new(move || {
        let mut token = before.clone();
        token.add(kind, &[n as u8 - 1; 32], &payload);
        !black_box(token.encode()).is_empty()
    })
}

pub fn verify(n: usize) -> Work {
    let limits = bls::Limits {
        pairings: n as u32,
        ..Default::default()
    };
    let (bytes, root) = (token(n).encode(), bls::public_key(&[0; 32]));
    Box::new(move || {
        let token = bls::Token::decode(&bytes, &limits);
        token.is_ok_and(|token| token.verify(&root, None).is_ok())
    })
}

pub fn size(n: usize) -> usize {
    token(n).encode().len() - framing(n)
}
