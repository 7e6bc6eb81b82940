//! A database to be damaged: its files, its blocks, and the index that is repaired or not.
//!
//! To damage a chain honestly takes more than a flipped bit: a copy that shares the files that stay
//! as they are, the place of a block, and an index that is repaired as far as the damage is to be
//! hidden from it.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use klero_cardano::{Block, Hash};
use klero_forge::{Entry, ImmutableWriter};

use crate::flip::Flip;

/// The files of a chunk, by their extensions.
const FILES: [&str; 3] = ["chunk", "primary", "secondary"];

/// The chunk files of a node and their indexes, in a directory.
///
/// Files of a [copy](Self::link) are links to those of the original until they are written. Blocks
/// are found by the secondary index, which must be right.
#[derive(Clone, Debug)]
pub struct Database {
    dir: PathBuf,
}

/// A block in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The number of its chunk.
    pub chunk: u64,
    /// Its first byte in the chunk file.
    pub offset: u64,
    /// Its slot by the index; of a boundary block, its epoch.
    pub listed: u64,
    /// What the index says of it.
    pub entry: Entry,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What is repaired in the index after a block was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing: the index shows the change.
    Nothing,
    /// The CRC-32 of the block.
    Crc,
    /// That, and the hash of its header.
    CrcAndHash,
}

/// The bytes of a block, by the chunk file that they are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of the chunk.
    pub chunk: u64,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
}

impl From<&Stored> for Extent {
    fn from(block: &Stored) -> Self {
        Self {
            chunk: block.chunk,
            offset: block.offset,
            size: block.bytes.len() as u64,
        }
    }
}

impl From<&Block> for Extent {
    fn from(block: &Block) -> Self {
        Self {
            chunk: block.chunk,
            offset: block.offset,
            size: block.size,
        }
    }
}

impl Extent {
    fn of(self, bytes: &mut [u8]) -> Result<&mut [u8]> {
        let range = self.offset as usize..self.offset.saturating_add(self.size) as usize;
        bytes.get_mut(range).ok_or_else(|| self.missing())
    }

    /// The error that there is no such block.
    pub(crate) fn missing(self) -> anyhow::Error {
        let Self { chunk, offset, .. } = self;
        anyhow!("chunk {chunk:05} has no such block at byte {offset}")
    }
}

impl Database {
    /// The database whose chunk files are in `dir`.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// A database without chunks, in a directory that is made if it is not there.
    pub fn create(dir: impl Into<PathBuf>) -> Result<Self> {
        let dir = dir.into();
        fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        Ok(Self { dir })
    }

    /// The directory of the chunk files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A file of a chunk: `chunk`, `primary` or `secondary`.
    pub fn file(&self, chunk: u64, extension: &str) -> PathBuf {
        self.dir.join(format!("{chunk:05}.{extension}"))
    }

    /// Adds chunks of another database, over those that are there: as links, where the system has
    /// them. All their files must exist.
    pub fn link(&self, original: &Self, chunks: Range<u64>) -> Result<()> {
        for chunk in chunks {
            for extension in FILES {
                let (from, to) = (original.file(chunk, extension), self.file(chunk, extension));
                let from = fs::canonicalize(&from).with_context(|| from.display().to_string())?;
                if to.is_symlink() || to.exists() {
                    self.remove(chunk, extension)?;
                }
                link(&from, &to).with_context(|| to.display().to_string())?;
            }
        }
        Ok(())
    }

    /// The bytes of a file.
    pub fn read(&self, chunk: u64, extension: &str) -> Result<Vec<u8>> {
        let path = self.file(chunk, extension);
        fs::read(&path).with_context(|| path.display().to_string())
    }

    /// Writes a file, in place of one that is there or of a link to it.
    pub fn write(&self, chunk: u64, extension: &str, bytes: &[u8]) -> Result<()> {
        let path = self.file(chunk, extension);
        if path.is_symlink() {
            self.remove(chunk, extension)?;
        }
        fs::write(&path, bytes).with_context(|| path.display().to_string())
    }

    /// Removes a file.
    pub fn remove(&self, chunk: u64, extension: &str) -> Result<()> {
        let path = self.file(chunk, extension);
        fs::remove_file(&path).with_context(|| path.display().to_string())
    }

    /// Changes the bytes of a file.
    pub fn change(
        &self,
        chunk: u64,
        extension: &str,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        let mut bytes = self.read(chunk, extension)?;
        change(&mut bytes);
        self.write(chunk, extension, &bytes)
    }

