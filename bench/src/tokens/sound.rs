//! The two schemes of `klero-token`.

use std::hint::black_box;

use klero_token::{Limits, RootKeys, Scheme, SecretKey, Token};

use super::{PAYLOAD, TOGETHER, Work, framing};

/// As many signatures as the largest token has.
const LIMITS: Limits = Limits {
    signatures: 20,
    caveats: u32::MAX,
    bytes: 65_536,
};

/// A token of n blocks, and the root key.
fn token(scheme: Scheme, n: usize) -> (Token, RootKeys) {
    let root = SecretKey::generate(scheme).expect("randomness");
    let mut token = Token::mint(&root, 0, PAYLOAD, &[]).expect("a token");
    for _ in 1..n {
        token = token.append(PAYLOAD).expect("a block");
    }
    (token, RootKeys::from(*root.public_key()))
}

pub fn sign(scheme: Scheme, n: usize) -> Work {
    if n == 1 {
        let root = SecretKey::generate(scheme).expect("randomness");
        return Box::new(move || {
            let token = Token::mint(&root, 0, PAYLOAD, &[]).and_then(|token| token.encode());
            black_box(token).is_ok()
        });
    }
    let (before, _) = token(scheme, n - 1);
    Box::new(move || {
        let token = before.append(PAYLOAD).and_then(|token| token.encode());
        black_box(token).is_ok()
    })
}

pub fn verify(scheme: Scheme, n: usize) -> Work {
    let (token, roots) = token(scheme, n);
    let bytes = token.encode().expect("a token");
    Box::new(move || {
        let token = Token::decode(&bytes, &LIMITS);
        token.and_then(|token| token.verify(&roots, None)).is_ok()
    })
}

/// Many tokens of three blocks under one root key.
pub fn many(scheme: Scheme) -> Work {
    let root = SecretKey::generate(scheme).expect("randomness");
    let tokens: Vec<_> = (0..TOGETHER)
        .map(|_| {
            let token = Token::mint(&root, 0, PAYLOAD, &[]);
            let token = token.and_then(|token| token.append(PAYLOAD)?.append(PAYLOAD));
            token.and_then(|token| token.encode()).expect("a token")
        })
        .collect();
    let roots = RootKeys::from(*root.public_key());
    Box::new(move || {
        let decode = |bytes| Token::decode(bytes, &LIMITS);
        let decoded: Result<Vec<_>, _> = tokens.iter().map(|bytes| decode(bytes)).collect();
        decoded.is_ok_and(|tokens| {
            let tokens = tokens.into_iter().map(|token| (token, None));
            Token::verify_many(tokens, &roots).iter().all(Result::is_ok)
        })
    })
}

pub fn size(scheme: Scheme, n: usize) -> usize {
    let bytes = token(scheme, n).0.encode().expect("a token");
    bytes.len() - framing(n)
}
