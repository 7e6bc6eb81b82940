//! Keys as PEM files. Ed25519 keys alone have a standard format.

use alloc::string::String;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use ed25519_dalek::{SigningKey, VerifyingKey};
use klero_lanes::wiped;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::key::{PublicKey, SecretKey};
use crate::parties::Keys;

impl<K: Keys> SecretKey<K> {
    /// Reads a PEM file with an Ed25519 secret key: PKCS#8 (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::KeyText`] if it is none; always for [`Scheme::Aggregate`](crate::Scheme::Aggregate),
    /// whose keys are not Ed25519.
    pub fn from_pem(of: K, pem: &str) -> Result<Self, Error> {
        let not_a_key = || Error::KeyText("PEM, PKCS#8");
        if !of.is_ed25519() {
            return Err(not_a_key());
        }
        wiped(|| {
            let key = SigningKey::from_pkcs8_pem(pem).map_err(|_| not_a_key())?;
            Ok(Self::from_seed(of, key.as_bytes()))
        })
    }

    /// The key as a PEM file: PKCS#8 (RFC 8410). Secret. `None` if it is not an Ed25519 key, of a
    /// third party or [`Scheme::Chain`](crate::Scheme::Chain).
    pub fn to_pem(&self) -> Option<Zeroizing<String>> {
        let key = K::ed25519(self.expanded())?;
        // The file of a seed can always be written.
        key.to_pkcs8_pem(LineEnding::LF).ok()
    }
}

impl<K: Keys> PublicKey<K> {
    /// Reads a PEM file with an Ed25519 public key: SPKI (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::KeyText`] if it is none, always for
    /// [`Scheme::Aggregate`](crate::Scheme::Aggregate); and those of
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_pem(of: K, pem: &str) -> Result<Self, Error> {
        let key = VerifyingKey::from_public_key_pem(pem).ok();
        let key = key.filter(|_| of.is_ed25519());
        let key = key.ok_or(Error::KeyText("PEM, SPKI"))?;
        Self::from_bytes(of, key.as_bytes())
    }

    /// The key as a PEM file: SPKI (RFC 8410). `None` if it is not an Ed25519 key, of a third party
    /// or [`Scheme::Chain`](crate::Scheme::Chain).
    pub fn to_pem(&self) -> Option<String> {
        let key = VerifyingKey::from_bytes(self.as_bytes()).ok();
        let key = key.filter(|_| self.of().is_ed25519())?;
        // The file of a key can always be written.
        key.to_public_key_pem(LineEnding::LF).ok()
    }
}
