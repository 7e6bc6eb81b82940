//! Keys of issuers, holders and third parties. Each key contains its kind. The kind determines the purpose of
//! the key and how the key signs, so no key is used for another purpose.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use base64ct::{Base64UrlUnpadded, Encoding};
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use ed25519_dalek::{SigningKey, VerifyingKey};
use klero_lanes::wiped;
use subtle::ConstantTimeEq;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::error::Error;
use crate::scheme::{KeyKind, Scheme};
use crate::{algorithms, hedge, ristretto};

/// A secret key: a seed of 32 secret, uniformly random bytes. `Debug` does not show the seed, and the key is
/// wiped when dropped. P-256 keys stay in devices, so there are no secret keys of the P-256 kinds.
///
/// ```
/// use klero_token::{Scheme, SecretKey};
/// let key = SecretKey::generate(Scheme::Aggregate)?;
/// assert_eq!(SecretKey::from_bytes(Scheme::Aggregate, key.as_bytes())?, key);
/// assert_eq!(key.to_text().parse::<SecretKey>()?, key);
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, PublicKey(aggregate, "));
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct SecretKey {
    // On the heap, so that moving the key leaves no copy behind.
    secrets: Box<(Zeroizing<[u8; 32]>, Expanded)>,
    public: PublicKey,
}

/// The part of a key that signs. It is derived from the seed, and wiped when dropped.
#[allow(clippy::large_enum_variant)] // It is in a box.
#[derive(Clone)]
pub(crate) enum Expanded {
    Ed25519(SigningKey),
    Ristretto(Zeroizing<Scalar>),
}

impl SecretKey {
    /// The issuer's key with this seed. Constant time.
    #[must_use]
    pub fn from_seed(scheme: Scheme, seed: &[u8; 32]) -> Self {
        Self::expand(scheme.into(), seed)
    }

    /// The key with this seed, which must be 32 bytes. Constant time.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length; [`Error::WrongKey`] for a P-256 kind.
    pub fn from_bytes(kind: impl Into<KeyKind>, bytes: &[u8]) -> Result<Self, Error> {
        let kind = kind.into();
        if kind.is_of_p256() {
            return Err(Error::WrongKey(kind, "chain, aggregate or ed25519"));
        }
        let seed = bytes.try_into().map_err(|_| wrong_length(bytes, 32))?;
        Ok(Self::expand(kind, seed))
    }

    /// A new key from the random source of the operating system.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails; [`Error::WrongKey`] for a P-256 kind.
    pub fn generate(kind: impl Into<KeyKind>) -> Result<Self, Error> {
        // Returning a value leaves copies of it on the stack, which `wiped` overwrites.
        wiped(|| Self::from_bytes(kind, &*hedge::random()?))
    }

    /// The key with this seed and this kind, which must not be a P-256 kind.
    fn expand(kind: KeyKind, seed: &[u8; 32]) -> Self {
        let (secrets, public) = wiped(|| {
            let expanded = match kind {
                KeyKind::Aggregate => Expanded::Ristretto(ristretto::secret(seed)),
                _ => Expanded::Ed25519(SigningKey::from_bytes(seed)),
            };
            let secrets = Box::new((Zeroizing::new(*seed), expanded));
            let public = match &secrets.1 {
                Expanded::Ed25519(key) => key.verifying_key().to_bytes(),
                Expanded::Ristretto(x) => ristretto::multiple(x),
            };
            (secrets, public)
        });
        Self {
            secrets,
            public: PublicKey::of(kind, &public),
        }
    }

    /// Reads a PEM file with an Ed25519 secret key: PKCS#8 (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::Malformed`] if there is no such key, and always for kinds whose keys are not Ed25519.
    pub fn from_pem(kind: impl Into<KeyKind>, pem: &str) -> Result<Self, Error> {
        let (kind, not_a_key) = (kind.into(), || no_text("PEM, PKCS#8"));
        if !kind.has_pem() {
            return Err(not_a_key());
        }
        wiped(|| {
            let key = SigningKey::from_pkcs8_pem(pem).map_err(|_| not_a_key())?;
            Ok(Self::expand(kind, key.as_bytes()))
        })
    }

    /// The kind of the key.
    pub fn kind(&self) -> KeyKind {
        self.public.kind
    }

    /// The secret seed, 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.secrets.0
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The name of the kind, `-secret:`, and the secret seed in base64url. [`FromStr`] parses this text.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(text(self.kind(), SECRET, self.as_bytes()))
    }

    /// The secret key as a PEM file: PKCS#8 (RFC 8410). `None` if it is not an Ed25519 key.
    pub fn to_pem(&self) -> Option<Zeroizing<String>> {
        match &self.secrets.1 {
            // Writing a seed as PEM never fails, so this is never `None`.
            Expanded::Ed25519(key) => key.to_pkcs8_pem(LineEnding::LF).ok(),
            Expanded::Ristretto(_) => None,
        }
    }

    pub(crate) fn expanded(&self) -> &Expanded {
        &self.secrets.1
    }
}

