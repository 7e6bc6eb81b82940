//! Keys of those who hold tokens and make statements: Ed25519 keys, ES256 keys and passkeys. The
//! kind of a key is part of it.

use alloc::string::String;
use core::convert::Infallible;
use core::fmt;
use core::str::FromStr;

use base64ct::{Base64UrlUnpadded, Encoding};

use crate::error::{Error, KeyFault, Place};
use crate::es256;
use crate::key::PublicKey;
use crate::key_kind::KeyKind;
use crate::parties::ThirdParty;
use crate::scheme::Scheme;

/// The public key of somebody who [holds a token](crate::Token::entrust) or
/// [makes a statement](crate::Request), and how it signs.
///
/// ```
/// use klero_token::{KeyKind, PartyKey};
/// // The base point of P-256.
/// let text = "es256:A2sX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW";
/// let key: PartyKey = text.parse()?;
/// assert_eq!(key.to_string(), text);
/// assert_eq!((key.kind(), key.as_bytes().len()), (KeyKind::Es256, 33));
/// let passkey = PartyKey::from_bytes(KeyKind::Passkey, key.as_bytes())?;
/// assert_ne!(passkey, key);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartyKey {
    kind: KeyKind,
    /// All of them, or all but the last one, which is 0.
    bytes: [u8; 33],
}

impl PartyKey {
    /// The key with this encoding, 32 or 33 bytes.
    ///
    /// # Errors
    /// [`Error::Key`] if no verifier would accept it.
    pub fn from_bytes(kind: KeyKind, bytes: &[u8]) -> Result<Self, Error> {
        if kind == KeyKind::Ed25519 {
            return PublicKey::from_bytes(ThirdParty, bytes).map(Self::from);
        }
        es256::check_key(bytes).map_err(alone)?;
        Ok(Self::of(kind, bytes))
    }

    /// The ES256 key or passkey in an SPKI of DER (RFC 5480), such as the `getPublicKey()` of a new
    /// passkey in a browser.
    ///
    /// # Errors
    /// [`Error::Key`] if it is none, and always for Ed25519 keys, which
    /// [`PublicKey::from_pem`] reads.
    pub fn from_spki(kind: KeyKind, spki: &[u8]) -> Result<Self, Error> {
        if kind == KeyKind::Ed25519 {
            return Err(alone(KeyFault::NotSpki));
        }
        let bytes = es256::key_of_spki(spki).map_err(alone)?;
        Ok(Self { kind, bytes })
    }

    /// Of bytes that are a key.
    fn of(kind: KeyKind, key: &[u8]) -> Self {
        let mut bytes = [0; 33];
        bytes[..key.len()].copy_from_slice(key);
        Self { kind, bytes }
    }

    /// How it signs.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The encoding, 32 or 33 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.kind.key_length()]
    }
}

fn alone(fault: KeyFault) -> Error {
    Error::Key {
        place: Place::Alone,
        fault,
    }
}

impl From<PublicKey<ThirdParty>> for PartyKey {
    fn from(key: PublicKey<ThirdParty>) -> Self {
        Self::of(KeyKind::Ed25519, key.as_bytes())
    }
}

impl From<&PublicKey<ThirdParty>> for PartyKey {
    fn from(key: &PublicKey<ThirdParty>) -> Self {
        (*key).into()
    }
}

impl From<&PartyKey> for PartyKey {
    fn from(key: &PartyKey) -> Self {
        *key
    }
}

/// An Ed25519 key that is named as one of [`Scheme::Chain`]. The error is [`Error::NoDevice`].
impl TryFrom<&PublicKey> for PartyKey {
    type Error = Error;

    fn try_from(key: &PublicKey) -> Result<Self, Error> {
        match key.scheme() {
            Scheme::Chain => Ok(Self::of(KeyKind::Ed25519, key.as_bytes())),
            other => Err(Error::NoDevice(other)),
        }
    }
}

/// For conversions that always succeed.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// The name of the kind, a colon, and base64url.
impl fmt::Display for PartyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = Base64UrlUnpadded::encode_string(self.as_bytes());
        write!(f, "{}:{encoded}", self.kind)
    }
}

/// The text of `Display`, and no other.
impl FromStr for PartyKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = text
            .split_once(':')
            .and_then(|(name, encoded)| Some((KeyKind::named(name)?, encoded)));
        let (kind, encoded) = named.ok_or(Error::KeyText("ed25519, es256 or passkey"))?;
        let mut bytes = [0; 33];
        match Base64UrlUnpadded::decode(encoded, &mut bytes) {
            Ok(decoded) if decoded.len() == kind.key_length() => Self::from_bytes(kind, decoded),
            _ => Err(Error::KeyText(kind.name())),
        }
    }
}

/// The text.
impl fmt::Debug for PartyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = alloc::format!("{self}");
        f.debug_tuple("PartyKey").field(&text).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compressed_points_are_keys() {
        let base = "es256:A2sX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW";
        let key: PartyKey = base.parse().unwrap();
        let fault = |bytes: &[u8]| match PartyKey::from_bytes(KeyKind::Passkey, bytes) {
            Err(Error::Key { fault, .. }) => fault,
            other => panic!("{other:?}"),
        };
        let mut bytes: [u8; 33] = key.as_bytes().try_into().unwrap();
        for tag in [0, 1, 4, 5, 6, 7, 0xff] {
            bytes[0] = tag;
            assert_eq!(fault(&bytes), KeyFault::NotCanonical);
        }
        bytes[0] = 2;
        assert!(PartyKey::from_bytes(KeyKind::Es256, &bytes).is_ok());
        // x = 1 is on the curve's twist; x = p is not below p.
        let mut one = [0; 33];
        (one[0], one[32]) = (2, 1);
        assert_eq!(fault(&one), KeyFault::NotAPoint);
        bytes[1..].copy_from_slice(&P);
        assert_eq!(fault(&bytes), KeyFault::NotAPoint);
        // Of an uncompressed point, of Ed25519, of an RSA modulus, of nothing.
        for got in [65, 32, 256, 0] {
            let expected = 33;
            assert_eq!(fault(&vec![2; got]), KeyFault::Length { got, expected });
        }
    }

    /// The prime of P-256.
    const P: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ];
}
