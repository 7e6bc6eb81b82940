//! Keys and signatures of Ed25519 and of ES256 (ECDSA on P-256 with SHA-256), and their errors.
//!
//! Each ES256 key and each ES256 signature has only one accepted encoding. A key is the compressed point of
//! SEC 1, 33 bytes. A signature is r ‖ s, 64 bytes. ECDSA accepts -s wherever it accepts s, so s must be at
//! most half the order. Devices return signatures in DER, and half of these have the larger s. They are
//! converted before they become part of a token or a statement, and a verifier accepts no other form.

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use klero_ed25519::Invalid;
use klero_lanes::y_is_canonical;
use p256::ecdsa::Signature as Ecdsa;
use p256::ecdsa::signature::Verifier;

use crate::error::{Error, Place};

/// Reads a signature of 64 bytes.
pub(crate) fn read_signature(signature: &[u8], place: Place) -> Result<&[u8; 64], Error> {
    let signature = signature.try_into();
    signature.map_err(|_| Error::signature(place))
}

// Reasons to refuse a key. They apply to keys of every kind.
pub(crate) const NOT_CANONICAL: &str = "the key is not canonical";
pub(crate) const NOT_A_POINT: &str = "the key is not a point of the group";
/// The fault of a public key for which anyone can make a signature.
pub(crate) const SMALL_ORDER: &str = "the key has small order";

pub(crate) fn check_ed25519_key(bytes: &[u8; 32]) -> Result<(), &'static str> {
    if !y_is_canonical(bytes) {
        return Err(NOT_CANONICAL);
    }
    let key = VerifyingKey::from_bytes(bytes).map_err(|_| NOT_A_POINT)?;
    // A key with x = 0 and the sign bit set is not canonical either. It is refused here, because all points
    // with x = 0 have small order.
    if key.is_weak() {
        return Err(SMALL_ORDER);
    }
    Ok(())
}

pub(crate) fn sign(key: &SigningKey, message: &[u8]) -> [u8; 64] {
    key.sign(message).to_bytes()
}

/// The error for an invalid signature or an invalid key. `key` and `signature` are their places in the token.
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

/// The ES256 key with this compressed point.
pub(crate) fn es256_key(bytes: &[u8]) -> Result<p256::ecdsa::VerifyingKey, &'static str> {
    // The length alone does not exclude the other encodings of SEC 1: the compact form has 33 bytes too.
    if !matches!(bytes, [2 | 3, ..]) {
        return Err(NOT_CANONICAL);
    }
    p256::ecdsa::VerifyingKey::from_sec1_bytes(bytes).map_err(|_| NOT_A_POINT)
}

/// The bytes before the 65-byte point in the SPKI of a P-256 key (RFC 5480): a SEQUENCE of the identifiers
/// `id-ecPublicKey` and `prime256v1`, and the beginning of a BIT STRING.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

pub(crate) const NOT_SPKI: &str = "not the SPKI of a key of P-256 with an uncompressed point";

/// The compressed point of the key in an SPKI. The SPKI must hold a P-256 key as an uncompressed point.
pub(crate) fn key_of_spki(spki: &[u8]) -> Result<[u8; 33], &'static str> {
    let point: Option<&[u8; 65]> = spki
        .strip_prefix(&SPKI)
        .and_then(|point| point.try_into().ok());
    let point = point.filter(|point| point[0] == 4);
    let point = point.ok_or(NOT_SPKI)?;
    let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point).map_err(|_| NOT_A_POINT)?;
    let mut bytes = [0; 33];
    bytes.copy_from_slice(key.to_sec1_point(true).as_bytes());
    Ok(bytes)
}

/// Converts a signature in DER, as most devices return it, to the 64 bytes r ‖ s with the smaller s.
pub(crate) fn of_der(der: &[u8], place: Place) -> Result<[u8; 64], Error> {
    let signature = Ecdsa::from_der(der).map_err(|_| Error::signature(place))?;
    Ok(signature.normalize_s().to_bytes().into())
}

/// Returns the signature r ‖ s if s is the smaller of s and -s, and otherwise r ‖ -s.
pub(crate) fn low_s(signature: &[u8; 64], place: Place) -> Result<[u8; 64], Error> {
    let signature = Ecdsa::from_slice(signature);
    let signature = signature.map_err(|_| Error::scalar(place))?;
    Ok(signature.normalize_s().to_bytes().into())
}

/// Verifies an ES256 signature of a message. `key_place` and `place` are the places of the key and of the
/// signature in the token.
pub(crate) fn verify_es256(
    (bytes, key_place): (&[u8], Place),
    message: &[u8],
    signature: &[u8],
    place: Place,
) -> Result<(), Error> {
    let key = es256_key(bytes).map_err(|what| Error::Signature {
        place: key_place,
        what,
    })?;
    let signature = read_signature(signature, place)?;
    if low_s(signature, place)? != *signature {
        let what = "s of the signature is above half the order of the group";
        return Err(Error::Signature { place, what });
    }
    Ecdsa::from_slice(signature)
        .and_then(|signature| key.verify(message, &signature))
        .map_err(|_| Error::signature(place))
}