/// Parses the text that [`to_text`](SecretKey::to_text) returns.
impl FromStr for SecretKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        const NAMES: &str = "chain-secret, aggregate-secret or ed25519-secret";
        let (name, encoded) = text.split_once(':').ok_or_else(|| no_text(NAMES))?;
        let kind = name.strip_suffix(SECRET).and_then(KeyKind::named);
        let (kind, expected) = match kind {
            Some(kind @ KeyKind::Chain) => (kind, "chain-secret"),
            Some(kind @ KeyKind::Aggregate) => (kind, "aggregate-secret"),
            Some(kind @ KeyKind::Ed25519) => (kind, "ed25519-secret"),
            _ => return Err(no_text(NAMES)),
        };
        let mut seed = Zeroizing::new([0; 32]);
        match Base64UrlUnpadded::decode(encoded, &mut *seed) {
            Ok(decoded) if decoded.len() == 32 => Ok(Self::expand(kind, &seed)),
            _ => Err(no_text(expected)),
        }
    }
}

impl Clone for SecretKey {
    fn clone(&self) -> Self {
        Self {
            secrets: wiped(|| self.secrets.clone()),
            public: self.public,
        }
    }
}

/// Compares the seeds in constant time.
impl PartialEq for SecretKey {
    fn eq(&self, other: &Self) -> bool {
        let same_seed: bool = self.as_bytes().ct_eq(other.as_bytes()).into();
        same_seed && self.kind() == other.kind()
    }
}

impl Eq for SecretKey {}

impl ZeroizeOnDrop for SecretKey {}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?})", self.public)
    }
}

/// A public key that verifiers accept: the canonical encoding of a point in the group of the key's kind. The
/// point does not have small order. The encoding has 32 bytes, or 33 for P-256.
///
/// ```
/// use klero_token::{KeyKind, PublicKey, Scheme, SecretKey};
/// let key = *SecretKey::from_seed(Scheme::Chain, &[7; 32]).public_key();
/// assert_eq!(PublicKey::from_bytes(Scheme::Chain, key.as_bytes())?, key);
/// assert_eq!(key.to_string(), "chain:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw");
/// assert_eq!(key.to_string().parse::<PublicKey>()?, key);
///
/// // For another purpose, the same bytes are a different key.
/// assert_ne!(PublicKey::from_bytes(KeyKind::Ed25519, key.as_bytes())?, key);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey {
    kind: KeyKind,
    /// The encoding of the key. An encoding of 32 bytes is followed by a zero byte.
    bytes: [u8; 33],
}

impl PublicKey {
    /// The key with this encoding.
    ///
    /// # Errors
    /// [`Error::Malformed`] if no verifier would accept the key.
    pub fn from_bytes(kind: impl Into<KeyKind>, bytes: &[u8]) -> Result<Self, Error> {
        let kind = kind.into();
        if bytes.len() != kind.key_length() {
            return Err(wrong_length(bytes, kind.key_length()));
        }
        let key = Self::of(kind, bytes);
        match kind {
            KeyKind::Chain | KeyKind::Ed25519 => algorithms::check_ed25519_key(key.point()),
            KeyKind::Aggregate => ristretto::check_key(key.point()),
            KeyKind::Es256 | KeyKind::Passkey => algorithms::es256_key(bytes).map(drop),
        }
        .map_err(alone)?;
        Ok(key)
    }

    /// The ES256 key or passkey in an SPKI in DER (RFC 5480). In a browser, `getPublicKey()` returns such an
    /// SPKI for a new passkey.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `spki` contains no uncompressed P-256 key, and always if `kind` is not a P-256
    /// kind. For Ed25519 keys, use [`from_pem`](Self::from_pem).
    pub fn from_spki(kind: KeyKind, spki: &[u8]) -> Result<Self, Error> {
        if !kind.is_of_p256() {
            return Err(alone(algorithms::NOT_SPKI));
        }
        let bytes = algorithms::key_of_spki(spki).map_err(alone)?;
        Ok(Self { kind, bytes })
    }

    /// Reads a PEM file with an Ed25519 public key: SPKI (RFC 8410), as OpenSSL writes it.
    ///
    /// # Errors
    /// [`Error::Malformed`] if there is no such key, and always for kinds whose keys are not Ed25519.
    pub fn from_pem(kind: impl Into<KeyKind>, pem: &str) -> Result<Self, Error> {
        let kind = kind.into();
        let key = VerifyingKey::from_public_key_pem(pem).ok();
        let key = key.filter(|_| kind.has_pem());
        let key = key.ok_or_else(|| no_text("PEM, SPKI"))?;
        Self::from_bytes(kind, key.as_bytes())
    }

