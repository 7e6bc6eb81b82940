//! The attacks of the other modules, and those that klero-token's tests try, on the sound scheme
//! with pairings: each is refused, for the expected reason.

mod framing;
mod key_substitution;
mod laundering;
mod phantom_blocks;
mod points;
mod reordering;
mod replay;
mod rewriting;
mod rogue_key;
mod second_look;
mod stripping;
mod universal_forgery;
mod zero_blocks;

use klero_studies::bls::kind::{CAVEATS, OPAQUE, ROOT, SEAL, STATEMENT};
use klero_studies::bls::{
    DOMAIN, Limits, Link, Token, add, infinity, negated, public_key, rights, secret_key,
};

const ROOT_SEED: [u8; 32] = [1; 32];
const MY_SEED: [u8; 32] = [2; 32];

const CHALLENGE: &[u8] = b"the answer to a challenge of the verifier";

fn root() -> [u8; 48] {
    public_key(&ROOT_SEED)
}

/// A token that the root key signed; the holders' keys are fresh.
fn honest(payloads: &[&str]) -> Token {
    issued(&ROOT_SEED, payloads)
}

fn issued(seed: &[u8; 32], payloads: &[&str]) -> Token {
    let mut token = Token::new(0);
    for (i, payload) in payloads.iter().enumerate() {
        match i {
            0 => token.add(ROOT, seed, &rights(payload.as_bytes())),
            _ => token.add(OPAQUE, &[99 + i as u8; 32], payload.as_bytes()),
        }
    }
    token
}

fn sealed(mut token: Token) -> Token {
    token.close(&[98; 32], CHALLENGE);
    token
}

fn block(key: [u8; 48], payload: &[u8]) -> Link {
    Link {
        kind: OPAQUE,
        key,
        payload: payload.to_vec(),
    }
}

/// The verdict on the bytes of a token.
fn verdict(root: &[u8], token: &Token, challenge: Option<&[u8]>) -> Result<(), &'static str> {
    let token = Token::decode(&token.encode(), &Limits::default());
    let verdict = token.and_then(|token| token.verify(root, challenge));
    verdict.map_err(|refused| refused.reason)
}

#[track_caller]
fn refused(token: &Token, challenge: Option<&[u8]>, reason: &'static str) {
    assert_eq!(verdict(&root(), token, challenge), Err(reason));
}

#[track_caller]
fn accepted(token: &Token) {
    assert_eq!(verdict(&root(), token, None), Ok(()));
}
