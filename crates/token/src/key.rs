//! Keys: a seed of 32 bytes, and the key pair that is derived from it.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use base64ct::{Base64UrlUnpadded, Encoding};
use klero_lanes::wiped;
use subtle::ConstantTimeEq;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::error::{Error, KeyFault, Place};
use crate::hedge;
use crate::parties::Keys;
use crate::scheme::Scheme;

/// A secret key: a seed of 32 secret, uniformly random bytes. `Debug` does not show it, and
/// it is wiped when dropped. It is an issuer's, unless its type says that it is a
/// [third party's](crate::ThirdParty).
///
/// ```
/// use klero_token::{Scheme, SecretKey};
/// let key = SecretKey::generate(Scheme::Aggregate)?;
/// assert_eq!(SecretKey::from_bytes(Scheme::Aggregate, key.as_bytes())?, key);
/// assert_eq!(key.to_text().parse::<SecretKey>()?, key);
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, PublicKey(aggregate, "));
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct SecretKey<K: Keys = Scheme> {
    // On the heap, so that moving the key leaves no copy behind.
    secrets: Box<(Zeroizing<[u8; 32]>, K::Expanded)>,
    public: PublicKey<K>,
}

impl<K: Keys> SecretKey<K> {
    /// The key with this seed. Constant time.
    #[must_use]
    pub fn from_seed(of: K, seed: &[u8; 32]) -> Self {
        let (secrets, bytes) = wiped(|| {
            let secrets = Box::new((Zeroizing::new(*seed), of.expand(seed)));
            let bytes = K::public(&secrets.1);
            (secrets, bytes)
        });
        Self {
            secrets,
            public: PublicKey { of, bytes },
        }
    }

    /// The key with this seed, which must be 32 bytes.
    ///
    /// # Errors
    /// [`Error::Key`] with [`KeyFault::Length`].
    pub fn from_bytes(of: K, bytes: &[u8]) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        if bytes.len() != seed.len() {
            return Err(wrong_length(bytes));
        }
        seed.copy_from_slice(bytes);
        Ok(Self::from_seed(of, &seed))
    }

    /// A new key from the random source of the operating system.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails.
    pub fn generate(of: K) -> Result<Self, Error> {
        // What is returned leaves copies behind.
        wiped(|| Ok(Self::from_seed(of, &*hedge::random()?)))
    }

    /// The seed, 32 bytes. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.secrets.0
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey<K> {
        &self.public
    }

    /// The seed as text: the name of the scheme, `-secret:`, and base64url. Secret. It is read
    /// by [`FromStr`].
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(text(self.public.of.secret_name(), self.as_bytes()))
    }

    pub(crate) fn expanded(&self) -> &K::Expanded {
        &self.secrets.1
    }
}

impl SecretKey {
    /// The scheme of the tokens that it signs.
    pub fn scheme(&self) -> Scheme {
        self.public.of
    }
}

/// The text of [`to_text`](SecretKey::to_text).
impl<K: Keys> FromStr for SecretKey<K> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        let of = read_text(text, K::secret_name, K::NAMES[1], &mut seed)?;
        Ok(Self::from_seed(of, &seed))
    }
}

impl<K: Keys> Clone for SecretKey<K> {
    fn clone(&self) -> Self {
        Self {
            secrets: wiped(|| self.secrets.clone()),
            public: self.public,
        }
    }
}

/// Compares in constant time.
impl<K: Keys> PartialEq for SecretKey<K> {
    fn eq(&self, other: &Self) -> bool {
        let same_seed: bool = self.as_bytes().ct_eq(other.as_bytes()).into();
        same_seed && self.public.of == other.public.of
    }
}

impl<K: Keys> Eq for SecretKey<K> {}

impl<K: Keys> ZeroizeOnDrop for SecretKey<K> {}

impl<K: Keys> fmt::Debug for SecretKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?})", self.public)
    }
}

/// A public key that verifiers accept: 32 bytes, the canonical encoding of a point of the group
/// that is not of small order. It is an issuer's, unless its type says that it is a
/// [third party's](crate::ThirdParty).
///
/// ```
/// use klero_token::{PublicKey, Scheme, SecretKey};
/// let key = *SecretKey::from_seed(Scheme::Chain, &[7; 32]).public_key();
/// assert_eq!(PublicKey::from_bytes(Scheme::Chain, key.as_bytes())?, key);
/// assert_eq!(key.to_string(), "chain:6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw");
/// assert_eq!(key.to_string().parse::<PublicKey>()?, key);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey<K: Keys = Scheme> {
    of: K,
    bytes: [u8; 32],
}

impl<K: Keys> PublicKey<K> {
    /// The key with this encoding.
    ///
    /// # Errors
    /// [`Error::Key`] if no verifier would accept it; the [`KeyFault`] says why.
    pub fn from_bytes(of: K, bytes: &[u8]) -> Result<Self, Error> {
        let bytes = bytes.try_into().map_err(|_| wrong_length(bytes))?;
        of.check_key(&bytes).map_err(alone)?;
        Ok(Self { of, bytes })
    }

    /// The encoding, 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Whose it is.
    pub(crate) fn of(&self) -> K {
        self.of
    }
}

impl PublicKey {
    /// The scheme of the tokens that the key signs.
    pub fn scheme(&self) -> Scheme {
        self.of
    }
}

/// The name of the scheme, a colon, and base64url.
impl<K: Keys> fmt::Display for PublicKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.of.name(), self.as_bytes()))
    }
}

/// The text of `Display`, and no other.
impl<K: Keys> FromStr for PublicKey<K> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bytes = [0; 32];
        let of = read_text(text, K::name, K::NAMES[0], &mut bytes)?;
        Self::from_bytes(of, &bytes)
    }
}

impl<K: Keys> fmt::Debug for PublicKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, ", self.of.name())?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

fn text(name: &str, bytes: &[u8; 32]) -> String {
    // Room for all of it, so that no copy is left behind.
    let mut text = String::with_capacity(name.len() + 1 + 43);
    text.push_str(name);
    text.push(':');
    let mut encoded = Zeroizing::new([0; 43]);
    text.push_str(Base64UrlUnpadded::encode(bytes, &mut *encoded).unwrap_or_default());
    text
}

/// Whose key it is, by the name before the colon; the bytes behind it are decoded.
fn read_text<K: Keys>(
    text: &str,
    name: fn(K) -> &'static str,
    names: &'static str,
    bytes: &mut [u8; 32],
) -> Result<K, Error> {
    let named = text.split_once(':').and_then(|(begin, encoded)| {
        let of = K::ALL.iter().find(|of| name(**of) == begin)?;
        Some((*of, encoded))
    });
    let (of, encoded) = named.ok_or(Error::KeyText(names))?;
    match Base64UrlUnpadded::decode(encoded, bytes) {
        Ok(decoded) if decoded.len() == 32 => Ok(of),
        _ => Err(Error::KeyText(name(of))),
    }
}

fn wrong_length(bytes: &[u8]) -> Error {
    alone(KeyFault::Length {
        got: bytes.len(),
        expected: 32,
    })
}

fn alone(fault: KeyFault) -> Error {
    Error::Key {
        place: Place::Alone,
        fault,
    }
}
