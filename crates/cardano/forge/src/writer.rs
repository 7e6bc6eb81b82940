//! Writes an ImmutableDB as a node does. Blocks are appended in the order of their slots, each chunk gets its
//! three files, and the last chunk stays open (unfinished).
//!
//! * `NNNNN.chunk`: the blocks back to back, without framing.
//! * `NNNNN.primary`: one byte (version 1), then big-endian `u32` offsets into the secondary file.
//!   Offset `r + 1` is larger than offset `r` exactly when the chunk's relative slot `r` holds a block.
//!   Relative slot 0 is for a boundary block. A finished chunk of `size` slots has `size + 2` offsets. An
//!   open chunk has no offsets for the slots after its newest block.
//! * `NNNNN.secondary`: 56 bytes per block: the block's offset in the chunk file, its [`Entry`], and its slot
//!   or epoch.
//!
//! [`Entry::of`] computes the entry of a block.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use klero_cardano::Hash;
use pallas_codec::minicbor;

use crate::error::ForgeError;
use crate::hash::blake2b_256;

/// The number of bytes before a block's header: the head of the pair, the era tag, and the head of the array.
const HEADER_OFFSET: usize = 3;

/// A block's entry in the secondary index, without two fields: the block's offset, and its slot or epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The offset of the header in the block, in bytes.
    pub header_offset: u16,
    /// The length of the header in bytes.
    pub header_size: u16,
    /// CRC-32 (ISO-HDLC, as in zlib) of all of the block's bytes.
    pub crc: u32,
    /// BLAKE2b-256 of the header, or of `[tag, header]` for a Byron block.
    pub hash: Hash<32>,
}

impl Entry {
    /// The length of an entry in a secondary file, in bytes.
    pub const SIZE: usize = 56;

    /// Computes the correct entry of a block.
    ///
    /// # Errors
    /// [`ForgeError::NotABlock`] if the bytes are not shaped like
    /// `[tag, [header, ...]]` or the header is longer than 65,535 bytes.
    pub fn of(block: &[u8]) -> Result<Self, ForgeError> {
        let mut rest = minicbor::Decoder::new(block);
        let pair = rest.array().map_err(ForgeError::NotABlock)?;
        let tag = rest.u8().map_err(ForgeError::NotABlock)?;
        rest.array().map_err(ForgeError::NotABlock)?;
        let start = rest.position();
        rest.skip().map_err(ForgeError::NotABlock)?;
        let header = block.get(start..rest.position()).unwrap_or_default();
        let header_size = match u16::try_from(header.len()) {
            Ok(size) if pair == Some(2) && start == HEADER_OFFSET => size,
            _ => {
                return Err(ForgeError::NotABlock(minicbor::decode::Error::message(
                    "a block is a pair of an era tag below 24 and an array that begins with a header of at most 65,535 bytes",
                )));
            }
        };
        let hash = header_hash(tag, header);
        Ok(Self {
            header_offset: HEADER_OFFSET as u16,
            header_size,
            crc: crc32fast::hash(block),
            hash,
        })
    }

    /// Adapts the entry to a changed block with a header of unchanged place and length. Sets the CRC-32 and,
    /// if `with_hash` is true, the hash. Returns `None` if the block is too short to compute the hash.
    pub fn repair(&mut self, block: &[u8], with_hash: bool) -> Option<()> {
        self.crc = crc32fast::hash(block);
        if with_hash {
            let start = usize::from(self.header_offset);
            let header = block.get(start..start + usize::from(self.header_size))?;
            self.hash = header_hash(*block.get(1)?, header);
        }
        Some(())
    }

    /// Returns the bytes of the entry in a secondary file. The block begins at `offset` in the chunk file,
    /// and `listed` is its slot or epoch.
    pub fn to_bytes(self, offset: u64, listed: u64) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&offset.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.header_offset.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.header_size.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.crc.to_be_bytes());
        bytes[16..48].copy_from_slice(&*self.hash);
        bytes[48..].copy_from_slice(&listed.to_be_bytes());
        bytes
    }

    /// Reads an entry of a secondary file. Returns the entry, the block's offset, and its slot or epoch.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> (Self, u64, u64) {
        let number = |range: Range<usize>| {
            let bytes = bytes[range].iter();
            bytes.fold(0, |n, byte| n << 8 | u64::from(*byte))
        };
        let entry = Self {
            header_offset: number(8..10) as u16,
            header_size: number(10..12) as u16,
            crc: number(12..16) as u32,
            hash: Hash::from(&bytes[16..48]),
        };
        (entry, number(0..8), number(48..56))
    }
}

/// The hash of a header in a block with this era tag.
fn header_hash(tag: u8, header: &[u8]) -> Hash<32> {
    match tag {
        0 | 1 => blake2b_256(&[&[0x82, tag], header]),
        _ => blake2b_256(&[header]),
    }
}

/// Appends blocks to an ImmutableDB directory.
///
/// [`finish`](Self::finish) writes everything that is still in memory. A writer that is dropped instead
/// leaves its last chunk without index files, like a node that lost power.
///
/// ```
/// use klero_forge::ImmutableWriter;
/// let dir = std::env::temp_dir().join(format!("klero-doc-writer-{}", std::process::id()));
/// let mut writer = ImmutableWriter::create(&dir, 200)?;
/// writer.append(7, &[0x82, 0x02, 0x84, 0x81, 0x00, 0x80, 0x80, 0xa0])?;
/// writer.finish()?;
/// // One byte, then the offsets for relative slots 0 to 8, and the offset after the last entry.
/// assert_eq!(std::fs::metadata(dir.join("00000.primary")).unwrap().len(), 1 + 4 * 10);
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), klero_forge::ForgeError>(())
/// ```
#[derive(Debug)]
pub struct ImmutableWriter {
    dir: PathBuf,
    chunk_slots: u64,
    chunk: Chunk,
}

