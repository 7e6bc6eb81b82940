//! The chain on disk: a node's ImmutableDB, its chunk files with their indexes, and what can be
//! wrong with them.

pub(crate) mod begun;
mod body;
mod budget;
mod cbor;
mod chunk;
mod compare;
pub(crate) mod fault;
pub(crate) mod immutable;
mod index;
pub(crate) mod item;
mod names;
pub(crate) mod note;
mod pieces;
mod skip;
pub(crate) mod unread;

pub use fault::{Fault, FaultKind, HeaderState, IndexFile, Location, Warning, WarningKind};
pub use immutable::{Immutable, OpenError};
pub use note::{Note, NoteKind};
pub use unread::{Chunks, ReadChunk, UnreadChunk};
