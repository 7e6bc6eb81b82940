//! The kinds of keys of those who hold tokens and make statements.

use core::fmt;

/// The way in which a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// Ed25519 signatures of messages. The public key has 32 bytes.
    Ed25519,
    /// ES256 signatures of messages: ECDSA on P-256 with SHA-256. The public key has 33 bytes, the
    /// compressed point of SEC 1.
    Es256,
    /// A passkey: it makes assertions of WebAuthn, with ES256. The public key has 33 bytes.
    Passkey,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Ed25519, Self::Es256, Self::Passkey];

    /// The name, with which the text of a key begins.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ed25519 => "ed25519",
            Self::Es256 => "es256",
            Self::Passkey => "passkey",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The length of a public key.
    pub(crate) const fn key_length(self) -> usize {
        match self {
            Self::Ed25519 => 32,
            Self::Es256 | Self::Passkey => 33,
        }
    }
}

/// The name.
impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
