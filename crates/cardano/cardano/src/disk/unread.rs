//! Chunks before and after they are read.
//!
//! Chunks do not depend on each other. So a caller can read many chunks at the same time, each on its own
//! thread, and then take their items in order.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use klero_support::ReadError;

use crate::disk::chunk::Chunk;
use crate::disk::group::Group;
use crate::disk::index;
use crate::disk::item::Item;
use crate::disk::pieces::Pieces;
use crate::disk::rules::Rules;
use crate::fault::Fault;
use crate::finding::Finding;
use crate::limits::{BLOCK, CHUNK_FILE, SLOT};

/// The unread chunks of a walk, in order (see [`Walk::reading`](crate::Walk::reading)).
pub struct Chunks<'a>(pub(super) Box<dyn Iterator<Item = UnreadChunk> + Send + 'a>);

/// A chunk that is not yet read, or a group of blocks of an iterator that belong to one chunk.
#[derive(Debug)]
pub struct UnreadChunk {
    pub(super) rules: Rules,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Files(Files),
    Blocks(Group),
}

/// The files of a chunk.
#[derive(Debug)]
pub(super) struct Files {
    pub dir: Arc<Path>,
    /// The number of the chunk.
    pub number: u64,
    /// The length of the chunk file when it was listed.
    pub listed: u64,
    /// The number of the first missing chunk, if chunks are missing just before this one.
    pub missing: Option<u64>,
    pub newest: bool,
}

/// The content of a chunk that was read.
pub struct ReadChunk {
    pub(crate) items: Vec<Item>,
    /// The chunk file's length when it was listed (0 for an iterator), and its length when it was opened.
    pub(crate) listed: u64,
    pub(crate) length: u64,
}

impl Iterator for Chunks<'_> {
    type Item = UnreadChunk;

    fn next(&mut self) -> Option<UnreadChunk> {
        self.0.next()
    }
}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}

impl fmt::Debug for ReadChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadChunk")
            .field("items", &self.items.len())
            .finish_non_exhaustive()
    }
}

impl UnreadChunk {
    /// An upper bound, in bytes, on the memory for reading this chunk, and then for the result. For files it
    /// depends only on the number of slots in a chunk. For an iterator it depends on the blocks.
    pub fn memory(&self) -> u64 {
        match &self.content {
            Content::Files(_) => {
                // The stretch of the file, and the stack of open lists while a hostile block is skipped.
                let stretch = 5 * BLOCK as u64;
                let slots = self.rules.chunk_size.saturating_add(2);
                slots.saturating_mul(SLOT).saturating_add(stretch)
            }
            Content::Blocks(group) => group.memory(),
        }
    }

    /// Reads the chunk, hashes its blocks, and compares each block with its header and its index entry.
    pub fn read(self) -> ReadChunk {
        match self.content {
            Content::Files(files) => files.read(self.rules),
            Content::Blocks(group) => ReadChunk {
                listed: 0,
                length: group.length(),
                items: group.read(&self.rules),
            },
        }
    }
}

impl Files {
    fn read(self, rules: Rules) -> ReadChunk {
        let mut items = Vec::new();
        if let Some(first) = self.missing {
            let last_chunk = self.number - 1;
            let missing = Fault::MissingChunks { first, last_chunk };
            items.push(Item::Lost(Finding::in_chunk(first, missing)));
        }
        let mut length = self.listed;
        match self.read_blocks(rules) {
            Ok((found, read)) => {
                length = found;
                items.extend(read);
            }
            Err(error) => {
                let why = error.to_string();
                let fault = Fault::Io { file: None, why };
                items.push(Item::Lost(Finding::in_chunk(self.number, fault)));
            }
        }
        ReadChunk {
            items,
            listed: self.listed,
            length,
        }
    }

    /// Reads the files. Returns the length of the chunk file, and the items of the chunk.
    fn read_blocks(&self, rules: Rules) -> Result<(u64, Vec<Item>), ReadError> {
        let path = |extension| self.dir.join(file_name(self.number, extension));
        // The index is read first. A node appends to the chunk before it appends to the index, so the chunk,
        // which is opened later, contains every block that the index lists.
        let longest = index::longest_secondary(rules.chunk_size);
        let secondary = klero_support::read(&path("secondary"), longest);
        let longest = index::longest_primary(rules.chunk_size);
        let primary = klero_support::read(&path("primary"), longest);
        let (file, length) = klero_support::open_within(&path("chunk"), CHUNK_FILE)?;
        let chunk = Chunk {
            number: self.number,
            file: Pieces::new(file, length),
            primary,
            secondary,
            rules,
            newest: self.newest,
        };
        Ok((length, chunk.read()))
    }
}

/// The name of a chunk's file with the given extension, which is `chunk`, `primary` or `secondary`.
pub(super) fn file_name(number: u64, extension: &str) -> String {
    format!("{number:05}.{extension}")
}