/// The chunk being written.
#[derive(Debug)]
struct Chunk {
    number: u64,
    blocks: BufWriter<File>,
    /// The number of bytes written to `blocks`.
    length: u64,
    /// The offsets of the primary index. There is always at least one.
    primary: Vec<u32>,
    secondary: Vec<u8>,
}

impl ImmutableWriter {
    /// Begins a database in `dir`, which is created if necessary and must not contain a chunk 0.
    /// `chunk_slots` is the number of slots in a chunk, which is ten times Byron's k.
    ///
    /// # Errors
    /// [`ForgeError::Io`] if the directory or chunk 0 cannot be made; [`ForgeError::Recipe`] if `chunk_slots`
    /// is 0 or so large that offsets into a secondary file would not fit into 32 bits.
    pub fn create(dir: &Path, chunk_slots: u64) -> Result<Self, ForgeError> {
        if chunk_slots == 0 || chunk_slots >= u64::from(u32::MAX) / Entry::SIZE as u64 {
            return Err(ForgeError::Recipe(format!(
                "chunks of {chunk_slots} slots cannot be indexed"
            )));
        }
        fs::create_dir_all(dir).map_err(|error| ForgeError::io(dir, error))?;
        Ok(Self {
            dir: dir.to_owned(),
            chunk_slots,
            chunk: Chunk::create(dir, 0)?,
        })
    }

    /// Appends an ordinary block with its correct index entry. If the slot is in a new chunk, all chunks
    /// before that chunk are finished first. Chunks without blocks get their files, too.
    ///
    /// The slot is counted from the start of the chain and decides where the block is listed. It is not
    /// compared with the slot in the header.
    ///
    /// # Errors
    /// The errors of [`Entry::of`]; [`ForgeError::Order`] if the slot is not after the slot of the last
    /// block; [`ForgeError::Io`] if a file cannot be written.
    pub fn append(&mut self, slot: u64, block: &[u8]) -> Result<Entry, ForgeError> {
        // `create` limits the slots of a chunk, so a relative slot is far below 2^32.
        let relative = (slot % self.chunk_slots) as usize + 1;
        self.append_at(slot / self.chunk_slots, relative, slot, block)
    }

    /// Appends the boundary block (EBB) that begins a Byron epoch. The epoch's number is also the chunk's.
    ///
    /// # Errors
    /// The same errors as [`append`](Self::append).
    pub fn append_boundary(&mut self, epoch: u64, block: &[u8]) -> Result<Entry, ForgeError> {
        self.append_at(epoch, 0, epoch, block)
    }

    fn append_at(
        &mut self,
        number: u64,
        relative: usize,
        listed: u64,
        block: &[u8],
    ) -> Result<Entry, ForgeError> {
        let entry = Entry::of(block)?;
        if number < self.chunk.number
            || (number == self.chunk.number && relative + 1 < self.chunk.primary.len())
        {
            return Err(ForgeError::Order(listed));
        }
        while self.chunk.number < number {
            let next = Chunk::create(&self.dir, self.chunk.number + 1)?;
            let finished = std::mem::replace(&mut self.chunk, next);
            finished.close(&self.dir, Some(self.chunk_slots as usize + 2))?;
        }
        let chunk = &mut self.chunk;
        chunk
            .blocks
            .write_all(block)
            .map_err(|error| ForgeError::io(&path(&self.dir, number, "chunk"), error))?;
        let before = chunk.secondary.len() as u32;
        chunk.primary.resize(relative + 1, before);
        chunk.primary.push(before + Entry::SIZE as u32);
        chunk.secondary.extend(entry.to_bytes(chunk.length, listed));
        chunk.length += block.len() as u64;
        Ok(entry)
    }

    /// Writes the indexes of the open chunk. The primary index has no offsets after the newest block.
    ///
    /// # Errors
    /// [`ForgeError::Io`] if a file cannot be written.
    pub fn finish(self) -> Result<(), ForgeError> {
        self.chunk.close(&self.dir, None)
    }
}

impl Chunk {
    fn create(dir: &Path, number: u64) -> Result<Self, ForgeError> {
        let path = path(dir, number, "chunk");
        let file = File::create_new(&path).map_err(|error| ForgeError::io(&path, error))?;
        Ok(Self {
            number,
            blocks: BufWriter::new(file),
            length: 0,
            primary: vec![0],
            secondary: Vec::new(),
        })
    }

    /// Writes the indexes. In a finished chunk, the primary index must be extended to `offsets` offsets.
    fn close(mut self, dir: &Path, offsets: Option<usize>) -> Result<(), ForgeError> {
        if let Some(offsets) = offsets {
            self.primary.resize(offsets, self.secondary.len() as u32);
        }
        let mut primary = vec![1];
        primary.extend(self.primary.iter().flat_map(|offset| offset.to_be_bytes()));
        self.blocks
            .flush()
            .map_err(|error| ForgeError::io(&path(dir, self.number, "chunk"), error))?;
        for (kind, bytes) in [("primary", &primary), ("secondary", &self.secondary)] {
            let path = path(dir, self.number, kind);
            fs::write(&path, bytes).map_err(|error| ForgeError::io(&path, error))?;
        }
        Ok(())
    }
}

fn path(dir: &Path, number: u64, kind: &str) -> PathBuf {
    dir.join(format!("{number:05}.{kind}"))
}
