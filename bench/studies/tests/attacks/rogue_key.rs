//! A key chosen to cancel the root's.

use blst::min_pk::AggregatePublicKey;
use klero_studies::pairing::{Block, KeyPair, Token};

/// P_1 = x·g - P_0 with the message of the root: e(P_0, H)·e(P_1, H) = e(g, x·H), so
/// S = x·H(m).
#[test]
fn seed_pairing() {
    let root = KeyPair::generate().unwrap().public();
    let mine = KeyPair::from_seed(&[1; 32]);
    let mut rogue = AggregatePublicKey::from_public_key(&mine.public());
    rogue.sub_aggregate(&AggregatePublicKey::from_public_key(&root));

    let blocks = [root, rogue.to_public_key()].map(|key| Block {
        key,
        message: b"everything".to_vec(),
    });
    let token = Token {
        blocks: blocks.into(),
        signature: mine.sign(b"everything"),
    };
    assert!(token.verify(&root));
    assert!(Token::decode(&token.encode()).unwrap().verify(&root));
}
