//! Secret and public keys, as libsodium and Cardano keep them.
//!
//! A secret key is a 32-byte seed; SHA-512 expands it to the scalar x and the
//! nonce prefix (RFC 8032, section 5.1.5). Secrets are wiped when dropped, and
//! nothing prints them.

use core::fmt;

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::error::{Invalid, KeyError};
use crate::point::{self, NotAPoint};

/// A public key that verifiers accept: 32 bytes, canonical, on the curve, not
/// of small order. A component of small order beside the prime-order one is
/// allowed, as in every deployed verifier.
///
/// ```
/// use klero::{Invalid, PublicKey, SecretKey};
/// let key = SecretKey::from_seed(&[7; 32]);
/// assert_eq!(PublicKey::from_bytes(key.public_key().as_bytes()), Ok(*key.public_key()));
/// assert_eq!(PublicKey::from_bytes(&[0; 32]), Err(Invalid::KeySmallOrder));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    bytes: [u8; 32],
    pub(crate) point: EdwardsPoint,
}

impl PublicKey {
    /// Checks and decodes a public key of 32 bytes.
    ///
    /// # Errors
    /// [`Invalid::KeyLength`], [`Invalid::KeyNotCanonical`],
    /// [`Invalid::KeyNotOnCurve`] or [`Invalid::KeySmallOrder`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Invalid> {
        let bytes: [u8; 32] = bytes
            .try_into()
            .map_err(|_| Invalid::KeyLength(bytes.len()))?;
        let point = point::decode(&bytes).map_err(|error| match error {
            NotAPoint::NotCanonical => Invalid::KeyNotCanonical,
            NotAPoint::NotOnCurve => Invalid::KeyNotOnCurve,
        })?;
        if point.is_small_order() {
            return Err(Invalid::KeySmallOrder);
        }
        Ok(Self { bytes, point })
    }

    /// The 32 bytes of the key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PublicKey(")?;
        for byte in self.bytes {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// A secret key: a seed of 32 bytes and what is derived from it.
///
/// ```
/// use klero::SecretKey;
/// let key = SecretKey::from_seed(&[7; 32]);
/// let again = SecretKey::from_bytes(&key.to_bytes()).unwrap();
/// assert_eq!(key.public_key(), again.public_key());
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, PublicKey("));
/// ```
#[derive(Clone)]
pub struct SecretKey {
    seed: [u8; 32],
    pub(crate) x: Scalar,
    pub(crate) prefix: [u8; 32],
    public: PublicKey,
}

impl SecretKey {
    /// Expands a seed of 32 secret, uniformly random bytes. Constant time.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut expanded = Zeroizing::new([0u8; 64]);
        Sha512::new_with_prefix(seed).finalize_into((&mut *expanded).into());
        let (scalar, prefix) = expanded.split_at(32);
        let mut clamped = Zeroizing::new([0u8; 32]);
        clamped.copy_from_slice(scalar);
        *clamped = clamp_integer(*clamped);
        // Every use of x is with a point of order L, so reducing it changes nothing.
        let x = Scalar::from_bytes_mod_order(*clamped);
        let mut key = Self {
            seed: *seed,
            x,
            prefix: [0; 32],
            public: {
                let point = EdwardsPoint::mul_base(&x);
                PublicKey {
                    bytes: point.compress().to_bytes(),
                    point,
                }
            },
        };
        key.prefix.copy_from_slice(prefix);
        key
    }

    /// Reads libsodium's 64 bytes, `seed ‖ public key`.
    ///
    /// # Errors
    /// [`KeyError::PublicKeyMismatch`] if the two halves do not belong together:
    /// proving with a wrong public half would leak the secret scalar.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0u8; 32]);
        seed.copy_from_slice(&bytes[..32]);
        let key = Self::from_seed(&seed);
        if key.public.bytes[..] != bytes[32..] {
            return Err(KeyError::PublicKeyMismatch);
        }
        Ok(key)
    }

    /// A new key from the operating system's random source.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`] if that source fails.
    ///
    /// ```
    /// let key = klero::SecretKey::generate()?;
    /// # Ok::<(), klero::KeyError>(())
    /// ```
    #[cfg(feature = "os-rng")]
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0u8; 32]);
        getrandom::fill(&mut *seed).map_err(KeyError::NoRandomness)?;
        Ok(Self::from_seed(&seed))
    }

    /// The seed, 32 bytes. Secret.
    pub fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// libsodium's 64 bytes, `seed ‖ public key`. Secret.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 64]> {
        let mut bytes = Zeroizing::new([0u8; 64]);
        bytes[..32].copy_from_slice(&self.seed);
        bytes[32..].copy_from_slice(&self.public.bytes);
        bytes
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.seed.zeroize();
        self.x.zeroize();
        self.prefix.zeroize();
    }
}

impl ZeroizeOnDrop for SecretKey {}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?})", self.public)
    }
}
