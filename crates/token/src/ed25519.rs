//! Ed25519: valid public keys, signatures, and the errors of wrong ones.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero_ed25519::Invalid;
use klero_lanes::y_is_canonical;

use crate::error::{Error, Place};

pub(crate) const NOT_CANONICAL: &str = "the key is not canonical";
pub(crate) const NOT_A_POINT: &str = "the key is not a point of the group";
/// Anyone can sign for such a key.
pub(crate) const SMALL_ORDER: &str = "the key has small order";

pub(crate) fn check_key(bytes: &[u8; 32]) -> Result<(), &'static str> {
    if !y_is_canonical(bytes) {
        return Err(NOT_CANONICAL);
    }
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| NOT_A_POINT)?;
    // Both encodings with x = 0 have small order, so the sign needs no check of its own.
    if key.is_weak() {
        return Err(SMALL_ORDER);
    }
    Ok(())
}

pub(crate) fn sign(key: &SigningKey, message: &[u8]) -> [u8; Signature::BYTE_SIZE] {
    key.sign(message).to_bytes()
}

/// The error for a signature whose key stands at another place.
pub(crate) fn refused(invalid: Invalid, key: Place, signature: Place) -> Error {
    let of_key = |what| Error::Signature { place: key, what };
    match invalid {
        Invalid::KeyNotCanonical => of_key(NOT_CANONICAL),
        Invalid::KeyNotOnCurve => of_key(NOT_A_POINT),
        Invalid::KeySmallOrder => of_key(SMALL_ORDER),
        Invalid::ScalarNotCanonical => Error::scalar(signature),
        _ => Error::signature(signature),
    }
}
