//! ES256: ECDSA on P-256 with SHA-256, by which devices and passkeys sign.
//!
//! Keys and signatures have one encoding each: a key is 33 bytes, the compressed point of SEC 1; a
//! signature is r ‖ s, 64 bytes, with s at most half the order, since s and -s sign the same. Devices
//! give signatures in DER, half of them with the larger s: a holder converts them, and a verifier
//! takes nothing else.

use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};

use crate::ed25519::{NOT_A_POINT, NOT_CANONICAL};
use crate::error::{Error, Place};

/// Whether it is a compressed point.
pub(crate) fn check_key(bytes: &[u8]) -> Result<(), &'static str> {
    key(bytes).map(drop)
}

fn key(bytes: &[u8]) -> Result<VerifyingKey, &'static str> {
    // SEC 1 has other encodings, one of them as long.
    if !matches!(bytes, [2 | 3, ..]) {
        return Err(NOT_CANONICAL);
    }
    VerifyingKey::from_sec1_bytes(bytes).map_err(|_| NOT_A_POINT)
}

/// What precedes the point, 65 bytes, in the SPKI of a P-256 key (RFC 5480): SEQUENCE of the
/// identifiers `id-ecPublicKey` and `prime256v1`, and BIT STRING.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

pub(crate) const NOT_SPKI: &str = "not the SPKI of a key of P-256 with an uncompressed point";

/// The compressed point in an SPKI, if it is one of P-256 with an uncompressed point.
pub(crate) fn key_of_spki(spki: &[u8]) -> Result<[u8; 33], &'static str> {
    let point: Option<&[u8; 65]> = spki
        .strip_prefix(&SPKI)
        .and_then(|point| point.try_into().ok());
    let point = point.filter(|point| point[0] == 4);
    let point = point.ok_or(NOT_SPKI)?;
    let key = VerifyingKey::from_sec1_bytes(point).map_err(|_| NOT_A_POINT)?;
    let mut bytes = [0; 33];
    bytes.copy_from_slice(key.to_sec1_point(true).as_bytes());
    Ok(bytes)
}

/// The only encoding of a signature in DER, as most devices return it: r ‖ s, 64 bytes, with the
/// smaller s.
pub(crate) fn of_der(der: &[u8], place: Place) -> Result<[u8; 64], Error> {
    let signature = Signature::from_der(der).map_err(|_| Error::signature(place))?;
    Ok(signature.normalize_s().to_bytes().into())
}

/// The only encoding of a signature in 64 bytes: with the smaller s.
pub(crate) fn low_s(signature: &[u8; 64], place: Place) -> Result<[u8; 64], Error> {
    let signature = Signature::from_slice(signature);
    let signature = signature.map_err(|_| Error::scalar(place))?;
    Ok(signature.normalize_s().to_bytes().into())
}

/// Verifies a signature of a message. The key may stand elsewhere.
pub(crate) fn verify(
    (bytes, key_place): (&[u8], Place),
    message: &[u8],
    signature: &[u8],
    place: Place,
) -> Result<(), Error> {
    let key = key(bytes).map_err(|what| Error::Signature {
        place: key_place,
        what,
    })?;
    let signature: &[u8; 64] = signature.try_into().map_err(|_| Error::signature(place))?;
    if low_s(signature, place)? != *signature {
        let what = "s of the signature is above half the order of the group";
        return Err(Error::Signature { place, what });
    }
    Signature::from_slice(signature)
        .and_then(|signature| key.verify(message, &signature))
        .map_err(|_| Error::signature(place))
}
