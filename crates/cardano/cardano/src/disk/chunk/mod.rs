//! One chunk: the blocks in its bytes, and their entries in its index.
//!
//! The chunk file is authoritative, and the index only helps. An index entry with a matching CRC-32 proves
//! where a block begins and ends. Between proven blocks, the bytes are decoded to find the ends of blocks. No
//! block may reach into the next proven block. If bytes cannot be decoded, the offsets of the index are used,
//! so that a damaged block does not hide later blocks. But if the damage has inserted or deleted bytes, all
//! later offsets are wrong, and the rest of the chunk is not read.

mod indexes;
#[cfg(test)]
mod tests;

use std::io;
use std::mem;
use std::ops::Range;

use klero_support::ReadError;

use crate::disk::begun::Begun;
use crate::disk::cbor::{self, NotABlock};
use crate::disk::compare::{Unhashed, compare_blocks};
use crate::disk::index::{Entry, Listing};
use crate::disk::item::{Crc, Item, Stored};
use crate::disk::pieces::Pieces;
use crate::disk::rules::Rules;
use crate::fault::{Fault, HeaderState};
use crate::finding::{Finding, Location};
use crate::limits::BLOCK;

/// The three files of a chunk, and the rules for reading them.
pub(crate) struct Chunk {
    pub number: u64,
    pub file: Pieces,
    pub primary: Result<Vec<u8>, ReadError>,
    pub secondary: Result<Vec<u8>, ReadError>,
    pub rules: Rules,
    /// True for the last chunk, which a node may still be writing.
    pub newest: bool,
}

impl Chunk {
    /// Reads the whole chunk. Returns the findings about its indexes, then the blocks and faults in order.
    pub(crate) fn read(self) -> Vec<Item> {
        let secondary = self.secondary.as_deref().unwrap_or_default();
        let mut reader = Reader {
            listing: Listing::new(secondary, self.file.length(), self.rules.chunk_size),
            searched: 0,
            chunk: self,
            items: Vec::new(),
            unhashed: Vec::new(),
        };
        if let Err(error) = reader.run() {
            let fault = Fault::Io {
                file: None,
                why: error.to_string(),
            };
            let fault = Finding::in_chunk(reader.chunk.number, fault);
            reader.items.push(Item::Lost(fault));
        }
        reader.compare_blocks();
        let mut items = reader.index_findings();
        items.append(&mut reader.items);
        items
    }

    /// The first slot of the chunk.
    fn first_slot(&self) -> u64 {
        self.number.saturating_mul(self.rules.chunk_size)
    }

    /// Makes a finding about byte `offset`, where blocks may be lost. `entry` gives the slot and hash.
    fn fault(&self, fault: Fault, offset: u64, entry: Option<Entry>) -> Box<Finding> {
        let in_chunk = |slot: &u64| {
            let relative = slot.checked_sub(self.first_slot());
            relative.is_some_and(|relative| relative < self.rules.chunk_size)
        };
        let at = Location {
            chunk: self.number,
            offset: Some(offset),
            slot: entry.as_ref().map(|entry| entry.slot).filter(in_chunk),
            hash: entry.map(|entry| entry.hash),
            ..Location::default()
        };
        Box::new(Finding::new(fault, at))
    }
}

struct Reader {
    chunk: Chunk,
    listing: Listing,
    /// The limit of the furthest failed search for the end of a block.
    searched: u64,
    items: Vec<Item>,
    /// The blocks in `items` that do not have their hashes yet.
    unhashed: Vec<Unhashed>,
}

impl Reader {
    fn run(&mut self) -> io::Result<()> {
        let length = self.chunk.file.length();
        let mut start = 0;
        let mut next = 0; // the first entry that is not before `start`
        while start < length {
            if self.unhashed.len() as u64 > self.chunk.rules.chunk_size {
                let reason = format!(
                    "there are more blocks than the {} slots",
                    self.chunk.rules.chunk_size
                );
                self.unreadable(start, length, NotABlock::Other(reason), None);
                return Ok(());
            }
            next = self.skip_to(start, next);
            let entry = self
                .listing
                .entry(next)
                .filter(|entry| entry.offset == start)
                .cloned();
            let after = next + usize::from(entry.is_some());
            let resume = self.listing.offset(after);
            let proven = self.listing.anchor(next, &mut self.chunk.file)?;
            let anchor = self.listing.offset(proven);
            start = match entry {
                Some(entry) if anchor == start => {
                    self.block(start, resume, Some(entry), true)?;
                    resume
                }
                entry => self.doubtful(start, entry, resume, anchor)?,
            };
            next = after;
        }
        self.skip_to(length, next);
        self.compare_blocks();
        self.missing(length);
        self.unlisted();
        Ok(())
    }

