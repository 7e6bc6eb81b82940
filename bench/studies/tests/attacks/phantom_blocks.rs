//! Blocks that nobody signed, in a token that stays valid.

use blst::min_pk::PublicKey;
use klero_studies::pairing::{Block, KeyPair, Token};

/// -P: the same x, the other y, which is one bit of the compressed form.
fn negated(key: &PublicKey) -> PublicKey {
    let mut bytes = key.compress();
    bytes[0] ^= 0x20;
    PublicKey::uncompress(&bytes).unwrap()
}

fn block(key: PublicKey, message: &[u8]) -> Block {
    Block {
        key,
        message: message.to_vec(),
    }
}

/// e(0, H(m)) = 1 for any m.
#[test]
fn seed_pairing_infinity() {
    let root = KeyPair::generate().unwrap();
    let mut token = Token::new(&root, b"read");
    token
        .blocks
        .push(block(PublicKey::default(), b"added by nobody"));
    assert!(token.verify(&root.public()));
    assert!(
        Token::decode(&token.encode())
            .unwrap()
            .verify(&root.public())
    );
}

/// e(P, H(m))·e(-P, H(m)) = 1, with anybody's key.
#[test]
fn seed_pairing_opposite_keys() {
    let root = KeyPair::generate().unwrap();
    let victim = KeyPair::generate().unwrap().public();
    let mut token = Token::new(&root, b"read");
    for key in [victim, negated(&victim)] {
        token.blocks.push(block(key, b"the victim was here"));
    }
    assert!(token.verify(&root.public()));
}

/// The same with the root's own key and S = 0: a token out of nothing.
#[test]
fn seed_pairing_from_the_root_key_alone() {
    let root = KeyPair::generate().unwrap().public();
    let blocks = [root, negated(&root)].map(|key| block(key, b"everything"));
    let token = Token {
        blocks: blocks.into(),
        signature: blst::blst_p2_affine::default().into(),
    };
    assert!(token.verify(&root));
    assert!(Token::decode(&token.encode()).unwrap().verify(&root));
}
