//! Schemes, and kinds of keys, blocks and links. A scheme is a value in every key and every token. The
//! parts in which schemes differ are in [`chain`](crate::chain) and [`aggregate`](crate::aggregate);
//! everything else, from framing to seals, is the same for both and written once.
//!
//! To add a scheme, write a file like [`chain`](crate::chain), which `token.rs` and `verify.rs` call, and
//! extend `vectors/tokens`, the second implementation in `tests/twin`, and `tests/attacks`.

use core::fmt;

/// The construction by which a token is signed. A key belongs to one scheme, and a token names its scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Ed25519 signatures, one for each block, as in Biscuit. Use this scheme unless there is a
    /// reason for another.
    ///
    /// The keys and signatures of n blocks take 96n + 32 bytes. Any Ed25519 device can be the
    /// issuer, and can hold the last key of a token.
    Chain,
    /// One point for each block and one sum, on ristretto255: the smallest tokens, and the fastest to
    /// extend and to verify. Experimental: nobody has published a proof, and the format may
    /// change.
    ///
    /// The keys and signatures of n blocks take 32n + 64 bytes. No device holds keys of this
    /// scheme.
    Aggregate,
}

impl Scheme {
    /// Both schemes.
    pub const ALL: [Self; 2] = [Self::Chain, Self::Aggregate];

    /// The name of the scheme, as in the texts of keys and on the command line.
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

/// The purpose of a key and its way to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// An issuer's key for tokens of [`Scheme::Chain`]: Ed25519. The public key has 32 bytes.
    Chain,
    /// An issuer's key for tokens of [`Scheme::Aggregate`]. The public key has 32 bytes.
    Aggregate,
    /// A third party's or a holder's key: Ed25519 signatures of messages. The public key has 32 bytes.
    Ed25519,
    /// A third party's or a holder's key: ES256 signatures of messages, which are ECDSA on P-256 with
    /// SHA-256. The public key has 33 bytes, the compressed point of SEC 1.
    Es256,
    /// A third party's or a holder's passkey: it makes assertions of WebAuthn, with ES256. The public
    /// key has 33 bytes.
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

    /// True for Ed25519 keys, the only ones that are read from and written to PEM files.
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

// Kinds: the byte that tells apart what is signed, so that no signature counts as one of another kind. It
// also tells the kind of the key that signs a statement or a seal, or that a block names.
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

/// For a kind of key, three kinds: of a block of caveats that entrusts the token to such a key, of a block
/// with its statement, and of its seal.
pub(crate) const fn kinds(key: KeyKind) -> [u8; 3] {
    match key {
        KeyKind::Es256 => [CAVEATS_ES256, STATEMENT_ES256, SEAL_ES256],
        KeyKind::Passkey => [CAVEATS_PASSKEY, STATEMENT_PASSKEY, SEAL_PASSKEY],
        _ => [CAVEATS, STATEMENT, SEAL],
    }
}

/// The kind of key of this kind of block or seal: the key that the block names, or that made its statement or
/// the seal.
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
    /// A third party's statement, which a holder added. Anyone can be the third party, even the
    /// holder, so check whose key it is: [`Block::third_party`](crate::Block::third_party).
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
