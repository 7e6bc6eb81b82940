//! The types that text envelopes give to keys.
//!
//! A key of one kind must not be used as another. A VRF key has the bytes of an Ed25519 key, and
//! a key that proves must not sign: a proof and a signature together can reveal it.

/// Begins the type of a secret key for tokens. The name of the scheme follows.
pub const TOKEN_SECRET: &str = "KleroTokenSecretKey_";
/// Begins the type of a public key for tokens. The name of the scheme follows.
pub const TOKEN_PUBLIC: &str = "KleroTokenPublicKey_";

/// Kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// A secret key for tokens.
    TokenSecret,
    /// A public key for tokens.
    TokenPublic,
    /// The secret key of a VRF.
    VrfSecret,
    /// The public key of a VRF.
    VrfPublic,
}

/// What each type begins with.
const PREFIXES: [(&str, KeyType); 6] = [
    (TOKEN_SECRET, KeyType::TokenSecret),
    (TOKEN_PUBLIC, KeyType::TokenPublic),
    ("VrfSigningKey_", KeyType::VrfSecret),
    ("KleroVrfSigningKey_", KeyType::VrfSecret),
    ("VrfVerificationKey_", KeyType::VrfPublic),
    ("KleroVrfVerificationKey_", KeyType::VrfPublic),
];

impl KeyType {
    /// The kind of key of an envelope of this type, if it is known.
    pub fn of(kind: &str) -> Option<Self> {
        let known = PREFIXES.iter().find(|(prefix, _)| kind.starts_with(prefix));
        known.map(|(_, key_type)| *key_type)
    }

    /// Whether it is for tokens.
    pub fn is_for_tokens(self) -> bool {
        matches!(self, Self::TokenSecret | Self::TokenPublic)
    }
}
