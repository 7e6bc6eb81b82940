//! An answer that was seen once is good for ever.

use klero_token::hazmat::seed::challenge::{ChallengeToken, KeyPair, Token};

/// `verify` is not told which challenge was set; it takes the one in the token.
#[test]
fn seed_challenge() {
    let root = KeyPair::generate().unwrap();
    let holder = Token::new(&root, b"read").unwrap();
    let monday = holder.answer(b"monday").unwrap().encode();

    // On Tuesday another verifier asks "tuesday?", and gets the same bytes.
    assert!(ChallengeToken::decode(&monday).unwrap().verify());
}
