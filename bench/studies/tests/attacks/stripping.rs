//! A block is taken off a token, and what it forbade is allowed again.
//!
//! A signature x·H(m) is the same whatever it is added to. Whoever has two sums that
//! differ by it, for the attenuator used one key and one message twice, has it, and can
//! subtract it from any third.

use blst::min_pk::{AggregateSignature, Signature};
use klero_studies::pairing::{KeyPair, Token};

/// a - b; -b is b with the other y, which is one bit of the compressed form.
fn difference(a: &Signature, b: &Signature) -> Signature {
    let mut bytes = b.compress();
    bytes[0] ^= 0x20;
    let b = Signature::uncompress(&bytes).unwrap();
    AggregateSignature::aggregate(&[a, &b], false)
        .unwrap()
        .to_signature()
}

fn strip(token: &Token, signature: &Signature) -> Token {
    let mut blocks = token.blocks.clone();
    blocks.pop();
    Token {
        blocks,
        signature: difference(&token.signature, signature),
    }
}

/// S_0 + x·H twice more than S_0 + x·H: their difference taken from the latter is S_0.
#[test]
fn seed_pairing_appended_twice() {
    let [root, attenuator] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let once = Token::new(&root, b"everything").append(&attenuator, b"read only");
    let twice = once.append(&attenuator, b"read only");

    let signature = difference(&twice.signature, &once.signature);
    assert!(strip(&once, &signature).verify(&root.public()));
}

/// Mine is attenuated before my eyes; yours I only see attenuated.
#[test]
fn seed_pairing_from_another_token() {
    let [root, attenuator] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let mine = Token::new(&root, b"my files");
    let mine_after = mine.append(&attenuator, b"read only");
    let yours_after = Token::new(&root, b"your files").append(&attenuator, b"read only");

    let signature = difference(&mine_after.signature, &mine.signature);
    let yours = strip(&yours_after, &signature);
    assert_eq!(yours.blocks[0].message, b"your files");
    assert!(yours.verify(&root.public()));
}
