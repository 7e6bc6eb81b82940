//! A slow twin of the library. It verifies each signature separately, with the crates ed25519-dalek and
//! blake2.

use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use ed25519_dalek::{Signature, VerifyingKey};

/// A claim that owns its parts.
#[derive(Clone, Debug)]
pub struct Case {
    pub key: [u8; 32],
    pub evolution: u64,
    pub message: Vec<u8>,
    pub signature: [u8; 448],
}

/// Verifies a signature as `verifyKES` of Sum6 does.
pub fn verify(case: &Case) -> bool {
    let (mut key, mut evolution) = (case.key, case.evolution);
    let (leaf, mut pairs) = case.signature.split_at(64);
    let mut half_of_all = 32;
    while half_of_all > 0 {
        let (below, pair) = pairs.split_at(pairs.len() - 64);
        if blake2b_256(pair) != key {
            return false;
        }
        let (left, right) = pair.split_at(32);
        if evolution < half_of_all {
            key = left.try_into().unwrap();
        } else {
            key = right.try_into().unwrap();
            evolution -= half_of_all;
        }
        pairs = below;
        half_of_all /= 2;
    }
    // The key has the evolutions 0 to 63. For a larger one, `evolution` is not 0 here.
    evolution == 0 && ed25519(&key, &case.message, leaf)
}

pub fn blake2b_256(bytes: &[u8]) -> [u8; 32] {
    Blake2b::<U32>::digest(bytes).into()
}

/// Verifies by libsodium's rule: `verify_strict`, and the key must be canonical.
fn ed25519(key: &[u8; 32], message: &[u8], signature: &[u8]) -> bool {
    let mut y = *key;
    y[31] &= 0x7f;
    let not_canonical = y[31] == 0x7f && y[1..31] == [0xff; 30] && y[0] >= 0xed;
    let signature = Signature::from_slice(signature).unwrap();
    !not_canonical
        && VerifyingKey::from_bytes(key)
            .is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}
