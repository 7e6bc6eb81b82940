//! Where a walk takes its blocks from.

use crate::chain::network::Network;
use crate::disk::blocks::{Blocks, Groups};
use crate::disk::immutable::Immutable;
use crate::disk::rules::Rules;
use crate::disk::unread::Chunks;

/// Where a walk takes its blocks from: a node's files, or an iterator.
///
/// ```
/// use klero_cardano::{Blocks, Source};
/// let none = Blocks::new(Vec::<Result<Vec<u8>, String>>::new());
/// assert!(matches!(Source::from(none), Source::Blocks(_)));
/// ```
#[derive(Debug)]
pub enum Source<'a> {
    /// A node's database.
    Files(Immutable),
    /// An iterator.
    Blocks(Blocks<'a>),
}

impl<'a> Source<'a> {
    /// Leaves the bodies of blocks unread, as [`Immutable::headers_only`] and
    /// [`Blocks::headers_only`] do.
    ///
    /// ```
    /// # use klero_cardano::{Blocks, Source};
    /// # let none = Blocks::new(Vec::<Result<Vec<u8>, String>>::new());
    /// let source = Source::from(none).headers_only();
    /// ```
    #[must_use]
    pub fn headers_only(self) -> Self {
        match self {
            Source::Files(db) => Source::Files(db.headers_only()),
            Source::Blocks(blocks) => Source::Blocks(blocks.headers_only()),
        }
    }

    /// Leaves out what headers are signed with, as [`Immutable::unsigned`] and [`Blocks::unsigned`]
    /// do.
    ///
    /// ```
    /// # use klero_cardano::{Blocks, Source};
    /// # let none = Blocks::new(Vec::<Result<Vec<u8>, String>>::new());
    /// let source = Source::from(none).unsigned();
    /// ```
    #[must_use]
    pub fn unsigned(self) -> Self {
        match self {
            Source::Files(db) => Source::Files(db.unsigned()),
            Source::Blocks(blocks) => Source::Blocks(blocks.unsigned()),
        }
    }

    /// The database, if it is one.
    pub(crate) fn files(&self) -> Option<&Immutable> {
        match self {
            Source::Files(db) => Some(db),
            Source::Blocks(_) => None,
        }
    }

    /// The chunks from number `first` on, to be read; without it, from the first that is there.
    pub(crate) fn unread(self, network: &Network, first: Option<u64>) -> Chunks<'a> {
        match self {
            Source::Files(db) => {
                let first = first.or(db.chunks().first().copied());
                db.unread(network, first.unwrap_or(0))
            }
            Source::Blocks(Blocks { blocks, wanted }) => {
                let rules = Rules::of(network, wanted);
                Chunks::of_blocks(Groups::new(blocks, first, rules), rules)
            }
        }
    }
}

impl From<Immutable> for Source<'_> {
    fn from(db: Immutable) -> Self {
        Source::Files(db)
    }
}

impl From<&Immutable> for Source<'_> {
    fn from(db: &Immutable) -> Self {
        Source::Files(db.clone())
    }
}

impl<'a> From<Blocks<'a>> for Source<'a> {
    fn from(blocks: Blocks<'a>) -> Self {
        Source::Blocks(blocks)
    }
}
