//! What a file says of the key in it.
//!
//! A key of one kind must not be used as another. A VRF key has the bytes of an Ed25519 key, and
//! a key that proves must not sign: a proof and a signature together can reveal it.

use std::fmt;

use klero_envelope::Envelope;
use klero_token::{KeyKind, Scheme};

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

/// What the types of text envelopes begin with.
const PREFIXES: [(&str, KeyType); 4] = [
    ("VrfSigningKey_", KeyType::VrfSecret),
    ("KleroVrfSigningKey_", KeyType::VrfSecret),
    ("VrfVerificationKey_", KeyType::VrfPublic),
    ("KleroVrfVerificationKey_", KeyType::VrfPublic),
];

impl KeyType {
    /// The kind of the key in a file, if the file says it: by the type of a text envelope, or by the
    /// name that the text of a key for tokens begins with.
    pub fn of(content: &[u8]) -> Option<Self> {
        if let Ok(envelope) = Envelope::parse(content) {
            let kind = envelope.kind();
            let known = PREFIXES.iter().find(|(prefix, _)| kind.starts_with(prefix));
            return known.map(|(_, key_type)| *key_type);
        }
        let name = name(content)?;
        let (name, key_type) = match name.strip_suffix("-secret") {
            Some(name) => (name, Self::TokenSecret),
            None => (name, Self::TokenPublic),
        };
        (Scheme::named(name).is_some() || KeyKind::named(name).is_some()).then_some(key_type)
    }

    /// Whether it is for tokens.
    pub fn is_for_tokens(self) -> bool {
        matches!(self, Self::TokenSecret | Self::TokenPublic)
    }
}

/// What stands before the colon in the text of a key.
fn name(content: &[u8]) -> Option<&str> {
    let colon = content.iter().position(|byte| *byte == b':')?;
    str::from_utf8(&content[..colon]).ok()
}

/// In errors, after "it is".
impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TokenSecret => "a secret key for tokens",
            Self::TokenPublic => "a public key for tokens",
            Self::VrfSecret => "the secret key of a VRF, which must sign no tokens",
            Self::VrfPublic => "the public key of a VRF",
        })
    }
}