    /// The key with these bytes, which must encode a key of this kind.
    fn of(kind: KeyKind, key: &[u8]) -> Self {
        let mut bytes = [0; 33];
        bytes[..key.len()].copy_from_slice(key);
        Self { kind, bytes }
    }

    /// The kind of the public key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The encoding, 32 bytes, or 33 for P-256.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.kind.key_length()]
    }

    /// The encoding of a key whose kind is not a P-256 kind.
    pub(crate) fn point(&self) -> &[u8; 32] {
        let [point @ .., _] = &self.bytes;
        point
    }

    /// The key as a PEM file: SPKI (RFC 8410). `None` if it is not an Ed25519 key.
    pub fn to_pem(&self) -> Option<String> {
        let key = VerifyingKey::from_bytes(self.point()).ok();
        let key = key.filter(|_| self.kind.has_pem())?;
        // Writing a key as PEM never fails, so this is never `None`.
        key.to_public_key_pem(LineEnding::LF).ok()
    }
}

/// Writes the name of the kind, a colon, and the encoding of the key in base64url.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.kind, "", self.as_bytes()))
    }
}

/// Parses only the text that `Display` writes.
impl FromStr for PublicKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = text
            .split_once(':')
            .and_then(|(name, encoded)| Some((KeyKind::named(name)?, encoded)));
        let expected = "chain, aggregate, ed25519, es256 or passkey";
        let (kind, encoded) = named.ok_or_else(|| no_text(expected))?;
        let mut bytes = [0; 33];
        match Base64UrlUnpadded::decode(encoded, &mut bytes) {
            Ok(decoded) if decoded.len() == kind.key_length() => Self::from_bytes(kind, decoded),
            _ => Err(no_text(kind.name())),
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, ", self.kind)?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// The suffix that follows the name of the kind in the text of a secret key.
const SECRET: &str = "-secret";

/// The text of a key: the name of its kind, the suffix `end`, a colon, and up to 33 bytes in base64url.
fn text(kind: KeyKind, end: &str, bytes: &[u8]) -> String {
    let mut buffer = Zeroizing::new([0; 44]);
    let encoded = Base64UrlUnpadded::encode(bytes, &mut *buffer).unwrap_or_default();
    // The string has room for the whole text, so it is never reallocated, which would leave a copy behind.
    let length = kind.name().len() + end.len() + 1 + encoded.len();
    let mut text = String::with_capacity(length);
    for part in [kind.name(), end, ":", encoded] {
        text.push_str(part);
    }
    text
}

fn wrong_length(bytes: &[u8], expected: usize) -> Error {
    alone(&format!(
        "the key has {} bytes, expected {expected}",
        bytes.len()
    ))
}

/// The error for a key that is read outside a token. So the error names no place in a token.
fn alone(what: &str) -> Error {
    Error::Malformed(format!("key: {what}").into())
}

/// The error for a text that is not a key. It does not repeat the text, which may be a secret.
fn no_text(expected: &'static str) -> Error {
    Error::Malformed(format!("expected the text of a key: {expected}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compressed_points_are_keys() {
        let base = "es256:A2sX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW";
        let key: PublicKey = base.parse().unwrap();
        let fault = |bytes: &[u8]| match PublicKey::from_bytes(KeyKind::Passkey, bytes) {
            Err(Error::Malformed(what)) => what,
            other => panic!("{other:?}"),
        };
        let mut bytes: [u8; 33] = key.as_bytes().try_into().unwrap();
        for tag in [0, 1, 4, 5, 6, 7, 0xff] {
            bytes[0] = tag;
            assert_eq!(fault(&bytes), "key: the key is not canonical");
        }
        bytes[0] = 2;
        assert!(PublicKey::from_bytes(KeyKind::Es256, &bytes).is_ok());
        // No point has x = 1, which is on the twist of the curve, and p itself is too large for a coordinate.
        let mut one = [0; 33];
        (one[0], one[32]) = (2, 1);
        assert_eq!(fault(&one), "key: the key is not a point of the group");
        bytes[1..].copy_from_slice(&P);
        assert_eq!(fault(&bytes), "key: the key is not a point of the group");
        // The lengths of an uncompressed point, an Ed25519 key, an RSA modulus, and an empty key.
        for got in [65, 32, 256, 0] {
            let expected = format!("key: the key has {got} bytes, expected 33");
            assert_eq!(fault(&vec![2; got]), expected);
        }
    }

    /// The prime of P-256.
    const P: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ];
}
