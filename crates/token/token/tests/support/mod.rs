//! Keys, tokens and a challenge that tests have in common.

// Each test uses only a part of this module.
#![allow(dead_code, unused_macros, unused_imports)]

pub mod errors;

use klero_token::{
    Challenge, Error, KeyKind, Limits, RootKeys, Scheme, SecretKey, Statement, Token, Verified,
};

pub use errors::wrong;

pub const CHALLENGE: Challenge<'_> = Challenge {
    nonce: &[7; 16],
    audience: "shop",
    time: 1_800_000_000,
};

/// The largest limits, which no token exceeds.
pub const NO_LIMITS: Limits = Limits {
    signatures: u32::MAX,
    caveats: u32::MAX,
    bytes: usize::MAX,
};

pub const ROOT_SEED: [u8; 32] = [1; 32];

pub fn root(scheme: Scheme) -> SecretKey {
    SecretKey::from_seed(scheme, &ROOT_SEED)
}

/// The root key, under the number 0.
pub fn roots(scheme: Scheme) -> RootKeys {
    (*root(scheme).public_key()).into()
}

/// The root keys 0, 1 and 2. Every byte of a key's seed is the number of the key.
pub fn three_roots(scheme: Scheme) -> RootKeys {
    let key = |id: u8| *SecretKey::from_seed(scheme, &[id; 32]).public_key();
    (0..3).map(|id| (id.into(), key(id))).collect()
}

/// A token of the root key, without caveats.
pub fn minted(scheme: Scheme) -> Token {
    Token::mint(&root(scheme), 0, b"all", &[]).unwrap()
}

pub fn decode(bytes: &[u8]) -> Result<Token, Error> {
    Token::decode(bytes, &Limits::default())
}

/// The token after it was encoded and decoded.
pub fn again(token: &Token) -> Token {
    decode(&token.encode().unwrap()).unwrap()
}

/// The token, verified with the root key.
pub fn verified(token: &Token) -> Verified {
    let roots = roots(token.scheme());
    token.clone().verify(&roots, None).unwrap()
}

/// A third party's statement for a token.
pub fn statement(token: &Token, seed: &[u8; 32], text: &[u8]) -> Statement {
    let third_party = SecretKey::from_bytes(KeyKind::Ed25519, seed).unwrap();
    token.request().unwrap().sign(&third_party, text).unwrap()
}

/// Makes two tests from each of these functions, one for each scheme.
macro_rules! on_all {
    ($($test:ident),*) => {$(
        mod $test {
            #[test]
            fn chain() {
                super::$test::<crate::equations::Chain>();
            }

            #[test]
            fn aggregate() {
                super::$test::<crate::equations::Aggregate>();
            }
        }
    )*};
}
pub(crate) use on_all;
