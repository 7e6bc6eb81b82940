//! Schemes, and kinds of keys, blocks and links. Every issuer's key and every token contains its scheme. The
//! schemes differ only in [`chain`](crate::chain), [`aggregate`](crate::aggregate) and a few methods below.
//! All other code, from framing to seals, is the same for both schemes.
//!
//! To add a scheme, write a module like [`chain`](crate::chain), call it from `token.rs` and `verify.rs`, and
//! extend `vectors/tokens`, the second implementation in `tests/twin`, and `tests/attacks`.

use core::fmt;

/// The way in which a token is signed. Every token, and every issuer's key, contains its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Ed25519 signatures, one for each block, as in Biscuit. Use this scheme unless you have a reason to use
    /// the other.
    ///
    /// The keys and signatures of n blocks take 96n + 32 bytes. Any Ed25519 device can hold the issuer's key
    /// or the last key of a token.
    Chain,
    /// A point of ristretto255 for each block, and a scalar, the sum, for the whole token. These tokens are
    /// the smallest, and the fastest to extend and to verify. The scheme is experimental: no security proof
    /// has been published, and the format may change.
    ///
    /// The keys and signatures of n blocks take 32n + 64 bytes. No device holds keys of this scheme.
    Aggregate,
}

impl Scheme {
    /// Both schemes.
    pub const ALL: [Self; 2] = [Self::Chain, Self::Aggregate];

    /// The name of the scheme in the texts of keys and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Aggregate => "aggregate",
        }
    }

    /// The scheme of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// The number of the scheme in the encoding.
    pub(crate) fn id(self) -> u8 {
        match self {
            Self::Chain => 1,
            Self::Aggregate => 2,
        }
    }

    /// The scheme of this number.
    pub(crate) fn of_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.id() == id)
    }

    /// True if a device can hold the last key of a token.
    pub(crate) fn has_devices(self) -> bool {
        self == Self::Chain
    }

    /// The lengths of the committed part and of the signature in a link of this kind.
    pub(crate) fn link_lengths(self, kind: u8) -> [usize; 2] {
        match self {
            Self::Chain => match kind {
                SEAL | SEAL_ES256 | SEAL_PASSKEY => [0, 64],
                CAVEATS_ES256 | CAVEATS_PASSKEY => [33, 64],
                _ => [32, 64],
            },
            Self::Aggregate if kind == ROOT => [64, 0],
            Self::Aggregate => [32, 0],
        }
    }
}

/// Writes the name of the scheme.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The purpose of a key, and the way in which it signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// An issuer's key for tokens of [`Scheme::Chain`]: Ed25519. The public key has 32 bytes.
    Chain,
    /// An issuer's key for tokens of [`Scheme::Aggregate`]. The public key has 32 bytes.
    Aggregate,
    /// A third party's or a holder's key that signs messages with Ed25519. The public key has 32 bytes.
    Ed25519,
    /// A third party's or a holder's key that signs messages with ES256, which is ECDSA on P-256 with
    /// SHA-256. The public key has 33 bytes, the compressed point of SEC 1.
    Es256,
    /// A third party's or a holder's passkey, which makes assertions of WebAuthn with ES256. The public key
    /// has 33 bytes.
    Passkey,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Chain,
        Self::Aggregate,
        Self::Ed25519,
        Self::Es256,
        Self::Passkey,
    ];

    /// The name of the kind, with which the text of a public key begins.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => Scheme::Chain.name(),
            Self::Aggregate => Scheme::Aggregate.name(),
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

    /// The scheme of the tokens that keys of this kind issue, if they issue any.
    #[must_use]
    pub const fn scheme(self) -> Option<Scheme> {
        match self {
            Self::Chain => Some(Scheme::Chain),
            Self::Aggregate => Some(Scheme::Aggregate),
            Self::Ed25519 | Self::Es256 | Self::Passkey => None,
        }
    }

    /// The length of a public key.
    pub(crate) const fn key_length(self) -> usize {
        match self {
            Self::Chain | Self::Aggregate | Self::Ed25519 => 32,
            Self::Es256 | Self::Passkey => 33,
        }
    }

    pub(crate) const fn is_of_p256(self) -> bool {
        matches!(self, Self::Es256 | Self::Passkey)
    }

    /// True for Ed25519 keys. Only these keys are read from PEM files and written to them.
    pub(crate) const fn has_pem(self) -> bool {
        matches!(self, Self::Chain | Self::Ed25519)
    }
}

/// The kind of the keys that issue tokens of the scheme.
impl From<Scheme> for KeyKind {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Chain => Self::Chain,
            Scheme::Aggregate => Self::Aggregate,
        }
    }
}

/// Writes the name of the kind.
impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

// Kinds of blocks and seals, as bytes. The byte is part of what is signed, so a signature is valid for only
// one kind. The byte also determines the kind of a key: the key that signs the statement or the seal, or the
// key to which a block of caveats entrusts the token.
pub(crate) const ROOT: u8 = 0;
pub(crate) const CAVEATS: u8 = 1;
pub(crate) const STATEMENT: u8 = 2;
pub(crate) const OPAQUE: u8 = 3;
pub(crate) const SEAL: u8 = 4;
pub(crate) const CAVEATS_ES256: u8 = 6;
pub(crate) const CAVEATS_PASSKEY: u8 = 7;
pub(crate) const STATEMENT_ES256: u8 = 8;
pub(crate) const STATEMENT_PASSKEY: u8 = 9;
pub(crate) const SEAL_ES256: u8 = 10;
pub(crate) const SEAL_PASSKEY: u8 = 11;

/// Returns the three bytes that belong to a kind of key: for a block of caveats that entrusts the token to
/// such a key, for a block with a statement by such a key, and for a seal by such a key.
pub(crate) const fn kinds(key: KeyKind) -> [u8; 3] {
    match key {
        KeyKind::Es256 => [CAVEATS_ES256, STATEMENT_ES256, SEAL_ES256],
        KeyKind::Passkey => [CAVEATS_PASSKEY, STATEMENT_PASSKEY, SEAL_PASSKEY],
        _ => [CAVEATS, STATEMENT, SEAL],
    }
}

/// The kind of the key to which a block with this byte entrusts the token, or of the key that signs the
/// statement or the seal with this byte.
pub(crate) fn key_of(kind: u8) -> KeyKind {
    let mut keys = [KeyKind::Es256, KeyKind::Passkey].into_iter();
    let key = keys.find(|key| kinds(*key).contains(&kind));
    key.unwrap_or(KeyKind::Ed25519)
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The first block, signed by a root key: rights and caveats.
    Root,
    /// Caveats that a holder added.
    Caveats,
    /// A third party's statement, which a holder added. Anyone can be the third party, even the holder, so
    /// check whose key signed the statement: [`Block::third_party`](crate::Block::third_party).
    Statement,
    /// Bytes that a holder added, and that mean nothing to the library.
    Opaque,
}

impl Kind {
    /// The name of the kind of block.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Caveats => "caveats",
            Self::Statement => "statement",
            Self::Opaque => "opaque",
        }
    }

    /// The kind of a block with this byte, if there is one.
    pub(crate) fn of(byte: u8) -> Option<Self> {
        match byte {
            ROOT => Some(Self::Root),
            CAVEATS | CAVEATS_ES256 | CAVEATS_PASSKEY => Some(Self::Caveats),
            STATEMENT | STATEMENT_ES256 | STATEMENT_PASSKEY => Some(Self::Statement),
            OPAQUE => Some(Self::Opaque),
            _ => None,
        }
    }
}
