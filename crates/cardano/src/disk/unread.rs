//! Chunks before and after they are read.
//!
//! Chunks do not depend on each other. So a caller can read many at a time, each on its own thread, and take
//! their items in order.

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

/// The chunks of a walk, in order, not yet read. See [`Walk::reading`](crate::Walk::reading).
pub struct Chunks<'a>(pub(super) Box<dyn Iterator<Item = UnreadChunk> + Send + 'a>);

/// A chunk that is not yet read, or some blocks of an iterator that belong to one chunk.
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
    /// The first of the missing chunks just before it, if there are any.
    pub missing: Option<u64>,
    pub newest: bool,
}

/// The content of a chunk that was read.
pub struct ReadChunk {
    pub(crate) items: Vec<Item>,
    /// The length of its file when it was listed, and when it was opened.
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
    /// Upper bound on the bytes of memory for reading, and then for the result. It follows from the slots of
    /// a chunk, whatever is in the files, or from the blocks of an iterator.
    pub fn memory(&self) -> u64 {
        match &self.content {
            Content::Files(_) => {
                // A stretch, and the lists that are open in a hostile block.
                let stretch = 5 * BLOCK as u64;
                let slots = self.rules.chunk_size.saturating_add(2);
                slots.saturating_mul(SLOT).saturating_add(stretch)
            }
            Content::Blocks(group) => group.memory(),
        }
    }

    /// Reads the chunk: hashes its blocks, and compares them with its index and with their headers.
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

    /// The length of the chunk file, and the items in it.
    fn read_blocks(&self, rules: Rules) -> Result<(u64, Vec<Item>), ReadError> {
        let path = |extension| self.dir.join(file_name(self.number, extension));
        // The index first: a node that is writing appends to the chunk before the index, so
        // the chunk is never behind what was read of the index.
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

/// The name of the file of a chunk with this extension: `chunk`, `primary` or `secondary`.
pub(super) fn file_name(number: u64, extension: &str) -> String {
    format!("{number:05}.{extension}")
}
