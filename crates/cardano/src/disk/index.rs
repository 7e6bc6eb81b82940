//! The two index files beside a chunk.
//!
//! The *secondary* index has one entry per block: where it begins, where its header is, its CRC-32, hash and
//! slot. The *primary* index says which slots of the chunk are filled. Both are conveniences that a node
//! rebuilds from the chunk, so nothing in them is trusted: their entries are read here, and the reader of the
//! chunk compares them with its bytes.

use std::io;

use klero_support::ReadError;
use pallas_crypto::hash::Hash;

use crate::disk::pieces::Pieces;
use crate::fault::{Fault, IndexFile, counted};
use crate::limits::{BLOCK, INDEX_FILE};

/// Bytes of a secondary entry.
const ENTRY: usize = 56;

/// An entry of the secondary index. All numbers are big-endian on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// First byte of the block in the chunk.
    pub offset: u64,
    /// First byte of the header in the block.
    pub header_offset: u16,
    /// The header's length in bytes.
    pub header_size: u16,
    /// CRC-32 (that of zlib) of the block.
    pub crc: u32,
    /// Hash of the header.
    pub hash: Hash<32>,
    /// The absolute slot; for a boundary block, its epoch.
    pub slot: u64,
}

/// The entries of a secondary index; a part of an entry at the end is left out.
fn entries(bytes: &[u8]) -> Vec<Entry> {
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

/// The fault of an index file: the file was not read, or there is a `complaint` about its bytes.
pub(crate) fn fault(
    file: IndexFile,
    read: &Result<Vec<u8>, ReadError>,
    complaint: Option<String>,
) -> Option<Fault> {
    let what = match read {
        Ok(_) => Some(complaint?),
        Err(error) if error.is_not_found() => None,
        Err(error) if error.is_too_long() => Some(format!("it cannot be read: {error}")),
        Err(error) => {
            return Some(Fault::Io {
                file: Some(file),
                why: error.to_string(),
            });
        }
    };
    Some(Fault::Index { file, what })
}

/// The most bytes of a secondary index for a chunk of `slots` slots.
pub(crate) fn longest_secondary(slots: u64) -> u64 {
    let entries = slots.saturating_add(2);
    entries.saturating_mul(ENTRY as u64).min(INDEX_FILE)
}

/// The most bytes of a primary index for a chunk of `slots` slots: its version and offsets.
pub(crate) fn longest_primary(slots: u64) -> u64 {
    let offsets = slots.saturating_add(2);
    offsets.saturating_mul(4).saturating_add(1).min(INDEX_FILE)
}

/// The entries of a chunk's secondary index that can be right, and the complaint about the others.
#[derive(Default)]
pub(crate) struct Listing {
    /// Entries with strictly rising offsets inside the chunk.
    kept: Vec<Entry>,
    /// The result of the last [`anchor`](Self::anchor).
    anchor: Option<usize>,
    /// Length of the chunk.
    length: u64,
    /// The number of entries, up to the most that the chunk can have.
    pub listed: u64,
    /// The number of entries at the end whose offsets are beyond the chunk.
    pub beyond: u64,
    /// The offset of the first of these.
    pub beyond_from: Option<u64>,
    /// The complaint about the lowest byte of the chunk, with that byte.
    pub complaint: Option<(u64, String)>,
}

impl Listing {
    /// Reads the `secondary` of a chunk of `length` bytes and `slots` slots.
    pub(crate) fn new(secondary: &[u8], length: u64, slots: u64) -> Listing {
        let mut listing = Listing {
            length,
            ..Listing::default()
        };
        if !secondary.len().is_multiple_of(ENTRY) {
            let length = counted(secondary.len() as u64, "byte");
            listing.complain(0, format!("it has {length}, not a multiple of {ENTRY}"));
        }
        let mut all = entries(secondary);
        // A block in every slot and the boundary block.
        if all.len() as u64 > slots + 1 {
            let reason = format!("it has {} entries for {slots} slots", all.len());
            listing.complain(0, reason);
            all.truncate(usize::try_from(slots + 1).unwrap_or(usize::MAX));
        }
        listing.listed = all.len() as u64;
        let inside = all.iter().rposition(|entry| entry.offset < length);
        let beyond = all.split_off(inside.map_or(0, |last| last + 1));
        listing.beyond = beyond.len() as u64;
        listing.beyond_from = beyond.first().map(|entry| entry.offset);
        listing.kept.reserve_exact(all.len());
        for (n, entry) in (0u64..).zip(all) {
            let last = listing.kept.last();
            if entry.offset < length && last.is_none_or(|last| last.offset < entry.offset) {
                listing.kept.push(entry);
            } else {
                let reason = format!("entry {n} begins at byte {}, out of order", entry.offset);
                listing.complain(0, reason);
            }
        }
        listing
    }

    /// Complains about the byte `at` of the chunk, 0 for the entries as such. The complaint about the lowest
    /// byte is kept; if there are several about that byte, the first.
    pub(crate) fn complain(&mut self, at: u64, reason: String) {
        if self.complaint.as_ref().is_none_or(|(first, _)| at < *first) {
            self.complaint = Some((at, reason));
        }
    }

    /// Entry `n` of those that can be right.
    pub(crate) fn entry(&self, n: usize) -> Option<&Entry> {
        self.kept.get(n)
    }

    /// The offset of the block of entry `n`; after the last entry, the end of the chunk.
    pub(crate) fn offset(&self, n: usize) -> u64 {
        self.entry(n).map_or(self.length, |entry| entry.offset)
    }

    /// The number of the first proven entry from entry `n` on: the bytes from its offset to the next entry's
    /// have its CRC-32. If there is none, the number of entries. If `n` rises from call to call, no byte is
    /// hashed twice.
    pub(crate) fn anchor(&mut self, n: usize, chunk: &mut Pieces) -> io::Result<usize> {
        let found = match self.anchor.filter(|found| *found >= n) {
            Some(found) => found,
            None => {
                let mut at = n;
                while at < self.kept.len() && !self.holds(at, chunk)? {
                    at += 1;
                }
                at
            }
        };
        self.anchor = Some(found);
        Ok(found)
    }

    fn holds(&self, n: usize, chunk: &mut Pieces) -> io::Result<bool> {
        let (start, end) = (self.offset(n), self.offset(n + 1));
        let Some(entry) = self.entry(n).filter(|_| end - start <= BLOCK as u64) else {
            return Ok(false);
        };
        Ok(chunk.crc(start, end)? == entry.crc)
    }
}

/// Compares a primary index with the blocks in the chunk.
///
/// `filled` are the relative slots of the blocks in order: 0 for a boundary block, else one more than the
/// distance from the chunk's first slot. The primary index of the `newest` chunk may lag behind.
pub(crate) fn check_primary(
    bytes: &[u8],
    filled: &[u64],
    chunk_size: u64,
    newest: bool,
) -> Result<(), String> {
    let Some((&version, offsets)) = bytes.split_first() else {
        return if newest {
            Ok(())
        } else {
            Err("it is empty".into())
        };
    };
    if version != 1 {
        return Err(format!("its version is {version}, expected 1"));
    }
    let (offsets, rest) = offsets.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!(
            "its {} bytes are not 1 and a multiple of 4",
            bytes.len()
        ));
    }
    if !newest && offsets.len() as u64 != chunk_size + 2 {
        return Err(format!(
            "it has {} offsets, expected {}",
            offsets.len(),
            chunk_size + 2
        ));
    }
    let mut filled = filled.iter().copied().peekable();
    let mut last = 0;
    for (offset, slot) in offsets
        .iter()
        .map(|o| u32::from_be_bytes(*o))
        .skip(1)
        .zip(0u64..)
    {
        let is_filled = filled.next_if_eq(&slot).is_some();
        let expected = if is_filled { last + ENTRY as u64 } else { last };
        if u64::from(offset) != expected {
            return Err(format!(
                "it leads to byte {offset} after relative slot {slot}, expected {expected}"
            ));
        }
        last = expected;
    }
    match filled.next() {
        Some(slot) if !newest => Err(format!("it ends before relative slot {slot}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_secondary() {
        let mut bytes = Vec::new();
        bytes.extend(7u64.to_be_bytes());
        bytes.extend(3u16.to_be_bytes());
        bytes.extend(900u16.to_be_bytes());
        bytes.extend(0xdead_beefu32.to_be_bytes());
        bytes.extend([9; 32]);
        bytes.extend(11u64.to_be_bytes());
        bytes.extend([0; 55]);
        let expected = Entry {
            offset: 7,
            header_offset: 3,
            header_size: 900,
            crc: 0xdead_beef,
            hash: Hash::new([9; 32]),
            slot: 11,
        };
        assert_eq!(entries(&bytes), [expected]);
        assert_eq!(entries(&[]), []);
    }

    fn primary(offsets: &[u32]) -> Vec<u8> {
        [1].into_iter()
            .chain(offsets.iter().flat_map(|o| o.to_be_bytes()))
            .collect()
    }

    #[test]
    fn primaries() {
        // Four slots and the boundary: six offsets; relative slots 0, 2 and 4 are filled.
        let filled = [0, 2, 4];
        let right = primary(&[0, 56, 56, 112, 112, 168]);
        assert_eq!(check_primary(&right, &filled, 4, false), Ok(()));
        let lagging = primary(&[0, 56, 56]);
        assert_eq!(check_primary(&lagging, &filled, 4, true), Ok(()));
        assert_eq!(check_primary(&[], &filled, 4, true), Ok(()));
        for (bytes, says) in [
            (&[][..], "empty"),
            (&lagging, "3 offsets, expected 6"),
            (&right[1..], "version is 0"),
            (&right[..24], "not 1 and a multiple"),
            (
                &primary(&[0, 56, 56, 56, 112, 168]),
                "byte 56 after relative slot 2, expected 112",
            ),
            (
                &primary(&[0, 56, 56, 112, 112, 112]),
                "byte 112 after relative slot 4",
            ),
            (&primary(&[0, 56, 56, 112, 112, u32::MAX]), "expected 168"),
        ] {
            let error = check_primary(bytes, &filled, 4, false).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
