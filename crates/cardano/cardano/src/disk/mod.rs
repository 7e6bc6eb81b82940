//! Reading stored blocks from a node's ImmutableDB (chunk files with their indexes) or from an iterator.

pub(crate) mod begun;
mod blocks;
mod body;
mod cbor;
mod chunk;
mod compare;
mod digests;
mod group;
pub(crate) mod immutable;
mod index;
pub(crate) mod item;
mod pieces;
pub(crate) mod rules;
mod skip;
pub(crate) mod source;
pub(crate) mod unread;

pub use blocks::Blocks;
pub use immutable::{Immutable, OpenError};
pub use rules::Wanted;
pub use source::Source;
pub use unread::{Chunks, ReadChunk, UnreadChunk};
