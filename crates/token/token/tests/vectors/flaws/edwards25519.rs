//! Signatures, keys and scalars of Ed25519 that no honest signer makes.

use curve25519_dalek::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};

/// A signature with R = r·G + `small`, where `small` is a point of small order. It satisfies the equation
/// with the cofactor. It satisfies the equation without the cofactor only if `small` is the identity.
pub fn signed_with(seed: &[u8; 32], message: &[u8], r: Scalar, small: EdwardsPoint) -> Vec<u8> {
    let expanded: [u8; 64] = Sha512::digest(seed).into();
    let mut secret: [u8; 32] = expanded[..32].try_into().unwrap();
    (secret[0], secret[31]) = (secret[0] & 0xf8, secret[31] & 0x3f | 0x40);
    let secret = Scalar::from_bytes_mod_order(secret);
    let public = EdwardsPoint::mul_base(&secret);
    let commitment = EdwardsPoint::mul_base(&r) + small;
    let encoded = commitment.compress().to_bytes();
    let hashed = [&encoded, public.compress().as_bytes(), message].concat();
    let k = Scalar::from_bytes_mod_order_wide(&Sha512::digest(hashed).into());
    let s = r + k * secret;
    let rest = EdwardsPoint::mul_base(&s) - k * public - commitment;
    assert!(rest.is_small_order());
    [encoded, s.to_bytes()].concat()
}

/// A signature that is valid for any message if the key is the identity. Making it needs no secret.
pub fn signed_by_nobody() -> Vec<u8> {
    let s = Scalar::from(5u8);
    [
        EdwardsPoint::mul_base(&s).compress().to_bytes(),
        s.to_bytes(),
    ]
    .concat()
}

/// The identity, and its other encoding with y = p + 1.
pub fn identities() -> [[u8; 32]; 2] {
    let (mut one, mut beyond) = ([0; 32], [0xff; 32]);
    one[0] = 1;
    (beyond[0], beyond[31]) = (0xee, 0x7f);
    [one, beyond]
}

/// Replaces s by s + L.
pub fn add_order(s: &mut [u8]) {
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let mut carry = 0;
    for (byte, more) in s.iter_mut().zip(hex::decode(order).unwrap()) {
        carry += u16::from(*byte) + u16::from(more);
        *byte = carry as u8;
        carry >>= 8;
    }
}
