//! Which signatures count: the rules in use, as data, and verification by them.

use alloc::vec::Vec;
use core::fmt;

use klero_lanes::{Engine, engine};

use crate::claim::{Claim, Verdict};
use crate::verify::verify_groups;

/// What a verifier wants of a signature beyond what all of them want: lengths, s < L, a key on
/// the curve, and R the bytes of s·B - k·A, where k is SHA-512 of R ‖ A ‖ message, mod L (RFC
/// 8032, section 5.1.7, without the cofactor).
///
/// ```
/// use klero_ed25519::Rules;
/// assert_eq!(Rules::LIBSODIUM.to_string(), "libsodium");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    name: &'static str,
    /// Whether the key's y-coordinate must be below p.
    pub(crate) canonical_key: bool,
    /// Whether the key and R may be of small order.
    pub(crate) small_order: bool,
}

impl Rules {
    /// Those of Klero's tokens: the key is canonical, and neither it nor R is of small order. As
    /// `VerifyingKey::verify_strict` of the crate ed25519-dalek, which however accepts keys that are
    /// not canonical.
    pub const STRICT: Self = Self {
        name: "strict",
        canonical_key: true,
        small_order: false,
    };

    /// Those of `crypto_sign_ed25519_verify_detached` of libsodium 1.0.18, built without
    /// `ED25519_COMPAT`, as in Cardano's node: operational certificates and the leaves of KES.
    /// They accept the signatures that [`STRICT`](Self::STRICT) accepts.
    pub const LIBSODIUM: Self = Self {
        name: "libsodium",
        ..Self::STRICT
    };

    /// Those of `VerifyingKey::verify` of the crate ed25519-dalek without its feature
    /// `legacy_compatibility`: any encoding of a key, of any order. Only to agree with it: for a key of small order anyone can sign.
    pub const DALEK: Self = Self {
        name: "dalek",
        canonical_key: false,
        small_order: true,
    };

    /// All rules.
    ///
    /// ```
    /// assert_eq!(klero_ed25519::Rules::ALL.len(), 3);
    /// ```
    pub const ALL: &'static [Self] = &[Self::STRICT, Self::LIBSODIUM, Self::DALEK];

    /// Verifies one signature. Takes bytes, trusted or not. Variable time.
    ///
    /// # Errors
    /// The first reason, in the order of [`Invalid`](crate::Invalid), why the signature is invalid.
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
    pub fn verify(
        self,
        key: &(impl AsRef<[u8]> + ?Sized),
        message: &(impl AsRef<[u8]> + ?Sized),
        signature: &(impl AsRef<[u8]> + ?Sized),
    ) -> Verdict {
        self.verify_many(&[Claim::new(key, message, signature)])[0]
    }

    /// One verdict for each claim, in order: the same that [`verify`](Self::verify) gives for
    /// the claim alone. Variable time, on the thread that calls.
    pub fn verify_many(self, claims: &[Claim<'_>]) -> Vec<Verdict> {
        self.verify_many_on(engine(), claims)
    }

    /// [`verify_many`](Self::verify_many) on an engine of choice. No verdict depends on it.
    ///
    /// ```
    /// use klero_ed25519::{Claim, Rules, engines};
    /// let claims = [Claim::new(&[2; 32], b"", &[0; 64]); 20];
    /// let verdicts = Rules::STRICT.verify_many(&claims);
    /// for engine in engines() {
    ///     assert_eq!(Rules::STRICT.verify_many_on(engine, &claims), verdicts);
    /// }
    /// ```
    pub fn verify_many_on(self, engine: Engine, claims: &[Claim<'_>]) -> Vec<Verdict> {
        verify_groups(engine, self, claims)
    }
}

impl fmt::Display for Rules {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
