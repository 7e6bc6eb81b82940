//! An answer that was seen once can be used again.

use klero_studies::challenge::{ChallengeToken, KeyPair, Token};

/// `verify` does not know the verifier's challenge; it uses the one in the token.
#[test]
fn seed_challenge() {
    let root = KeyPair::generate().unwrap();
    let holder = Token::new(&root, b"read").unwrap();
    let monday = holder.answer(b"monday").unwrap().encode();

    // On Tuesday another verifier asks "tuesday?", and gets the same bytes.
    assert!(ChallengeToken::decode(&monday).unwrap().verify());
}
