//! Keys and points: encodings of BLS12-381, in its groups or not.

use blst::min_pk::{AggregateSignature, SecretKey, Signature};

/// The secret key of a seed.
pub fn secret_key(seed: &[u8; 32]) -> SecretKey {
    SecretKey::key_gen(seed, b"klero-token/seed\x02").expect("32 bytes are enough")
}

/// The encoding of the public key of a seed.
pub fn public_key(seed: &[u8; 32]) -> [u8; 48] {
    secret_key(seed).sk_to_pk().compress()
}

/// a + b, of encodings of points that need not be in the group.
///
/// # Panics
/// If one is of no point of the curve.
pub fn add(a: &[u8; 96], b: &[u8; 96]) -> [u8; 96] {
    let [a, b] = [a, b].map(|bytes| Signature::uncompress(bytes).expect("a point"));
    let sum = AggregateSignature::aggregate(&[&a, &b], false).expect("points");
    sum.to_signature().compress()
}

/// The encoding of -P: the other y, which is one bit.
pub fn negated<const N: usize>(mut point: [u8; N]) -> [u8; N] {
    point[0] ^= 0x20;
    point
}

/// The encoding of the point at infinity.
pub fn infinity<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    bytes[0] = 0xc0;
    bytes
}
