//! Secret and public keys, in the formats of libsodium and Cardano.
//!
//! A secret key belongs to one suite from the start. For one key and alpha, two suites may compute the same
//! nonce but different challenges. The two proofs then reveal the key: see
//! [`SecretKey::dangerously_reuse_in`]. A public key belongs to no suite.
//!
//! A secret key is a 32-byte seed, which SHA-512 expands to the scalar x and the nonce prefix (RFC 8032,
//! section 5.1.5). Secrets are never printed. They are in one allocation on the heap, so that moving a key
//! copies no secret. They are wiped when the key is dropped. The stack used to expand the seed is wiped,
//! too. Copies that the compiler leaves in registers cannot be wiped.

use alloc::boxed::Box;
use core::fmt;
use core::slice;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point, has_small_order, wiped};
use rand_core::CryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::bytes::bytes_type;
use crate::decode::{self, NotAPoint};
use crate::error::{Error, Invalid};
use crate::suite::Suite;

/// A public key that verifiers accept: 32 bytes, canonical, on the curve, and not of small order. The point
/// may be the sum of a point of prime order and one of small order. Every deployed verifier allows this.
///
/// ```
/// use klero::{Invalid, PublicKey, SecretKey, Suite};
/// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
/// let hex = key.public_key().to_string();
/// assert_eq!(hex.parse(), Ok(*key.public_key()));
/// assert_eq!(PublicKey::from_bytes(&[0; 32]), Err(Invalid::KeySmallOrder));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey {
    bytes: [u8; 32],
}

impl PublicKey {
    /// Checks and decodes a public key of 32 bytes.
    ///
    /// # Errors
    /// [`Invalid::KeyLength`], [`Invalid::KeyNotCanonical`],
    /// [`Invalid::KeyNotOnCurve`] or [`Invalid::KeySmallOrder`].
    #[doc(alias = "ecvrf_validate_key")]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Invalid> {
        let encoding = Self::encoding(bytes);
        let decoded = decode::decode(klero_lanes::engine(), slice::from_ref(&encoding));
        Self::point(bytes, decoded.row(0))?;
        Ok(Self { bytes: encoding })
    }

    /// Returns the 32 bytes to decode, or zeros if the length is wrong.
    pub(crate) fn encoding(bytes: &[u8]) -> [u8; 32] {
        bytes.try_into().unwrap_or([0; 32])
    }

    /// Returns the point of a key, given its bytes and the result of decoding them.
    pub(crate) fn point(bytes: &[u8], decoded: Result<Point, NotAPoint>) -> Result<Point, Invalid> {
        let bytes = bytes
            .try_into()
            .map_err(|_| Invalid::KeyLength(bytes.len()))?;
        let point = decoded.map_err(|error| match error {
            NotAPoint::NotCanonical => Invalid::KeyNotCanonical,
            NotAPoint::NotOnCurve => Invalid::KeyNotOnCurve,
        })?;
        if has_small_order(&bytes) {
            return Err(Invalid::KeySmallOrder);
        }
        Ok(point)
    }

    /// The 32 bytes of the key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl TryFrom<&[u8]> for PublicKey {
    type Error = Error;

    /// Checks and decodes as [`from_bytes`](PublicKey::from_bytes) does.
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self::from_bytes(bytes)?)
    }
}

bytes_type!(PublicKey, 32);

/// A secret key: a suite, a seed of 32 bytes and the values derived from the seed. Secrets are never printed.
/// They are wiped when the key is dropped, but copies that the compiler left in registers or on the stack may
/// outlive the key.
///
/// A key makes proofs in its suite only, and never makes signatures: see
/// [`dangerously_reuse_in`](Self::dangerously_reuse_in).
///
/// ```
/// use klero::{SecretKey, Suite};
/// let key = SecretKey::from_seed(Suite::RFC9381_ELL2, &[7; 32]);
/// assert_eq!(key.suite(), Suite::RFC9381_ELL2);
/// let again = SecretKey::from_libsodium(key.suite(), &key.to_libsodium())?;
/// assert_eq!(key.public_key(), again.public_key());
/// assert!(format!("{key:?}").starts_with("SecretKey(secret, Suite(rfc9381-ell2), PublicKey("));
/// # Ok::<(), klero::Error>(())
/// ```
#[derive(Clone)]
pub struct SecretKey {
    suite: Suite,
    secrets: Box<Secrets>,
    public: PublicKey,
}

/// The parts of a secret key that are wiped.
#[derive(Clone)]
struct Secrets {
    seed: [u8; 32],
    x: Scalar,
    prefix: [u8; 32],
}

impl Drop for Secrets {
    fn drop(&mut self) {
        self.seed.zeroize();
        self.x.zeroize();
        self.prefix.zeroize();
    }
}

/// Expands a seed (RFC 8032, section 5.1.5), in place on the heap.
fn expand(engine: Engine, seed: &[u8; 32]) -> Box<Secrets> {
    let mut secrets = Box::new(Secrets {
        seed: [0; 32],
        x: Scalar::ZERO,
        prefix: [0; 32],
    });
    secrets.seed.copy_from_slice(seed);
    let mut expanded = Zeroizing::new([0; 64]);
    engine.sha512(&[], &[&[seed]], slice::from_mut(&mut *expanded));
    secrets.prefix.copy_from_slice(&expanded[32..]);
    // Clamps x, and zeroes the 32 bytes after it. Reducing x modulo L changes no product, because all points
    // that x multiplies have order L.
    expanded[0] &= 0xf8;
    expanded[31] = (expanded[31] & 0x7f) | 0x40;
    expanded[32..].fill(0);
    secrets.x = Scalar::from_bytes_mod_order_wide(&expanded);
    secrets
}

