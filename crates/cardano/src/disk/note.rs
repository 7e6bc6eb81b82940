//! Bytes that were not read, although nothing is known to be wrong with them.
//!
//! A chain that ends early is still a chain, and all blocks before its end are checked. So a
//! note is not a [`Fault`](crate::Fault), which is about blocks that are wrong.

use core::fmt;

use crate::disk::fault::{IndexFile, Location, counted};

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Number of the chunk file.
    pub chunk: u64,
    /// Byte offset in it, where one is known.
    pub offset: Option<u64>,
    /// Number of the block in an iterator, as in [`Location`].
    pub item: Option<u64>,
    /// Why it was not read.
    pub kind: NoteKind,
}

/// Why bytes were not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// The newest chunk ends in the first part of a block that follows on the one before it,
    /// as when a node is writing it. Every complete block was read.
    HalfWritten {
        /// The bytes that are there.
        bytes: u64,
    },
    /// The blocks from here on are of an era that this version does not know. The walk ends.
    UnknownEra {
        /// The tag of the first.
        tag: u8,
        /// Its slot, or the least slot it can have.
        slot: u64,
    },
    /// An index file is there and could not be read. The blocks were, without what it says of them.
    UnreadIndex {
        /// Which.
        file: IndexFile,
        /// The error of the operating system, or what the file is instead.
        reason: String,
    },
    /// A chunk file could not be read, or only in part, and the walk goes on after it; or the
    /// iterator that gives the blocks failed, and the walk ends.
    Io {
        /// The error of the operating system or of the iterator, or what the file is instead, or
        /// how long it is.
        reason: String,
    },
}

impl From<&Note> for Location {
    fn from(note: &Note) -> Self {
        Self {
            chunk: note.chunk,
            offset: note.offset,
            item: note.item,
            ..Self::default()
        }
    }
}

impl NoteKind {
    /// The name of the kind: lower case, with hyphens.
    ///
    /// ```
    /// use klero_cardano::NoteKind;
    /// assert_eq!(NoteKind::HalfWritten { bytes: 7 }.name(), "half-written");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            NoteKind::HalfWritten { .. } => "half-written",
            NoteKind::UnknownEra { .. } => "unknown-era",
            NoteKind::UnreadIndex { .. } => "unread-index",
            NoteKind::Io { .. } => "io",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Location::from(self), self.kind)
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoteKind::HalfWritten { bytes } => write!(
                f,
                "the last block is not complete; its {} {} not read",
                counted(*bytes, "byte"),
                if *bytes == 1 { "was" } else { "were" }
            ),
            NoteKind::UnknownEra { tag, slot } => write!(
                f,
                "blocks of an era this version does not know (tag {tag}) from slot {slot} on; \
                 update klero"
            ),
            NoteKind::UnreadIndex { file, reason } => {
                write!(f, "its {} index cannot be read: {reason}", file.extension())
            }
            NoteKind::Io { reason } => write!(f, "cannot be read: {reason}"),
        }
    }
}
