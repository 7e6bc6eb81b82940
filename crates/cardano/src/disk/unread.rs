//! Chunks before and after they are read.
//!
//! What is in a chunk does not depend on the others, so that many can be read at a time, each on
//! its own thread. Who asks for the chunks decides that; their items are taken in order.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use klero_support::ReadError;

use crate::disk::blocks::{Grouped, Groups};
use crate::disk::chunk::Chunk;
use crate::disk::group::Group;
use crate::disk::index::{self, IndexContent};
use crate::disk::item::Item;
use crate::disk::names::file_name;
use crate::disk::pieces::Pieces;
use crate::disk::rules::Rules;
use crate::finding::{Fault, Finding};
use crate::limits::{BLOCK, CHUNK_FILE, SLOT};

/// The chunks of a walk, in order, not yet read. See [`Walk::reading`](crate::Walk::reading).
pub struct Chunks<'a> {
    reading: Arc<Reading>,
    source: Unread<'a>,
}

/// Where chunks come from.
enum Unread<'a> {
    Files {
        dir: Arc<Path>,
        /// Numbers of the chunks to come, and their lengths when they were listed.
        chunks: VecDeque<(u64, u64)>,
        /// The number the next chunk should have.
        expected: u64,
    },
    Blocks(Groups<'a>),
}

/// What all chunks of a walk have in common.
struct Reading {
    rules: Rules,
    /// Memory for stretches of chunk files, or for blocks, used again and again.
    stretches: Mutex<Vec<Vec<u8>>>,
}

/// A chunk that is not yet read, or some blocks of an iterator that belong to one.
pub struct UnreadChunk {
    reading: Arc<Reading>,
    number: u64,
    content: Content,
}

enum Content {
    Files(Files),
    Blocks(Group),
    /// The iterator failed in place of the block of this number.
    Failed {
        item: u64,
        reason: String,
    },
}

/// The files of a chunk.
struct Files {
    dir: Arc<Path>,
    /// The length of the chunk file when it was listed.
    listed: u64,
    /// The first of the chunks before it that are missing.
    missing: Option<u64>,
    newest: bool,
}

/// What was in a chunk.
pub struct ReadChunk {
    items: Vec<Item>,
    /// The length of its file when it was listed, and when it was opened.
    listed: u64,
    length: u64,
}

impl<'a> Chunks<'a> {
    /// The chunks in `dir` with these numbers and lengths, which should begin with number `first`.
    pub(super) fn of_files(
        dir: &Path,
        chunks: VecDeque<(u64, u64)>,
        first: u64,
        rules: Rules,
    ) -> Self {
        Self {
            reading: Arc::new(Reading::new(rules)),
            source: Unread::Files {
                dir: dir.into(),
                chunks,
                expected: first,
            },
        }
    }

    /// Groups of blocks.
    pub(super) fn of_blocks(groups: Groups<'a>, rules: Rules) -> Self {
        Self {
            reading: Arc::new(Reading::new(rules)),
            source: Unread::Blocks(groups),
        }
    }
}

impl Reading {
    fn new(rules: Rules) -> Self {
        Self {
            rules,
            stretches: Mutex::default(),
        }
    }

    /// Memory that was used before, if there is any.
    fn take_memory(&self) -> Vec<u8> {
        self.stretches().pop().unwrap_or_default()
    }

    fn return_memory(&self, memory: Vec<u8>) {
        self.stretches().push(memory);
    }

    fn stretches(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.stretches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Something by which blocks may be lost, from the beginning of a chunk on.
    fn lost(&self, fault: Fault, chunk: u64, item: Option<u64>) -> Item {
        let mut finding = Finding::in_chunk(chunk, fault);
        finding.at.item = item;
        Item::Lost(finding)
    }
}

impl Iterator for Chunks<'_> {
    type Item = UnreadChunk;

    fn next(&mut self) -> Option<UnreadChunk> {
        let (number, content) = match &mut self.source {
            Unread::Files {
                dir,
                chunks,
                expected,
            } => {
                let (number, listed) = chunks.pop_front()?;
                let expected = mem::replace(expected, number.saturating_add(1));
                let files = Files {
                    dir: dir.clone(),
                    listed,
                    missing: (expected < number).then_some(expected),
                    newest: chunks.is_empty(),
                };
                (number, Content::Files(files))
            }
            Unread::Blocks(groups) => match groups.next(self.reading.take_memory())? {
                Grouped::Blocks { chunk, group } => (chunk, Content::Blocks(group)),
                Grouped::Failed {
                    chunk,
                    item,
                    reason,
                } => (chunk, Content::Failed { item, reason }),
            },
        };
        Some(UnreadChunk {
            reading: self.reading.clone(),
            number,
            content,
        })
    }
}

