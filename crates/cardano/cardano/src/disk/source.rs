//! The sources of blocks.

use crate::chain::network::Network;
use crate::disk::blocks::{Blocks, Groups};
use crate::disk::immutable::Immutable;
use crate::disk::rules::{Rules, Wanted};
use crate::disk::unread::{Chunks, Content, UnreadChunk};

/// The source of a walk's blocks: a node's files, or an iterator.
#[derive(Debug)]
pub enum Source<'a> {
    /// A node's database.
    Files(Immutable),
    /// An iterator.
    Blocks(Blocks<'a>),
}

impl<'a> Source<'a> {
    /// The node's database, if this source is one.
    pub(crate) fn files(&self) -> Option<&Immutable> {
        match self {
            Source::Files(db) => Some(db),
            Source::Blocks(_) => None,
        }
    }

    /// The chunks from number `first` on, or all chunks if `first` is `None`. They are not read yet.
    pub(crate) fn unread(
        self,
        network: &Network,
        wanted: Wanted,
        first: Option<u64>,
    ) -> Chunks<'a> {
        let rules = Rules::of(network, wanted);
        match self {
            Source::Files(db) => {
                let first = first.or(db.chunks().first().copied());
                db.unread(rules, first.unwrap_or(0))
            }
            Source::Blocks(Blocks(blocks)) => {
                let groups = Groups::new(blocks, first, rules).map(Content::Blocks);
                Chunks(Box::new(
                    groups.map(move |content| UnreadChunk { rules, content }),
                ))
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
