//! Keys: a seed of 32 bytes in every scheme, and the key pair that the scheme derives from it.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt::{self, Debug};

use subtle::ConstantTimeEq;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::error::{Error, KeyFault, Place};

/// The keys of a scheme: derivation from a seed, encoding, and validity.
#[allow(missing_docs)]
pub trait Keys: Copy + Debug + Eq + 'static {
    /// The name of the scheme, as the command line takes it.
    const NAME: &'static str;
    /// The length of a public key in bytes.
    const KEY_LENGTH: usize;

    type KeyBytes: Copy + Eq + Debug + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    /// What signing needs, derived from the seed; wiped when dropped.
    type Expanded: Clone;

    fn expand(seed: &[u8; 32]) -> Self::Expanded;
    fn public(secret: &Self::Expanded) -> Self::KeyBytes;
    fn check_key(bytes: &Self::KeyBytes) -> Result<(), KeyFault>;
}

/// A secret key: a seed of 32 secret, uniformly random bytes. `Debug` does not show it, and
/// it is wiped when dropped.
///
/// ```
/// use klero_token::{Aggregate, SecretKey};
/// let key = SecretKey::<Aggregate>::generate()?;
/// assert_eq!(SecretKey::from_bytes(key.as_bytes())?, key);
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, PublicKey(aggregate, "));
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone)]
pub struct SecretKey<S: Keys> {
    // On the heap, so that moving the key leaves no copy behind.
    secrets: Box<(Zeroizing<[u8; 32]>, S::Expanded)>,
    public: PublicKey<S>,
}

impl<S: Keys> SecretKey<S> {
    /// The key with this seed. Constant time.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let secrets = Box::new((Zeroizing::new(*seed), S::expand(seed)));
        let bytes = S::public(&secrets.1);
        Self {
            secrets,
            public: PublicKey { bytes },
        }
    }

    /// The key with this seed, which must be 32 bytes.
    ///
    /// # Errors
    /// [`Error::Key`] with [`KeyFault::Length`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        if bytes.len() != seed.len() {
            let fault = KeyFault::Length {
                got: bytes.len(),
                expected: seed.len(),
            };
            return Err(alone(fault));
        }
        seed.copy_from_slice(bytes);
        Ok(Self::from_seed(&seed))
    }

    /// A new key from the random source of the operating system.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails.
    pub fn generate() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(Error::NoRandomness)?;
        Ok(Self::from_seed(&seed))
    }

    /// The seed, 32 bytes. Secret.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.secrets.0
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey<S> {
        &self.public
    }

    pub(crate) fn expanded(&self) -> &S::Expanded {
        &self.secrets.1
    }
}

/// Compares in constant time.
impl<S: Keys> PartialEq for SecretKey<S> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

impl<S: Keys> Eq for SecretKey<S> {}

impl<S: Keys> ZeroizeOnDrop for SecretKey<S> {}

impl<S: Keys> fmt::Debug for SecretKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?})", self.public)
    }
}

/// A public key that verifiers accept: 32 bytes ([`Chain`](crate::Chain),
/// [`Aggregate`](crate::Aggregate)) or 48 (`Bls`), the canonical encoding of a point of the
/// group that is not of small order.
///
/// ```
/// use klero_token::{Chain, PublicKey, SecretKey};
/// let key = SecretKey::<Chain>::from_seed(&[7; 32]);
/// assert_eq!(PublicKey::from_bytes(key.public_key().as_bytes())?, *key.public_key());
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PublicKey<S: Keys> {
    bytes: S::KeyBytes,
}

impl<S: Keys> PublicKey<S> {
    /// The key with this encoding.
    ///
    /// # Errors
    /// [`Error::Key`] if no verifier would accept it; the [`KeyFault`] says why.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = S::KeyBytes::try_from(bytes).map_err(|_| {
            alone(KeyFault::Length {
                got: bytes.len(),
                expected: S::KEY_LENGTH,
            })
        })?;
        S::check_key(&bytes).map_err(alone)?;
        Ok(Self { bytes })
    }

    /// The encoding, 32 or 48 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    pub(crate) fn bytes(&self) -> &S::KeyBytes {
        &self.bytes
    }
}

fn alone(fault: KeyFault) -> Error {
    Error::Key {
        place: Place::Alone,
        fault,
    }
}

impl<S: Keys> PartialEq for PublicKey<S> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<S: Keys> Eq for PublicKey<S> {}

impl<S: Keys> fmt::Debug for PublicKey<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, ", S::NAME)?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// The root keys whose tokens a verifier accepts, each under a number that the issuer chose.
/// A token carries the number of its root key, so that an issuer can change keys.
///
/// The number is not signed: it only says which key to try. If one key stands under two
/// numbers, a token with either number is accepted.
///
/// ```
/// use klero_token::{Chain, RootKeys, SecretKey};
/// let key = SecretKey::<Chain>::from_seed(&[7; 32]);
/// let mut roots = RootKeys::new();
/// roots.insert(2026, *key.public_key());
/// assert_eq!(roots.get(2026), Some(key.public_key()));
/// assert_eq!(roots.get(2025), None);
/// ```
#[derive(Clone, Debug)]
pub struct RootKeys<S: Keys>(BTreeMap<u32, PublicKey<S>>);

impl<S: Keys> RootKeys<S> {
    /// No root keys: every token is refused.
    pub fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a root key. Returns the key that had this number before, if any.
    pub fn insert(&mut self, id: u32, key: PublicKey<S>) -> Option<PublicKey<S>> {
        self.0.insert(id, key)
    }

    /// The root key with this number.
    pub fn get(&self, id: u32) -> Option<&PublicKey<S>> {
        self.0.get(&id)
    }
}

impl<S: Keys> Default for RootKeys<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// One root key with the number 0.
impl<S: Keys> From<PublicKey<S>> for RootKeys<S> {
    fn from(key: PublicKey<S>) -> Self {
        Self(BTreeMap::from([(0, key)]))
    }
}
