//! Kinds: the byte that sets apart what is signed, so that no signature counts as one of
//! another kind. It also says of which kind the key is that signs a statement or a seal, or that a
//! block names.

use crate::key::KeyKind;

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

/// Of a block of caveats that entrusts the token to a key.
pub(crate) const fn entrusted_to(key: KeyKind) -> u8 {
    match key {
        KeyKind::Es256 => CAVEATS_ES256,
        KeyKind::Passkey => CAVEATS_PASSKEY,
        _ => CAVEATS,
    }
}

/// Of a block with a statement by a key.
pub(crate) const fn stated_by(key: KeyKind) -> u8 {
    match key {
        KeyKind::Es256 => STATEMENT_ES256,
        KeyKind::Passkey => STATEMENT_PASSKEY,
        _ => STATEMENT,
    }
}

/// Of a seal by a key.
pub(crate) const fn sealed_by(key: KeyKind) -> u8 {
    match key {
        KeyKind::Es256 => SEAL_ES256,
        KeyKind::Passkey => SEAL_PASSKEY,
        _ => SEAL,
    }
}

/// The kind of the key that a block names or that made a statement or a seal, by the kind of the
/// block or seal.
pub(crate) const fn key_of(kind: u8) -> KeyKind {
    match kind {
        CAVEATS_ES256 | STATEMENT_ES256 | SEAL_ES256 => KeyKind::Es256,
        CAVEATS_PASSKEY | STATEMENT_PASSKEY | SEAL_PASSKEY => KeyKind::Passkey,
        _ => KeyKind::Ed25519,
    }
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
    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Caveats => "caveats",
            Self::Statement => "statement",
            Self::Opaque => "opaque",
        }
    }

    /// What a block with this byte is, if there is one.
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
