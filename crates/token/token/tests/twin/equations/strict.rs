//! Strict verification of Ed25519 signatures, and third parties' statements with Ed25519 keys.

use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use klero_token::Place;

use crate::encoding::{Refusal, ensure};
use crate::equations::state::le64;

/// The message that a third party signs.
pub fn statement_message(scheme: u8, state: &[u8; 64], key: &[u8], payload: &[u8]) -> Vec<u8> {
    let tag = &b"klero-token/statement\x03"[..];
    [tag, &[scheme], state, key, &le64(payload), payload].concat()
}

/// A statement: key, signature and payload.
pub fn stated(scheme: u8, state: &[u8; 64], seed: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let key = SigningKey::from_bytes(seed);
    let public = key.verifying_key().to_bytes();
    let signature = key.sign(&statement_message(scheme, state, &public, payload));
    [&public[..], &signature.to_bytes(), payload].concat()
}

/// Verifies a signature strictly. A refusal states the place that is given for the key or for the signature.
pub fn strictly(
    (key, key_place): (&[u8], Place),
    message: &[u8],
    (signature, place): (&[u8], Place),
) -> Result<(), Refusal> {
    let bytes: [u8; 32] = key.try_into().unwrap();
    let point = CompressedEdwardsY(bytes).decompress();
    let canonical = point.is_some_and(|point| point.compress().to_bytes() == bytes);
    ensure(canonical, "key", Some(key_place))?;
    let Ok(key) = VerifyingKey::from_bytes(&bytes) else {
        return Err(("key", Some(key_place)));
    };
    ensure(!key.is_weak(), "key", Some(key_place))?;
    let (r, s) = signature.split_at(32);
    let reduced = scalar(s);
    ensure(reduced.as_bytes() == s, "scalar", Some(place))?;
    let signature = Signature::from_slice(&[r, reduced.as_bytes()].concat()).unwrap();
    // If the check of keys is left out, the key may have small order, which `verify_strict` would refuse.
    let held = match key.is_weak() {
        true => key.verify(message, &signature),
        false => key.verify_strict(message, &signature),
    };
    ensure(held.is_ok(), "signature", Some(place))
}

/// The scalar that 32 bytes encode, reduced modulo L.
pub fn scalar(bytes: &[u8]) -> Scalar {
    Scalar::from_bytes_mod_order(bytes.try_into().unwrap())
}
