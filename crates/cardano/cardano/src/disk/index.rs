//! The two index files beside a chunk.
//!
//! The *secondary* index has one entry per block, with the positions of the block and its header, and the
//! block's CRC-32, hash and slot. The *primary* index tells which slots of the chunk are filled. Both only
//! save time, and a node can rebuild them from the chunk, so they are not trusted. Their entries are read
//! here, and the reader of the chunk compares them with the chunk's bytes.

use std::io;

use klero_support::ReadError;
use pallas_crypto::hash::Hash;

use crate::disk::pieces::Pieces;
use crate::fault::{Fault, IndexFile, counted};
use crate::limits::{BLOCK, INDEX_FILE};

/// The length of a secondary entry in bytes.
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
    /// The CRC-32 of the block, with the polynomial of zlib.
    pub crc: u32,
    /// Hash of the header.
    pub hash: Hash<32>,
    /// The absolute slot of the block, or the epoch of a boundary block.
    pub slot: u64,
}

/// The entries of a secondary index. An incomplete entry at the end is ignored.
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

/// The fault of an index file, if there is one: the file was not read, or there is a `complaint` about its
/// bytes.
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

/// The maximum length in bytes of a secondary index for a chunk of `slots` slots.
pub(crate) fn longest_secondary(slots: u64) -> u64 {
    let entries = slots.saturating_add(2);
    entries.saturating_mul(ENTRY as u64).min(INDEX_FILE)
}

/// The maximum length in bytes of a primary index (a version and offsets) for a chunk of `slots` slots.
pub(crate) fn longest_primary(slots: u64) -> u64 {
    let offsets = slots.saturating_add(2);
    offsets.saturating_mul(4).saturating_add(1).min(INDEX_FILE)
}

/// The entries of a chunk's secondary index that can be right, and a complaint if the index is damaged.
#[derive(Default)]
pub(crate) struct Listing {
    /// The entries that can be right. Their offsets are inside the chunk and strictly increasing.
    kept: Vec<Entry>,
    /// The result of the last call of [`anchor`](Self::anchor).
    anchor: Option<usize>,
    /// The length of the chunk in bytes.
    length: u64,
    /// The number of entries in the file, but at most the number that the chunk can have.
    pub listed: u64,
    /// The number of entries at the end of the file whose offsets are beyond the chunk.
    pub beyond: u64,
    /// The offset of the first entry that `beyond` counts.
    pub beyond_from: Option<u64>,
    /// The complaint about the lowest byte of the chunk, with the position of that byte.
    pub complaint: Option<(u64, String)>,
}

impl Listing {
    /// Reads the secondary index of a chunk that has `length` bytes and `slots` slots.
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
        // A chunk can have one block in each slot, and also a boundary block.
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

    /// Complains about the byte `at` of the chunk. For a complaint about the index in general, `at` is 0.
    /// Only the complaint about the lowest byte is kept; of several about that byte, the first.
    pub(crate) fn complain(&mut self, at: u64, reason: String) {
        if self.complaint.as_ref().is_none_or(|(first, _)| at < *first) {
            self.complaint = Some((at, reason));
        }
    }

    /// Entry `n` of the entries that can be right.
    pub(crate) fn entry(&self, n: usize) -> Option<&Entry> {
        self.kept.get(n)
    }

    /// The offset in entry `n`, or the end of the chunk if there is no entry `n`.
    pub(crate) fn offset(&self, n: usize) -> u64 {
        self.entry(n).map_or(self.length, |entry| entry.offset)
    }

    /// The number of the first proven entry from entry `n` on, or the count of kept entries if none is
    /// proven. An entry is proven if the bytes from its offset to the next entry's offset have its CRC-32 and
    /// are not too many for a block. If `n` never decreases from call to call, no byte is hashed twice.
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
/// `filled` has the relative slots of all blocks, in the order of the chunk. The relative slot is 0 for a
/// boundary block. For any other block, it is one more than the distance from the chunk's first slot. The
/// primary index of the `newest` chunk may end early.
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
        // Four slots and a boundary block (relative slots 0 to 4) need six offsets. 0, 2 and 4 are filled.
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
