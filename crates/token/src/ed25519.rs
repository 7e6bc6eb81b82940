//! Ed25519 keys: of the scheme [`Chain`](crate::Chain), and of third parties. As the only keys of
//! this crate they have a standard file format.

use alloc::string::String;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use klero_ed25519::Invalid;
use klero_lanes::y_is_canonical;
use zeroize::Zeroizing;

use crate::error::{Error, KeyFault, Place};
use crate::key::{Keys, PublicKey, SecretKey};
use crate::stack::wiped;

/// The keys of third parties, who make [statements](crate::Statement): Ed25519, in tokens of
/// every scheme. A key belongs to one use, and its type says to which.
///
/// ```
/// use klero_token::{SecretKey, ThirdParty};
/// let key = SecretKey::<ThirdParty>::from_seed(&[7; 32]);
/// assert!(key.public_key().to_string().starts_with("ed25519:"));
/// assert_eq!(SecretKey::from_pem(&key.to_pem()?)?, key);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThirdParty;

/// The keys of a type, all of which are Ed25519.
macro_rules! ed25519_keys {
    ($keys:ty, $name:literal) => {
        impl $crate::key::Sealed for $keys {}

        impl $crate::key::Keys for $keys {
            const NAME: &'static str = $name;
            const SECRET_NAME: &'static str = concat!($name, "-secret");
            const KEY_LENGTH: usize = 32;

            type KeyBytes = [u8; 32];
            type Expanded = ed25519_dalek::SigningKey;

            fn expand(seed: &[u8; 32]) -> Self::Expanded {
                Self::Expanded::from_bytes(seed)
            }

            fn public(secret: &Self::Expanded) -> [u8; 32] {
                secret.verifying_key().to_bytes()
            }

            fn check_key(bytes: &[u8; 32]) -> Result<(), $crate::error::KeyFault> {
                $crate::ed25519::check_key(bytes)
            }
        }
    };
}

pub(crate) use ed25519_keys;

ed25519_keys!(ThirdParty, "ed25519");

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

impl<S: Keys<Expanded = SigningKey>> SecretKey<S> {
    /// Reads a PEM file with an Ed25519 secret key: PKCS#8 (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::KeyText`] if it is none.
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        wiped(|| {
            let key = SigningKey::from_pkcs8_pem(pem).map_err(|_| Error::KeyText("PEM, PKCS#8"))?;
            Ok(Self::from_seed(key.as_bytes()))
        })
    }

    /// The key as a PEM file: PKCS#8 (RFC 8410). Secret.
    ///
    /// # Errors
    /// [`Error::TooLarge`], which is never returned.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, Error> {
        let pem = self.expanded().to_pkcs8_pem(LineEnding::LF);
        pem.map_err(|_| Error::TooLarge)
    }
}

impl<S: Keys<KeyBytes = [u8; 32], Expanded = SigningKey>> PublicKey<S> {
    /// Reads a PEM file with an Ed25519 public key: SPKI (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::KeyText`] if it is none, and those of [`from_bytes`](Self::from_bytes).
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        let key = VerifyingKey::from_public_key_pem(pem);
        let key = key.map_err(|_| Error::KeyText("PEM, SPKI"))?;
        Self::from_bytes(key.as_bytes())
    }

    /// The key as a PEM file: SPKI (RFC 8410).
    ///
    /// # Errors
    /// [`Error::TooLarge`], which is never returned.
    pub fn to_pem(&self) -> Result<String, Error> {
        let key = VerifyingKey::from_bytes(self.bytes()).map_err(|_| Error::TooLarge)?;
        key.to_public_key_pem(LineEnding::LF)
            .map_err(|_| Error::TooLarge)
    }
}
