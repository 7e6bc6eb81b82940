//! Keys outside the prime-order subgroup.
//!
//! For a point T of the curve whose order divides the cofactor, e(T, ·) = 1: it can be a
//! key, or be added to one, and only the bytes change.

use blst::min_pk::{AggregatePublicKey, PublicKey};
use klero_studies::pairing::{Block, KeyPair, Token};

/// The order of the subgroup, big-endian.
pub const R: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05,
    0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
];

/// r·Q for the first point Q of the curve that is not in the subgroup.
pub fn torsion() -> PublicKey {
    let point = (1..=u8::MAX)
        .find_map(|x| {
            let mut bytes = [0; 48];
            (bytes[0], bytes[47]) = (0x80, x);
            PublicKey::uncompress(&bytes).ok()
        })
        .unwrap();
    let point = AggregatePublicKey::from_public_key(&point);
    let mut product = AggregatePublicKey::from_public_key(&PublicKey::default());
    for bit in (0..256).map(|bit| R[bit / 8] >> (7 - bit % 8) & 1) {
        let copy = product;
        product.add_aggregate(&copy);
        if bit == 1 {
            product.add_aggregate(&point);
        }
    }
    product.to_public_key()
}

/// T as a key: a block that nobody signed, although its key is not the point at infinity.
#[test]
fn seed_pairing_phantom() {
    let root = KeyPair::generate().unwrap();
    assert_ne!(torsion(), PublicKey::default());
    let mut token = Token::new(&root, b"read");
    token.blocks.push(Block {
        key: torsion(),
        message: b"added by nobody".to_vec(),
    });
    let token = Token::decode(&token.encode()).unwrap();
    assert!(token.verify(&root.public()));
}

/// P + T instead of P: another key, which no list of keys contains, with the same signature.
#[test]
fn seed_pairing_another_key() {
    let [root, other] = [KeyPair::generate(), KeyPair::generate()].map(Result::unwrap);
    let mut token = Token::new(&root, b"read").append(&other, b"less");
    let mut sum = AggregatePublicKey::from_public_key(&other.public());
    sum.add_public_key(&torsion(), false).unwrap();
    token.blocks[1].key = sum.to_public_key();

    let token = Token::decode(&token.encode()).unwrap();
    assert_ne!(token.blocks[1].key, other.public());
    assert!(token.verify(&root.public()));
}