impl SecretKey {
    /// Makes a key of this suite from a seed of 32 secret, uniformly random bytes. Runs in constant time.
    ///
    /// The seed must be used for nothing else. It must not be the seed of a key of another suite, or of an
    /// Ed25519 key, which expands its seed in the same way.
    #[must_use]
    pub fn from_seed(suite: Suite, seed: &[u8; 32]) -> Self {
        let engine = klero_lanes::engine();
        let secrets = wiped(|| expand(engine, seed));

        let (mut point, mut bytes) = ([Point::IDENTITY], [[0; 32]]);
        engine.secret_mul_base(slice::from_ref(secrets.x.as_bytes()), &mut point);
        // Overwrites the projective coordinates, which reveal bits of x.
        engine.normalize(&mut point);
        engine.encode(&point, &mut bytes);
        let [bytes] = bytes;
        Self {
            suite,
            secrets,
            public: PublicKey { bytes },
        }
    }

    /// Makes a key of this suite from libsodium's 64 bytes, `seed ‖ public key`.
    ///
    /// # Errors
    /// [`Error::Halves`] if the two halves do not belong together:
    /// proving with a wrong public half would leak the secret scalar.
    pub fn from_libsodium(suite: Suite, bytes: &[u8; 64]) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0u8; 32]);
        seed.copy_from_slice(&bytes[..32]);
        let key = Self::from_seed(suite, &seed);
        if key.public.bytes[..] != bytes[32..] {
            return Err(Error::Halves);
        }
        Ok(key)
    }

    /// Makes a new key of this suite with the operating system's random source.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if that source fails.
    #[cfg(feature = "os-rng")]
    pub fn generate(suite: Suite) -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0u8; 32]);
        getrandom::fill(&mut *seed).map_err(Error::NoRandomness)?;
        Ok(Self::from_seed(suite, &seed))
    }

    /// Makes a new key of this suite with a random source of the caller's choice.
    #[must_use]
    pub fn generate_from(suite: Suite, rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut seed = Zeroizing::new([0u8; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(suite, &seed)
    }

    /// The suite that the key belongs to.
    pub fn suite(&self) -> Suite {
        self.suite
    }

    /// Returns the same key for another suite. **Dangerous**: proofs of one alpha in two suites can reveal
    /// the secret key to everyone.
    ///
    /// The nonce k depends only on the key and on H. Two suites that hash alpha to the same H have the same
    /// k, but different challenges c and c'. Their proofs have s = k + c·x and s' = k + c'·x. So anyone can
    /// compute x = (s - s')/(c - c'). `draft10-tai` and `rfc9381-tai` are such a pair of suites. This method
    /// is for test vectors, and for migrations in which no alpha is proved in both suites.
    #[must_use]
    pub fn dangerously_reuse_in(&self, suite: Suite) -> Self {
        Self {
            suite,
            ..self.clone()
        }
    }

    /// The seed, 32 bytes. Secret.
    pub fn seed(&self) -> &[u8; 32] {
        &self.secrets.seed
    }

    /// The secret scalar, reduced modulo L.
    pub(crate) fn x(&self) -> &Scalar {
        &self.secrets.x
    }

    /// The secret prefix from which nonces are hashed.
    pub(crate) fn prefix(&self) -> &[u8; 32] {
        &self.secrets.prefix
    }

    /// libsodium's 64 bytes, `seed ‖ public key`. Secret.
    #[must_use]
    pub fn to_libsodium(&self) -> Zeroizing<[u8; 64]> {
        let mut bytes = Zeroizing::new([0u8; 64]);
        bytes[..32].copy_from_slice(self.seed());
        bytes[32..].copy_from_slice(&self.public.bytes);
        // Moving `bytes` to the caller would leave an unwiped copy on the stack. So a clone is returned, and
        // `bytes` is wiped here.
        bytes.clone()
    }

    /// The public half of the key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }
}

impl ZeroizeOnDrop for SecretKey {}

impl ConstantTimeEq for SecretKey {
    /// True if both keys have the same suite and seed. Runs in constant time in the seeds.
    fn ct_eq(&self, other: &Self) -> Choice {
        let same_suite = Choice::from(u8::from(self.suite == other.suite));
        same_suite & self.secrets.seed.ct_eq(&other.secrets.seed)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(secret, {:?}, {:?})", self.suite, self.public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use curve25519_dalek::constants::EIGHT_TORSION;

    #[test]
    fn small_order_is_known_by_its_y() {
        for point in EIGHT_TORSION {
            let mut encoding = point.compress().to_bytes();
            for _ in 0..2 {
                assert_eq!(
                    PublicKey::from_bytes(&encoding),
                    Err(Invalid::KeySmallOrder)
                );
                encoding[31] ^= 0x80;
            }
        }
    }
}