impl UnreadChunk {
    /// The most bytes of memory that reading it can take, and then what was read: whatever is in
    /// its files, or the blocks that it already has.
    pub fn memory(&self) -> u64 {
        match &self.content {
            Content::Files(_) => {
                // A stretch, and the lists that are open in a hostile block.
                let stretch = 5 * BLOCK as u64;
                let slots = self.reading.rules.chunk_size.saturating_add(2);
                slots.saturating_mul(SLOT).saturating_add(stretch)
            }
            Content::Blocks(group) => group.memory(),
            Content::Failed { .. } => 0,
        }
    }

    /// Reads it: compares its blocks with its index and with their headers, and hashes them.
    pub fn read(self) -> ReadChunk {
        let Self {
            reading,
            number,
            content,
        } = self;
        match content {
            Content::Files(files) => files.read(number, &reading),
            Content::Blocks(group) => {
                let length = group.length();
                let (items, memory) = group.read(number, &reading.rules);
                reading.return_memory(memory);
                ReadChunk {
                    items,
                    listed: 0,
                    length,
                }
            }
            Content::Failed { item, reason: why } => ReadChunk {
                items: vec![reading.lost(Fault::Io { file: None, why }, number, Some(item))],
                listed: 0,
                length: 0,
            },
        }
    }
}

impl Files {
    fn read(self, number: u64, reading: &Reading) -> ReadChunk {
        let mut items = Vec::new();
        if let Some(first) = self.missing {
            let last_chunk = number - 1;
            let missing = Fault::MissingChunks { first, last_chunk };
            items.push(reading.lost(missing, first, None));
        }
        let mut length = self.listed;
        match self.read_blocks(number, reading) {
            Ok((found, read)) => {
                length = found;
                items.extend(read);
            }
            Err(error) => {
                let why = error.to_string();
                items.push(reading.lost(Fault::Io { file: None, why }, number, None));
            }
        }
        ReadChunk {
            items,
            listed: self.listed,
            length,
        }
    }

    /// The length of the chunk file, and the items in it.
    fn read_blocks(&self, number: u64, reading: &Reading) -> Result<(u64, Vec<Item>), ReadError> {
        let size = reading.rules.chunk_size;
        // The index first: a node that is writing appends to the chunk before the index, so
        // the chunk is never behind what was read of the index.
        let path = |extension| self.dir.join(file_name(number, extension));
        let secondary = klero_support::read(&path("secondary"), index::longest_secondary(size));
        let primary = klero_support::read(&path("primary"), index::longest_primary(size));
        let (file, length) = klero_support::open_within(&path("chunk"), CHUNK_FILE)?;
        let mut memory = reading.take_memory();
        let chunk = Chunk {
            number,
            file: Pieces::new(file, length, &mut memory),
            primary: IndexContent::from(&primary),
            secondary: IndexContent::from(&secondary),
            rules: reading.rules,
            newest: self.newest,
        };
        let items = chunk.read();
        reading.return_memory(memory);
        Ok((length, items))
    }
}

/// The items of chunk after chunk.
pub(crate) struct Items<'a> {
    chunks: Box<dyn Iterator<Item = ReadChunk> + Send + 'a>,
    /// Bytes of all chunks from the first on, as far as they are known by now.
    bytes: u64,
    queue: VecDeque<Item>,
}

impl<'a> Items<'a> {
    /// The items of `chunks`, which had `bytes` bytes when they were listed.
    pub(crate) fn new(chunks: impl Iterator<Item = ReadChunk> + Send + 'a, bytes: u64) -> Self {
        Self {
            chunks: Box::new(chunks),
            bytes,
            queue: VecDeque::new(),
        }
    }

    /// Bytes of all chunks from the first on: as listed, and as found for those that were
    /// opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        while self.queue.is_empty() {
            let ReadChunk {
                items,
                listed,
                length,
            } = self.chunks.next()?;
            self.bytes = self.bytes.saturating_sub(listed).saturating_add(length);
            self.queue = items.into();
        }
        self.queue.pop_front()
    }
}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}

impl fmt::Debug for UnreadChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        f.debug_struct("UnreadChunk")
            .field("number", &number)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ReadChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadChunk").finish_non_exhaustive()
    }
}