    /// Skips the index entries with offsets before `start`, and complains that no block begins at these
    /// offsets. Returns the number of the next entry.
    fn skip_to(&mut self, start: u64, mut next: usize) -> usize {
        while let Some(entry) = self
            .listing
            .entry(next)
            .filter(|entry| entry.offset < start)
        {
            let at = entry.offset;
            self.listing
                .complain(at, format!("no block begins at byte {at}"));
            next += 1;
        }
        next
    }

    /// Reads the block at `start`, which no index entry proves. The next entry is for byte `resume`, and the
    /// next proven entry for byte `anchor`. Returns the byte at which reading continues.
    fn doubtful(
        &mut self,
        start: u64,
        entry: Option<Entry>,
        resume: u64,
        anchor: u64,
    ) -> io::Result<u64> {
        let length = self.chunk.file.length();
        match self.end(start, entry.as_ref(), resume, anchor)? {
            Ok(end) => {
                self.block(start, end, entry, false)?;
                Ok(end)
            }
            // The block is cut off: nothing follows it, neither in the chunk nor in the index.
            Err(NotABlock::Incomplete) if resume == length => {
                self.cut_off(start, entry)?;
                Ok(length)
            }
            Err(error) => {
                match entry {
                    Some(_) if resume - start <= BLOCK as u64 => {
                        self.block(start, resume, entry, false)?;
                    }
                    _ => self.unreadable(start, resume, error, None),
                }
                Ok(resume)
            }
        }
    }

    /// Finds the end of the block at `start` from the block's own bytes.
    ///
    /// A damaged length in the block leads to a wrong end. So an end that the index entry contradicts is
    /// rejected, unless another block can begin there. A hostile index can list every byte as the beginning
    /// of a block that never ends. So a search that starts within a range that an earlier search covered
    /// without success goes only up to the next index entry. No byte is searched more than twice.
    fn end(
        &mut self,
        start: u64,
        entry: Option<&Entry>,
        resume: u64,
        anchor: u64,
    ) -> io::Result<Result<u64, NotABlock>> {
        let limit = if start < self.searched {
            resume
        } else {
            anchor
        };
        let length = self.chunk.file.length();
        let window = self.chunk.file.get(start, limit)?;
        let found = cbor::length(window).and_then(|size| {
            let (block, rest) = window.split_at(size);
            let end = start + size as u64;
            let contradicts = |entry: &Entry| end != resume && crc32fast::hash(block) != entry.crc;
            if entry.is_some_and(contradicts) && !rest.is_empty() {
                let begins = match cbor::frame(rest) {
                    Ok(_) | Err(NotABlock::UnknownEra(_)) => true,
                    // The chunk may end within the block that begins here.
                    Err(NotABlock::Incomplete) => limit == length,
                    Err(NotABlock::Other(_)) => false,
                };
                if !begins {
                    let reason = "no block begins where it ends";
                    return Err(NotABlock::Other(reason.into()));
                }
            }
            Ok(end)
        });
        if found.is_err() {
            self.searched = self.searched.max(limit);
        }
        Ok(found)
    }

    /// Reports that the chunk ends within the block at `start`. This is a fault, unless a node may still be
    /// writing the block and has not yet listed it in the index.
    fn cut_off(&mut self, start: u64, entry: Option<Entry>) -> io::Result<()> {
        let length = self.chunk.file.length();
        let missing = mem::take(&mut self.listing.beyond);
        let unlisted = entry.is_none() && missing == 0;
        let fault = Fault::Truncated {
            length,
            incomplete: Some(start),
            missing,
        };
        let fault = self.chunk.fault(fault, start, entry);
        let bytes = self.chunk.file.get(start, length)?;
        let begun = Begun::new(bytes, self.chunk.rules.byron_epoch_length);
        self.items.push(match begun {
            Some(begun) if self.chunk.newest && unlisted => Item::HalfWritten {
                fault,
                bytes: length - start,
                begun,
            },
            _ => Item::Lost(fault),
        });
        Ok(())
    }

    /// Reports blocks that the index lists beyond the end of the chunk. If the first of these blocks begins
    /// where the chunk ends, they were cut off. Otherwise the index is wrong.
    fn missing(&mut self, length: u64) {
        let unseen = self.listing.listed.saturating_sub(self.blocks());
        let beyond = self.listing.beyond;
        let missing = beyond.min(unseen);
        if missing > 0 && self.listing.beyond_from == Some(length) {
            let fault = Fault::Truncated {
                length,
                incomplete: None,
                missing,
            };
            self.lost(fault, length, None);
        } else if beyond > 0 {
            let reason = "its last offset is beyond the end of the chunk";
            self.listing.complain(length, reason.into());
        }
    }

