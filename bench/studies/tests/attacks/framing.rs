//! Bytes that can be parsed in two ways under one signature or one hash.

use curve25519_dalek::ristretto::CompressedRistretto;
use klero_studies::challenge::{Block, KeyPair, Signature, Token, chain_hash, verify_blocks};

/// Hs(R ‖ message ‖ next) does not bind where the message ends.
#[test]
fn seed_challenge_moved_boundary() {
    let root = KeyPair::generate().unwrap();
    let signature = Signature::sign(&root, b"read", b"-only").unwrap();
    for (message, next) in [("", "read-only"), ("read-", "only"), ("read-only", "")] {
        assert!(signature.verify(&root.public(), message.as_bytes(), next.as_bytes()));
    }
}

/// A document of the attacker's, signed by the root for some other purpose, that ends in
/// the attacker's key: read as message ‖ next, it is a root block.
#[test]
fn seed_challenge_message_and_next_key() {
    let [root, mine] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let document = [b"everything", &mine.public().compress().as_bytes()[..]].concat();
    let signature = Signature::sign(&root, &document, b"").unwrap();

    let token = Token {
        blocks: vec![Block {
            key: root.public(),
            message: b"everything".to_vec(),
            signature,
        }],
        next: mine,
    };
    assert!(token.verify());
    assert!(token.answer(b"who are you?").unwrap().verify());
}

/// An answer signs challenge ‖ 64 bytes, a block signs message ‖ 32 bytes: the answer is
/// a block with the message challenge ‖ first half, as soon as the second half happens
/// to be a point. About one hash in sixteen is, and the attacker, who appended the last
/// block, can choose it. Nobody has the secret of that point, but the holder of
/// the token never signed such a block.
#[test]
fn seed_challenge_block_against_challenge() {
    let root = Token::new(&KeyPair::generate().unwrap(), b"read").unwrap();
    let (holder, chain, next) = (0..1000u32)
        .find_map(|n| {
            let token = root.append(&n.to_le_bytes()).unwrap();
            let chain = chain_hash(&token.blocks, &token.next.public());
            let next = CompressedRistretto::from_slice(&chain[32..]).unwrap();
            Some((token, chain, next.decompress()?))
        })
        .unwrap();

    let answer = holder.answer(b"everything").unwrap();
    let mut blocks = answer.blocks;
    blocks.push(Block {
        key: answer.next,
        message: [b"everything", &chain[..32]].concat(),
        signature: answer.response,
    });
    assert!(verify_blocks(&blocks, &next));
}

/// The hash of the chain concatenates the blocks: the first of two can be moved into the
/// message of the second, and an answer signs the same bytes.
#[test]
fn seed_challenge_two_chains_of_one_hash() {
    let root = KeyPair::generate().unwrap();
    let token = Token::new(&root, b"read").unwrap().append(b"less").unwrap();
    let [first, second] = &token.blocks[..] else {
        unreachable!()
    };

    let mut merged = second.clone();
    merged.message = [
        &first.message,
        &first.key.compress().as_bytes()[..],
        first.signature.s.as_bytes(),
        first.signature.e.as_bytes(),
        &second.message,
    ]
    .concat();
    let next = token.next.public();
    assert_eq!(
        chain_hash(&[merged], &next),
        chain_hash(&token.blocks, &next)
    );
}
