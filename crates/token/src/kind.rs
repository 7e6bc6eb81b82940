//! Kinds: the byte that sets apart what is signed, so that no signature counts as one of
//! another kind.

pub(crate) const ROOT: u8 = 0;
pub(crate) const CAVEATS: u8 = 1;
pub(crate) const STATEMENT: u8 = 2;
pub(crate) const OPAQUE: u8 = 3;
pub(crate) const SEAL: u8 = 4;

/// The kind of a block.
///
/// ```
/// use klero_token::{Kind, Scheme, SecretKey, Token};
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let token = Token::mint(&root, 0, b"may read", &[])?.append(b"whatever")?;
/// assert_eq!(token.blocks()[0].kind(), Kind::Root);
/// assert_eq!(token.blocks()[1].kind(), Kind::Opaque);
/// # Ok::<(), klero_token::Error>(())
/// ```
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
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Root => ROOT,
            Self::Caveats => CAVEATS,
            Self::Statement => STATEMENT,
            Self::Opaque => OPAQUE,
        }
    }
}
