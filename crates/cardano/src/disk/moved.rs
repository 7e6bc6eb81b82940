//! Blocks that are not where their index says, because bytes were inserted into the chunk before
//! them, or deleted.
//!
//! An index entry has the hash of its block's header, the CRC-32 of the block, and with the next
//! entry its length. So the block is known wherever it is: where a frame is, whose header has the
//! hash, and whose bytes have the CRC-32. One scan finds all blocks of a stretch, in time that the
//! budget of the chunk bounds.

use std::io;
use std::ops::Range;

use crate::chain::hash::blake2b_256;
use crate::chain::header::hash_prefix;
use crate::disk::budget::Budget;
use crate::disk::cbor;
use crate::disk::entry::{ENTRY, Entry};
use crate::disk::pieces::Pieces;
use crate::limits::{BLOCK, HEADER, READ};

/// Bytes of a frame before the header, at most.
const OPENING: u64 = 16;

/// A stretch of a chunk in which no entry of the index holds.
pub(super) struct Stretch<'a> {
    pub range: Range<u64>,
    /// The entries of its blocks, in the order of the index.
    pub entries: &'a [Entry],
    /// Where the block of the last entry ends by the index; `None` if the chunk ends with it.
    pub until: Option<u64>,
}

/// The entries of a stretch, with the places where their blocks are.
#[derive(Default)]
pub(super) struct Moved {
    /// Those with a place. Their offsets rise strictly within the stretch.
    pub placed: Vec<Entry>,
    /// Those without, and the byte before which their blocks should be.
    pub gone: Vec<(u64, Entry)>,
}

impl Stretch<'_> {
    /// Finds the blocks of the entries. `None` if there is none: then nothing shows that they moved.
    pub(super) fn find(
        &self,
        file: &mut Pieces<'_>,
        budget: &mut Budget,
    ) -> io::Result<Option<Moved>> {
        let places = self.scan(file, budget)?;
        let found = places.iter().any(Option::is_some);
        Ok(found.then(|| self.place(&places)))
    }

    /// Where the block of each entry is, if it is found. The places rise.
    fn scan(&self, file: &mut Pieces<'_>, budget: &mut Budget) -> io::Result<Vec<Option<u64>>> {
        let Self { range, entries, .. } = self;
        let mut by_hash: Vec<usize> = (0..entries.len()).collect();
        by_hash.sort_unstable_by_key(|n| entries[*n].hash);
        budget.spend(entries.len() * ENTRY);
        let mut places = vec![None; entries.len()];
        let mut least = 0;
        let mut at = range.start;
        while at < range.end && least < entries.len() && !budget.is_spent() {
            let window = file.get(at, range.end.min(at + READ))?;
            // The list that is a block, as nodes write it.
            let Some(skipped) = window.iter().position(|byte| matches!(byte, 0x82 | 0x9f)) else {
                at += window.len() as u64;
                continue;
            };
            at += skipped as u64;
            let found = self.entry_at(at, &by_hash, file, budget)?;
            at = match found.filter(|n| *n >= least) {
                Some(n) if self.holds(n, at, file, budget)? => {
                    places[n] = Some(at);
                    least = n + 1;
                    self.end(n, at)
                }
                _ => at + 1,
            };
        }
        Ok(places)
    }

    /// The entry that has the hash of the header of the block at `at`, if there is a block.
    fn entry_at(
        &self,
        at: u64,
        by_hash: &[usize],
        file: &mut Pieces<'_>,
        budget: &mut Budget,
    ) -> io::Result<Option<usize>> {
        let longest = at + OPENING + HEADER as u64;
        let bytes = file.get(at, self.range.end.min(longest))?;
        let Ok(frame) = cbor::search_frame(bytes, budget) else {
            return Ok(None);
        };
        let hash = blake2b_256(&[hash_prefix(frame.tag), &bytes[frame.header]]);
        let found = by_hash.binary_search_by_key(&hash, |n| self.entries[*n].hash);
        Ok(found.ok().map(|n| by_hash[n]))
    }

    /// Whether the bytes from `at` on have the CRC-32 of entry `n`.
    fn holds(
        &self,
        n: usize,
        at: u64,
        file: &mut Pieces<'_>,
        budget: &mut Budget,
    ) -> io::Result<bool> {
        let end = self.end(n, at);
        let size = end.saturating_sub(at);
        if size == 0 || size > BLOCK as u64 || end > self.range.end {
            return Ok(false);
        }
        budget.spend(size as usize);
        Ok(file.crc(at, end)? == self.entries[n].crc)
    }

    /// Where the block of entry `n` ends, if it begins at `at`.
    fn end(&self, n: usize, at: u64) -> u64 {
        let next = self.entries.get(n + 1).map(|next| next.offset);
        match next.or(self.until) {
            Some(next) => at.saturating_add(next.saturating_sub(self.entries[n].offset)),
            None => self.range.end,
        }
    }

    /// Gives each block that was not found the place after the last one that was, as far as there
    /// are bytes before the next one.
    fn place(&self, places: &[Option<u64>]) -> Moved {
        let mut moved = Moved::default();
        let mut free = self.range.start;
        // The first entry whose block was not found since the last one that was.
        let mut first: Option<&Entry> = None;
        let mut found = places.iter().flatten().peekable();
        for (n, entry) in self.entries.iter().enumerate() {
            let (offset, next) = match places[n] {
                Some(place) => {
                    found.next();
                    free = self.end(n, place);
                    first = None;
                    (place, u64::MAX)
                }
                None => {
                    let before = first.get_or_insert(entry).offset;
                    let next = found.peek().map_or(self.range.end, |place| **place);
                    let after = entry.offset.saturating_sub(before);
                    (free.saturating_add(after), next)
                }
            };
            let rises = moved.placed.last().is_none_or(|last| last.offset < offset);
            if rises && offset < next {
                moved.placed.push(Entry {
                    offset,
                    ..entry.clone()
                });
            } else {
                moved.gone.push((next, entry.clone()));
            }
        }
        moved
    }
}