    /// Complains if the index does not list all blocks, unless an earlier complaint may explain this. The
    /// index of the newest chunk may lack some entries, but not all.
    fn unlisted(&mut self) {
        let (listed, blocks) = (self.listing.listed, self.blocks());
        if self.chunk.secondary.is_ok()
            && self.listing.complaint.is_none()
            && listed < blocks
            && (listed == 0 || !self.chunk.newest)
        {
            let reason = format!("it lists {listed} of {blocks} blocks");
            self.listing.complain(0, reason);
        }
    }

    /// The number of blocks among the items.
    fn blocks(&self) -> u64 {
        let blocks = self.items.iter();
        blocks.filter(|item| matches!(item, Item::Block(_))).count() as u64
    }

    fn block(&mut self, start: u64, end: u64, entry: Option<Entry>, holds: bool) -> io::Result<()> {
        let bytes = self.chunk.file.get(start, end)?;
        let frame = match (cbor::frame(bytes), &entry) {
            (Ok(frame), _) => frame,
            (Err(error), Some(entry)) if !holds => {
                let found = self.chunk.file.crc(start, end)?;
                let fault = Fault::Crc {
                    expected: entry.crc,
                    found,
                    header: HeaderState::Unreadable,
                    why: Some(error.to_string()),
                };
                self.lost(fault, start, Some(entry.clone()));
                return Ok(());
            }
            (Err(error), _) => {
                self.unreadable(start, end, error, entry.as_ref());
                return Ok(());
            }
        };
        let crc = match &entry {
            None => Crc::Unknown,
            Some(_) if holds => Crc::Holds,
            Some(entry) => match self.chunk.file.crc(start, end)? {
                found if found == entry.crc => Crc::Holds,
                found => Crc::Fails {
                    expected: entry.crc,
                    found,
                    body: false,
                },
            },
        };
        let Self { chunk, items, .. } = self;
        let bytes = chunk.file.get(start, end)?;
        let stored = Stored {
            chunk: chunk.number,
            offset: start,
            crc,
            entry,
            ..Stored::decode(bytes, &frame, &chunk.rules)
        };
        // If the CRC-32 differs, the body is hashed too, because a right hash can prove that only the index
        // is damaged.
        let with_body = chunk.rules.wanted.bodies || matches!(crc, Crc::Fails { .. });
        let parts = match with_body && stored.names_body() {
            true => cbor::body_parts(bytes, &frame),
            false => None,
        };
        let hash = |prefix, range: &Range<usize>| {
            let (from, to) = (range.start as u64, range.end as u64);
            chunk.file.hash(prefix, start + from, start + to)
        };
        self.unhashed
            .push(Unhashed::ask(items.len(), frame, parts, hash));
        items.push(Item::Block(Box::new(stored)));
        Ok(())
    }

    /// Sets the hashes of the blocks, and compares the blocks with their headers and index entries.
    fn compare_blocks(&mut self) {
        let blocks = mem::take(&mut self.unhashed);
        if blocks.is_empty() {
            return;
        }
        let digests = self.chunk.file.digests();
        let wrong = compare_blocks(&self.chunk.rules, &blocks, digests, &mut self.items);
        if let Some((at, what)) = wrong {
            self.listing.complain(at, what);
        }
    }

    /// Reports bytes that are not a block. Adjacent ranges with the same reason become one fault. `entry` is
    /// the index entry of the bytes, if its CRC-32 matches.
    fn unreadable(&mut self, start: u64, end: u64, error: NotABlock, entry: Option<&Entry>) {
        let why = error.to_string();
        if let Some(Item::Lost(fault) | Item::UnknownEra { fault, .. }) = self.items.last_mut()
            && let Fault::Unreadable {
                until,
                why: of_last,
            } = &mut fault.fault
            && *until == Some(start)
            && *of_last == why
        {
            *until = Some(end);
            return;
        }
        let fault = Fault::Unreadable {
            until: Some(end),
            why,
        };
        match error {
            NotABlock::UnknownEra(tag) => {
                let fault = self.chunk.fault(fault, start, entry.cloned());
                self.items.push(Item::UnknownEra { tag, fault });
            }
            _ => self.lost(fault, start, None),
        }
    }

    fn lost(&mut self, fault: Fault, offset: u64, entry: Option<Entry>) {
        self.items
            .push(Item::Lost(self.chunk.fault(fault, offset, entry)));
    }
}
