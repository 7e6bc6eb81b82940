//! Chunks before and after they are read.
//!
//! What is in a chunk does not depend on the others, so that many can be read at a time, each on
//! its own thread. Who asks for the chunks decides that; their items are taken in order.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use klero_files::ReadError;

use crate::disk::chunk::Chunk;
use crate::disk::compare::Rules;
use crate::disk::fault::{Fault, FaultKind, Location};
use crate::disk::index;
use crate::disk::item::Item;
use crate::disk::names::file_name;
use crate::disk::note::{Note, NoteKind};
use crate::disk::pieces::Pieces;
use crate::limits::{BLOCK, CHUNK_FILE, SLOT};

/// The chunks of a walk, in order, not yet read. See [`Walk::reading`](crate::Walk::reading).
#[derive(Debug)]
pub struct Chunks {
    reading: Arc<Reading>,
    /// Numbers of the chunks to come, and their lengths when they were listed.
    chunks: VecDeque<(u64, u64)>,
    /// The number the next chunk should have.
    expected: u64,
}

/// What all chunks of a walk have in common.
pub(super) struct Reading {
    pub dir: PathBuf,
    /// Slots of a chunk.
    pub size: u64,
    pub rules: Rules,
    /// Memory for stretches of chunk files, used again and again.
    pub stretches: Mutex<Vec<Vec<u8>>>,
}

/// A chunk that is not yet read.
#[derive(Debug)]
pub struct UnreadChunk {
    reading: Arc<Reading>,
    number: u64,
    /// The length of its file when it was listed.
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

impl Chunks {
    pub(super) fn new(chunks: VecDeque<(u64, u64)>, first: u64, reading: Reading) -> Chunks {
        Chunks {
            reading: Arc::new(reading),
            chunks,
            expected: first,
        }
    }
}

impl Iterator for Chunks {
    type Item = UnreadChunk;

    fn next(&mut self) -> Option<UnreadChunk> {
        let (number, listed) = self.chunks.pop_front()?;
        let expected = mem::replace(&mut self.expected, number.saturating_add(1));
        Some(UnreadChunk {
            reading: self.reading.clone(),
            number,
            listed,
            missing: (expected < number).then_some(expected),
            newest: self.chunks.is_empty(),
        })
    }
}

impl UnreadChunk {
    /// The most bytes of memory that reading it can take, and then what was read: whatever is in
    /// its files.
    pub fn memory(&self) -> u64 {
        // A stretch, and the lists that are open in a hostile block.
        let stretch = 5 * BLOCK as u64;
        let slots = self.reading.size.saturating_add(2);
        slots.saturating_mul(SLOT).saturating_add(stretch)
    }

    /// Reads it: compares its blocks with its index and with their headers, and hashes them.
    pub fn read(self) -> ReadChunk {
        let mut items = Vec::new();
        if let Some(first) = self.missing {
            let last = self.number - 1;
            items.push(self.lost(FaultKind::MissingChunks { first, last }, first));
        }
        let mut length = self.listed;
        match self.read_files() {
            Ok((found, read)) => {
                length = found;
                items.extend(read);
            }
            Err(error) => items.push(self.not_read(&error)),
        }
        ReadChunk {
            items,
            listed: self.listed,
            length,
        }
    }

    /// The length of the chunk file, and the items in it.
    fn read_files(&self) -> Result<(u64, Vec<Item>), ReadError> {
        let Reading {
            dir,
            size,
            rules,
            stretches,
        } = &*self.reading;
        // The index first: a node that is writing appends to the chunk before the index, so
        // the chunk is never behind what was read of the index.
        let path = |extension| dir.join(file_name(self.number, extension));
        let secondary = klero_files::read(&path("secondary"), index::longest_secondary(*size));
        let primary = klero_files::read(&path("primary"), index::longest_primary(*size));
        let (file, length) = open(&path("chunk"))?;
        let stretches = || stretches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = stretches().pop().unwrap_or_default();
        let chunk = Chunk {
            number: self.number,
            file: Pieces::new(file, length, &mut memory),
            primary: index_file(&primary),
            secondary: index_file(&secondary),
            size: *size,
            rules: *rules,
            newest: self.newest,
        };
        let items = chunk.read();
        stretches().push(memory);
        Ok((length, items))
    }

    fn lost(&self, kind: FaultKind, chunk: u64) -> Item {
        let location = Location {
            chunk,
            ..Location::default()
        };
        let fault = Fault { kind, location };
        let since = chunk.saturating_mul(self.reading.size);
        Item::Lost { fault, since }
    }

    fn not_read(&self, error: &ReadError) -> Item {
        let kind = NoteKind::Io {
            reason: error.to_string(),
        };
        let note = Note {
            chunk: self.number,
            offset: None,
            kind,
        };
        let since = self.number.saturating_mul(self.reading.size);
        Item::NotRead { note, since }
    }
}

fn index_file(read: &Result<Vec<u8>, ReadError>) -> Option<Result<&[u8], String>> {
    match read {
        Ok(bytes) => Some(Ok(bytes)),
        Err(error) if error.is_not_found() => None,
        Err(error) => Some(Err(format!("it cannot be read: {error}"))),
    }
}

/// Opens a chunk file; its length.
fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let (file, size) = klero_files::open(path)?;
    if size > CHUNK_FILE {
        return Err(ReadError::TooLong {
            path: path.to_owned(),
            size,
            limit: CHUNK_FILE,
        });
    }
    Ok((file, size))
}

/// The items of chunk after chunk.
pub(crate) struct Items {
    chunks: Box<dyn Iterator<Item = ReadChunk> + Send>,
    /// Bytes of all chunks from the first on, as far as they are known by now.
    bytes: u64,
    queue: VecDeque<Item>,
}

impl Items {
    /// The items of `chunks`, which had `bytes` bytes when they were listed.
    pub(crate) fn new(
        chunks: impl Iterator<Item = ReadChunk> + Send + 'static,
        bytes: u64,
    ) -> Items {
        Items {
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

impl Iterator for Items {
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

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ReadChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadChunk").finish_non_exhaustive()
    }
}