    /// The blocks of a chunk, by its secondary index.
    pub fn blocks(&self, chunk: u64) -> Result<Vec<Stored>> {
        let bytes = self.read(chunk, "chunk")?;
        let index = self.read(chunk, "secondary")?;
        let (entries, _) = index.as_chunks::<{ Entry::SIZE }>();
        let entries: Vec<_> = entries.iter().map(Entry::from_bytes).collect();
        let ends = entries.iter().skip(1).map(|(_, start, _)| *start);
        let ends = ends.chain([bytes.len() as u64]);
        let blocks = entries.iter().zip(ends);
        blocks
            .map(|(&(entry, offset, listed), end)| {
                let bytes = bytes.get(offset as usize..end as usize);
                let beyond = || format!("chunk {chunk:05} ends before the block at byte {offset}");
                Ok(Stored {
                    chunk,
                    offset,
                    listed,
                    entry,
                    bytes: bytes.with_context(beyond)?.to_vec(),
                })
            })
            .collect()
    }

    /// Writes a chunk of these blocks and its secondary index, whose entries are as they were, but
    /// for the places of the blocks and the CRC-32 that their bytes have now.
    pub fn store(&self, chunk: u64, blocks: &[Stored]) -> Result<()> {
        let (mut bytes, mut index) = (Vec::new(), Vec::new());
        for block in blocks {
            let entry = Entry {
                crc: crc32fast::hash(&block.bytes),
                ..block.entry
            };
            index.extend(entry.to_bytes(bytes.len() as u64, block.listed));
            bytes.extend(&block.bytes);
        }
        self.write(chunk, "chunk", &bytes)?;
        self.write(chunk, "secondary", &index)
    }

    /// Changes the bytes of a block, and repairs its index entry.
    pub fn change_block(
        &self,
        block: impl Into<Extent>,
        repair: Repair,
        change: impl FnOnce(&mut [u8]),
    ) -> Result<()> {
        let block = block.into();
        let mut bytes = self.read(block.chunk, "chunk")?;
        change(block.of(&mut bytes)?);
        self.write(block.chunk, "chunk", &bytes)?;
        self.repair(block, repair)
    }

    /// Repairs the index entry of a block whose bytes were changed.
    pub fn repair(&self, block: impl Into<Extent>, repair: Repair) -> Result<()> {
        if repair == Repair::Nothing {
            return Ok(());
        }
        let extent = block.into();
        let mut bytes = self.read(extent.chunk, "chunk")?;
        let bytes = extent.of(&mut bytes)?;
        let mut index = self.read(extent.chunk, "secondary")?;
        let (entries, _) = index.as_chunks_mut::<{ Entry::SIZE }>();
        let found = entries.iter_mut().find_map(|bytes| {
            let (entry, offset, listed) = Entry::from_bytes(bytes);
            (offset == extent.offset).then_some((bytes, entry, listed))
        });
        let repaired = found.and_then(|(place, mut entry, listed)| {
            entry.repair(bytes, repair == Repair::CrcAndHash)?;
            *place = entry.to_bytes(extent.offset, listed);
            Some(())
        });
        repaired.ok_or_else(|| extent.missing())?;
        self.write(extent.chunk, "secondary", &index)
    }

    /// Flips a bit of a block of the chain, and repairs its index entry.
    pub fn flip(&self, block: &Block, flip: Flip, repair: Repair) -> Result<()> {
        let mut flipped = Ok(());
        self.change_block(block, repair, |bytes| flipped = flip.apply(block, bytes))?;
        flipped
    }

    /// Writes the same chain to another directory, with blocks changed and everything that names
    /// them repaired: indexes and links. The signatures are not. A block that becomes empty is left
    /// out, and the link to it stays as it is.
    pub fn rewrite(
        &self,
        chunks: Range<u64>,
        chunk_slots: u64,
        to: &Path,
        mut change: impl FnMut(&Stored, &mut Vec<u8>),
    ) -> Result<Self> {
        let mut writer = ImmutableWriter::create(to, chunk_slots)?;
        let mut renamed: Option<(Hash<32>, Hash<32>)> = None;
        for chunk in chunks {
            for block in self.blocks(chunk)? {
                let mut bytes = block.bytes.clone();
                change(&block, &mut bytes);
                if bytes.is_empty() {
                    renamed = None;
                    continue;
                }
                if let Some((old, new)) = renamed {
                    replace(&mut bytes, &*old, &*new);
                }
                // The tag of a block follows the opening of a list.
                let after = match block.bytes.get(1) {
                    Some(0) => writer.append_boundary(block.listed, &bytes)?.hash,
                    _ => writer.append(block.listed, &bytes)?.hash,
                };
                renamed = (after != block.entry.hash).then_some((block.entry.hash, after));
            }
        }
        writer.finish()?;
        Ok(Self::at(to))
    }
}

/// Replaces the first occurrence, if there is one.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    if let Some(at) = bytes.windows(old.len()).position(|window| window == old) {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}
