//! The entries of a secondary index: where the blocks of a chunk are, and how they are known.

use pallas_crypto::hash::Hash;

/// Bytes of a secondary entry.
pub(crate) const ENTRY: usize = 56;

/// An entry of the secondary index. All numbers are big-endian on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// First byte of the block in the chunk.
    pub offset: u64,
    /// First byte of the header in the block.
    pub header_offset: u16,
    /// Bytes of the header.
    pub header_size: u16,
    /// CRC-32 (that of zlib) of the block.
    pub crc: u32,
    /// Hash of the header.
    pub hash: Hash<32>,
    /// Absolute slot; for a boundary block its epoch.
    pub slot: u64,
}

impl Entry {
    /// Its slot, if it is one of the `size` slots from `first` on.
    pub(crate) fn slot_in(&self, first: u64, size: u64) -> Option<u64> {
        self.slot
            .checked_sub(first)
            .filter(|relative| *relative < size)
            .map(|_| self.slot)
    }
}

/// The entries of a secondary index; a part of an entry at the end is left out.
pub(crate) fn entries(bytes: &[u8]) -> Vec<Entry> {
    bytes.chunks_exact(ENTRY).filter_map(entry).collect()
}

fn entry(mut bytes: &[u8]) -> Option<Entry> {
    let bytes = &mut bytes;
    Some(Entry {
        offset: u64::from_be_bytes(take(bytes)?),
        header_offset: u16::from_be_bytes(take(bytes)?),
        header_size: u16::from_be_bytes(take(bytes)?),
        crc: u32::from_be_bytes(take(bytes)?),
        hash: Hash::new(take(bytes)?),
        slot: u64::from_be_bytes(take(bytes)?),
    })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}
