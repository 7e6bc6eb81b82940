//! Which signatures count: the rules in use, as data.

use core::fmt;

/// What a verifier wants of a signature beyond what all of them want: lengths, s < L, a key on
/// the curve, and R the bytes of s·B - k·A, where k is SHA-512 of R ‖ A ‖ message, mod L (RFC
/// 8032, section 5.1.7, without the cofactor).
///
/// ```
/// use klero_ed25519::Rules;
/// assert_eq!(Rules::STRICT.to_string(), "strict");
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
    /// The key is canonical, and neither it nor R is of small order: the rules of Klero's tokens,
    /// and of `crypto_sign_ed25519_verify_detached` of libsodium 1.0.18, built without
    /// `ED25519_COMPAT`, as in Cardano's node (operational certificates and the leaves of KES). As
    /// `VerifyingKey::verify_strict` of the crate ed25519-dalek, which however accepts keys that are
    /// not canonical.
    pub const STRICT: Self = Self {
        name: "strict",
        canonical_key: true,
        small_order: false,
    };

    /// Those of `VerifyingKey::verify` of the crate ed25519-dalek without its feature
    /// `legacy_compatibility`: any encoding of a key, of any order. Only to agree with it: for a
    /// key of small order anyone can sign.
    pub const DALEK: Self = Self {
        name: "dalek",
        canonical_key: false,
        small_order: true,
    };

    /// All rules.
    ///
    /// ```
    /// assert_eq!(klero_ed25519::Rules::ALL.len(), 2);
    /// ```
    pub const ALL: &'static [Self] = &[Self::STRICT, Self::DALEK];
}

impl fmt::Display for Rules {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
