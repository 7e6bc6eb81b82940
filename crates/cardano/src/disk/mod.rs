//! The chain on disk: a node's ImmutableDB, its chunk files with their indexes, or blocks from
//! elsewhere; and what can be wrong with them.

pub(crate) mod begun;
mod blocks;
mod body;
mod budget;
mod cbor;
mod chunk;
mod compare;
mod digests;
pub(crate) mod fault;
mod group;
pub(crate) mod immutable;
mod index;
pub(crate) mod item;
mod moved;
mod names;
pub(crate) mod note;
mod pieces;
mod rules;
mod skip;
pub(crate) mod source;
pub(crate) mod unread;

pub use blocks::Blocks;
pub use fault::{Fault, FaultKind, HeaderState, IndexFile, Location, Warning, WarningKind};
pub use immutable::{Immutable, OpenError};
pub use note::{Note, NoteKind};
pub use source::Source;
pub use unread::{Chunks, ReadChunk, UnreadChunk};
