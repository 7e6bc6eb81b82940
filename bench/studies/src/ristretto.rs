//! Keys on ristretto255, for [`vrf1`](crate::vrf1), [`vrf2`](crate::vrf2) and
//! [`challenge`](crate::challenge), and the hashes of the two VRF schemes.
//!
//! The hashes are public functions, since an attacker can compute them too.

use core::fmt;

use curve25519_dalek::{RistrettoPoint, Scalar};
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::Error;

/// A secret scalar x and its public key P = x·G.
///
/// The secret is wiped from memory when the pair is dropped, and is not in its `Debug`
/// form.
///
/// ```
/// use curve25519_dalek::{RistrettoPoint, Scalar};
/// use klero_studies::ristretto::KeyPair;
///
/// let x = Scalar::from(7u8);
/// let keys = KeyPair::from_secret(x);
/// assert_eq!(keys.public(), RistrettoPoint::mul_base(&x));
/// assert_ne!(KeyPair::generate()?.public(), keys.public());
/// # Ok::<(), klero_studies::Error>(())
/// ```
#[derive(Clone)]
pub struct KeyPair {
    secret: Scalar,
    public: RistrettoPoint,
}

impl KeyPair {
    /// A pair from random bytes of the operating system.
    ///
    /// # Errors
    ///
    /// The operating system gave none.
    pub fn generate() -> Result<Self, Error> {
        Ok(Self::from_secret(*random_scalar()?))
    }

    /// The pair with x = SHA-512(`seed`) mod L: the same bytes give the same pair.
    pub fn from_seed(seed: &[u8]) -> Self {
        Self::from_secret(*hash_to_scalar(Sha512::new().chain_update(seed)))
    }

    /// The pair with this x.
    pub fn from_secret(secret: Scalar) -> Self {
        Self {
            secret,
            public: RistrettoPoint::mul_base(&secret),
        }
    }

    /// The public key.
    pub fn public(&self) -> RistrettoPoint {
        self.public
    }

    pub(crate) fn secret(&self) -> &Scalar {
        &self.secret
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair")
            .field("public", &self.public.compress())
            .finish_non_exhaustive()
    }
}

impl Drop for KeyPair {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

impl ZeroizeOnDrop for KeyPair {}

/// h, the point a VRF maps a message to: SHA-512(P ‖ m) as 64 uniform bytes.
pub fn hash_to_curve(key: &RistrettoPoint, message: &[u8]) -> RistrettoPoint {
    let hash = Sha512::new()
        .chain_update(key.compress().as_bytes())
        .chain_update(message)
        .finalize();
    RistrettoPoint::from_uniform_bytes(&hash.into())
}

/// Hs, the challenge of the VRF schemes: SHA-512 of four compressed points, mod L.
pub fn hash_points(points: [RistrettoPoint; 4]) -> Scalar {
    let hash = points.iter().fold(Sha512::new(), |hash, point| {
        hash.chain_update(point.compress().as_bytes())
    });
    *hash_to_scalar(hash)
}

/// k, the nonce of the VRF schemes: SHA-512(x ‖ h) mod L.
///
/// It depends only on the key and the message, but the challenge depends on the whole token.
/// That allows the key recovery in `tests/attacks`.
pub(crate) fn nonce(keys: &KeyPair, h: &RistrettoPoint) -> Zeroizing<Scalar> {
    hash_to_scalar(
        Sha512::new()
            .chain_update(keys.secret.as_bytes())
            .chain_update(h.compress().as_bytes()),
    )
}

pub(crate) fn random_scalar() -> Result<Zeroizing<Scalar>, Error> {
    let mut wide = Zeroizing::new([0; 64]);
    getrandom::fill(wide.as_mut_slice())?;
    Ok(Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide)))
}

pub(crate) fn hash_to_scalar(hash: Sha512) -> Zeroizing<Scalar> {
    let wide = Zeroizing::new(<[u8; 64]>::from(hash.finalize()));
    Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide))
}
