//! Kinds: the byte that sets apart what is signed, so that no signature counts as one of
//! another kind.

use crate::codec::Reader;
use crate::error::Error;

pub(crate) const ROOT: u8 = 0;
pub(crate) const BLOCK: u8 = 1;
pub(crate) const EXTERNAL: u8 = 2;
pub(crate) const SEAL: u8 = 3;
/// A third party's signature, in schemes where it is not the block's own.
pub(crate) const STATEMENT: u8 = 4;
/// The holder's signature over a third party's block, in schemes where the block itself has
/// only the third party's.
pub(crate) const COVER: u8 = 5;

/// The kind of a block.
///
/// ```
/// use klero_token::{Chain, Kind, SecretKey, Verified};
/// let root = SecretKey::<Chain>::generate()?;
/// let token = Verified::mint(&root, 0, b"may read")?;
/// assert_eq!(token.blocks()[0].kind(), Kind::Root);
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The first block, signed by a root key.
    Root,
    /// A block that a holder added.
    Block,
    /// A block that a holder added, with a payload that a third party signed. Anyone can be
    /// the third party, even the holder, so check whose key it is: [`Block::external_key`](crate::Block::external_key).
    External,
}

impl Kind {
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Root => ROOT,
            Self::Block => BLOCK,
            Self::External => EXTERNAL,
        }
    }

    /// Reads the kind of the block with this number.
    pub(crate) fn read(block: usize, reader: &mut Reader<'_>) -> Result<Self, Error> {
        let at = reader.at;
        let [got] = reader.array("kind")?;
        match (block, got) {
            (0, ROOT) => Ok(Self::Root),
            (1.., BLOCK) => Ok(Self::Block),
            (1.., EXTERNAL) => Ok(Self::External),
            _ => Err(Error::Kind {
                block,
                got,
                at,
                expected: if block == 0 { "0 (root)" } else { "1 or 2" },
            }),
        }
    }
}
