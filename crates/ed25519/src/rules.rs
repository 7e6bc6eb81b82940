//! Which signatures count: the rules in use, as data.

use core::fmt;

/// The demands of a verifier on a signature beyond those that all have in common: lengths, s < L, a key on
/// the curve, and R equal to s·B - k·A, where k is SHA-512 of R ‖ A ‖ message, mod L (RFC 8032,
/// section 5.1.7). Rules differ in what is equal: the bytes of R and those of the point, or 8 times
/// each, with the cofactor.
///
/// ```
/// use klero_ed25519::{Invalid, Rules};
/// # use ed25519_dalek::{Signer, SigningKey};
/// # let secret = SigningKey::from_bytes(&[7; 32]);
/// # let (key, signature) = (secret.verifying_key(), secret.sign(b"message").to_bytes());
/// assert_eq!(Rules::STRICT.verify(&key, b"message", &signature), Ok(()));
/// let verdict = Rules::STRICT.verify(&key, b"message", &signature[..63]);
/// assert_eq!(verdict, Err(Invalid::SignatureLength(63)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    name: &'static str,
    /// Whether the key's y-coordinate must be below p.
    pub(crate) canonical_key: bool,
    /// Whether the bytes of R must be those that encoding it gives. Without the cofactor they must:
    /// they are compared.
    pub(crate) canonical_r: bool,
    /// Whether the key and R may be of small order.
    pub(crate) small_order: bool,
    /// Whether the equation is that of 8 times each point.
    pub(crate) cofactor: bool,
}

impl Rules {
    /// The key is canonical, and neither it nor R is of small order: the rules of Klero's tokens,
    /// and of `crypto_sign_ed25519_verify_detached` of libsodium 1.0.18, built without
    /// `ED25519_COMPAT`, as in Cardano's node (operational certificates and the leaves of KES). As
    /// `VerifyingKey::verify_strict` of the crate ed25519-dalek, which however accepts keys that are
    /// not canonical.
    pub const STRICT: Self = Self {
        name: "strict",
        canonical_key: true,
        canonical_r: true,
        small_order: false,
        cofactor: false,
    };

    /// Those of `VerifyingKey::verify` of the crate ed25519-dalek without its feature
    /// `legacy_compatibility`: any encoding of a key, of any order. Only to agree with it: for a
    /// key of small order anyone can sign.
    pub const DALEK: Self = Self {
        name: "dalek",
        canonical_key: false,
        canonical_r: true,
        small_order: true,
        cofactor: false,
    };

    /// ZIP 215, the rules of Zcash since its upgrade Canopy, and of the crates ed25519-zebra and
    /// ed25519-consensus: 8·R = 8·(s·B - k·A), any encoding of a key and of R, of any order. They are
    /// made so that a batch can agree with them. For a key of small order anyone can sign.
    pub const ZIP215: Self = Self {
        name: "zip215",
        canonical_key: false,
        canonical_r: false,
        small_order: true,
        cofactor: true,
    };

    /// SIMD-0376, "Relaxing Transaction Signature Verification", as proposed for Solana and under
    /// review: the equation of [`ZIP215`](Self::ZIP215), but the key and R are canonical, and neither
    /// is of small order.
    pub const SIMD0376: Self = Self {
        name: "simd0376",
        canonical_key: true,
        canonical_r: true,
        small_order: false,
        cofactor: true,
    };

    /// All rules.
    pub const ALL: &'static [Self] = &[Self::STRICT, Self::DALEK, Self::ZIP215, Self::SIMD0376];
}

impl fmt::Display for Rules {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
