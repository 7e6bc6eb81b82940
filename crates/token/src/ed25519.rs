//! Ed25519: valid public keys, signatures, and the errors of wrong ones.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero_ed25519::Invalid;
use klero_lanes::y_is_canonical;

use crate::error::{Error, KeyFault, Place};

pub(crate) fn check_key(bytes: &[u8; 32]) -> Result<(), KeyFault> {
    if !y_is_canonical(bytes) {
        return Err(KeyFault::NotCanonical);
    }
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyFault::NotAPoint)?;
    // Both encodings with x = 0 have small order, so the sign needs no check of its own.
    if key.is_weak() {
        return Err(KeyFault::SmallOrder);
    }
    Ok(())
}

pub(crate) fn sign(key: &SigningKey, message: &[u8]) -> [u8; Signature::BYTE_SIZE] {
    key.sign(message).to_bytes()
}

/// The error for a signature whose key stands at another place.
pub(crate) fn refused(invalid: Invalid, key: Place, signature: Place) -> Error {
    let of_key = |fault| Error::Key { place: key, fault };
    match invalid {
        Invalid::KeyNotCanonical => of_key(KeyFault::NotCanonical),
        Invalid::KeyNotOnCurve => of_key(KeyFault::NotAPoint),
        Invalid::KeySmallOrder => of_key(KeyFault::SmallOrder),
        Invalid::ScalarNotCanonical => Error::SignatureScalar { place: signature },
        _ => Error::Signature { place: signature },
    }
}
