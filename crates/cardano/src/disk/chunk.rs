//! One chunk: the blocks in its bytes, with what its index says of each.
//!
//! The chunk file is the truth and the index a help. An index entry whose CRC-32 matches proves
//! that a block begins and ends where it says. Between proven blocks, decoding the bytes finds
//! where a block ends. Where they do not decode, or the search budget is spent, the offsets of
//! the index are used, so that a damaged block does not hide those after it. If bytes were inserted
//! or deleted, the entries of the index are moved to where their blocks are.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::ops::Range;

use crate::chain::header::Header;
use crate::disk::begun::Begun;
use crate::disk::budget::Budget;
use crate::disk::cbor::{self, NotABlock};
use crate::disk::compare::{Unhashed, compare_blocks};
use crate::disk::entry::Entry;
use crate::disk::finding::{Finding, FindingKind, HeaderState, IndexFile, Location};
use crate::disk::index::{self, Complaints, IndexContent, Listing};
use crate::disk::item::{Crc, Item, Stored};
use crate::disk::pieces::Pieces;
use crate::disk::rules::Rules;

/// The three files of a chunk, and what is needed to read them.
pub(crate) struct Chunk<'a> {
    pub number: u64,
    pub file: Pieces<'a>,
    pub primary: IndexContent<'a>,
    pub secondary: IndexContent<'a>,
    pub rules: Rules,
    /// The last chunk, which a node may still be writing.
    pub newest: bool,
}

impl<'a> Chunk<'a> {
    /// The first slot of the chunk.
    fn first_slot(&self) -> u64 {
        self.rules.first_slot(self.number)
    }

    /// Everything in the chunk: warnings about its index first, then blocks and faults in
    /// order.
    pub(crate) fn read(self) -> Vec<Item> {
        let mut reader = self.reader();
        if let Err(error) = reader.run() {
            reader.not_read(&error);
        }
        reader.finish()
    }

    fn reader(self) -> Reader<'a> {
        let mut complaints = Complaints::default();
        let secondary = match &self.secondary {
            IndexContent::Bytes(bytes) => bytes,
            IndexContent::TooLong(reason) => {
                complaints.add(reason.clone());
                &[][..]
            }
            IndexContent::Missing | IndexContent::Unread(_) => &[],
        };
        let length = self.file.length();
        Reader {
            listing: Listing::new(secondary, length, self.rules.chunk_size, &mut complaints),
            budget: Budget::of(length),
            followed: 0,
            gone: VecDeque::new(),
            chunk: self,
            items: Vec::new(),
            unhashed: Vec::new(),
            blocks: 0,
            unchecked: 0,
            complaints,
        }
    }
}

/// A block by its own bytes.
struct Found {
    /// Its length.
    size: Result<usize, NotABlock>,
    /// The index has another length for it, and another CRC-32.
    contradicted: bool,
}

impl Found {
    fn is_doubtful(&self) -> bool {
        self.contradicted || self.size.is_err()
    }
}

impl From<Result<usize, NotABlock>> for Found {
    fn from(size: Result<usize, NotABlock>) -> Self {
        Self {
            size,
            contradicted: false,
        }
    }
}

struct Reader<'a> {
    chunk: Chunk<'a>,
    listing: Listing,
    budget: Budget,
    /// Up to here, blocks were searched that are not where the index says.
    followed: u64,
    /// Entries whose blocks were not found, and the byte before which they should be.
    gone: VecDeque<(u64, Entry)>,
    items: Vec<Item>,
    /// The blocks among the items whose hashes are not known yet.
    unhashed: Vec<Unhashed>,
    blocks: u64,
    unchecked: u64,
    complaints: Complaints,
}

impl Reader<'_> {
    fn run(&mut self) -> io::Result<()> {
        let length = self.chunk.file.length();
        let mut start = 0;
        let mut next = 0; // the first entry that is not before `start`
        while start < length {
            if self.blocks > self.chunk.rules.chunk_size {
                let reason = format!(
                    "there are more blocks than the {} slots",
                    self.chunk.rules.chunk_size
                );
                self.unreadable(start, length, NotABlock::Other(reason), None);
                return Ok(());
            }
            self.report_gone(start);
            next = self.skip_to(start, next);
            let entry = self
                .listing
                .entry(next)
                .filter(|entry| entry.offset == start)
                .cloned();
            let (after, resume) = match entry {
                Some(_) => (next + 1, self.listing.offset(next + 1)),
                None => (next, self.listing.offset(next)),
            };
            let proven = self.listing.anchor(next, &mut self.chunk.file)?;
            let anchor = self.listing.offset(proven);
            start = match entry {
                Some(entry) if anchor == start => {
                    self.block(start, resume, Some(entry), true)?;
                    resume
                }
                entry => {
                    let found = self.search(start, entry.as_ref(), resume, anchor)?;
                    if found.is_doubtful() && self.follow(start, next, proven)? {
                        continue;
                    }
                    self.doubtful(start, entry, resume, found)?
                }
            };
            next = after;
        }
        self.report_gone(length);
        self.skip_to(length, next);
        self.compare_blocks();
        self.missing(length);
        self.unlisted();
        Ok(())
    }

    /// Skips the entries before `start`, where no block begins.
    fn skip_to(&mut self, start: u64, mut next: usize) -> usize {
        while let Some(entry) = self
            .listing
            .entry(next)
            .filter(|entry| entry.offset < start)
        {
            let at = entry.offset;
            self.complaints
                .add_at(at, format!("no block begins at byte {at}"));
            next += 1;
        }
        next
    }

    /// Moves the entries from number `next` on, up to the `proven` one, to where their blocks are.
    /// Whether one was found; never twice for the same bytes.
    fn follow(&mut self, start: u64, next: usize, proven: usize) -> io::Result<bool> {
        if start < self.followed {
            return Ok(false);
        }
        self.followed = self.listing.offset(proven);
        let tools = (&mut self.chunk.file, &mut self.budget);
        let gone = self.listing.follow(start, next, proven, tools)?;
        let is_found = gone.is_some();
        self.gone.extend(gone.into_iter().flatten());
        Ok(is_found)
    }

    /// Reports the blocks that should be before `start` and were not found.
    fn report_gone(&mut self, start: u64) {
        while self.gone.front().is_some_and(|(at, _)| *at <= start)
            && let Some((at, entry)) = self.gone.pop_front()
        {
            let kind = FindingKind::Unreadable {
                until: at,
                reason: "the index lists a block that is not there".into(),
            };
            self.lost(kind, at, Some(entry));
        }
    }

    /// Bytes from `start` that no index entry proves. The next entry of the index is at
    /// `resume`. Returns where to go on.
    fn doubtful(
        &mut self,
        start: u64,
        entry: Option<Entry>,
        resume: u64,
        found: Found,
    ) -> io::Result<u64> {
        let length = self.chunk.file.length();
        match found.size {
            Ok(size) => {
                let end = start + size as u64;
                self.block(start, end, entry, false)?;
                Ok(end)
            }
            // Cut off: nothing follows, neither here nor in the index.
            Err(NotABlock::Incomplete) if resume == length => {
                self.cut_off(start, entry)?;
                Ok(length)
            }
            Err(error) => {
                match entry {
                    Some(_) => self.block(start, resume, entry, false)?,
                    None => self.unreadable(start, resume, error, None),
                }
                Ok(resume)
            }
        }
    }

    /// The block that begins at `start`, by its own bytes.
    fn search(
        &mut self,
        start: u64,
        entry: Option<&Entry>,
        resume: u64,
        anchor: u64,
    ) -> io::Result<Found> {
        if self.budget.is_spent() {
            let reason = "the search for blocks in this chunk was given up";
            return Ok(Err(NotABlock::Other(reason.into())).into());
        }
        let window = self.chunk.file.get(start, anchor)?;
        let size = match cbor::search(window, &mut self.budget) {
            Ok(size) => size,
            Err(error) => return Ok(Err(error).into()),
        };
        let mut found = Found::from(Ok(size));
        let (item, rest) = window.split_at_checked(size).unwrap_or((window, &[]));
        if let Some(entry) = entry
            && start + size as u64 != resume
        {
            self.budget.spend(size);
            found.contradicted = crc32fast::hash(item) != entry.crc;
            // If no block can begin where this one ends, it is a damaged block.
            if found.contradicted
                && !rest.is_empty()
                && let Err(error) = cbor::search_frame(rest, &mut self.budget)
            {
                found.size = Err(error);
            }
        }
        Ok(found)
    }

    /// The chunk ends within the block at `start`: a fault, unless a node is still writing the
    /// block, before its index entry.
    fn cut_off(&mut self, start: u64, entry: Option<Entry>) -> io::Result<()> {
        let length = self.chunk.file.length();
        let missing = mem::take(&mut self.listing.beyond).len() as u64;
        let unlisted = entry.is_none() && missing == 0;
        let kind = FindingKind::Truncated {
            length,
            incomplete: Some(start),
            missing,
        };
        let (fault, since) = self.fault(kind, start, entry);
        let bytes = self.chunk.file.get(start, length)?;
        let begun = Begun::new(bytes, self.chunk.rules.byron_epoch_length);
        self.items.push(match begun {
            Some(begun) if self.chunk.newest && unlisted => Item::HalfWritten {
                fault,
                since,
                bytes: length - start,
                begun,
            },
            _ => Item::Lost {
                finding: fault,
                since,
            },
        });
        Ok(())
    }

    /// Blocks that the index lists beyond the end of the chunk. If the first of them begins where
    /// the chunk ends, they were cut off; otherwise the index is wrong.
    fn missing(&mut self, length: u64) {
        let unseen = self.listing.listed.saturating_sub(self.blocks);
        let beyond = self.listing.beyond.len() as u64;
        let missing = beyond.min(unseen);
        if missing > 0 && self.listing.beyond_from == Some(length) {
            let kind = FindingKind::Truncated {
                length,
                incomplete: None,
                missing,
            };
            self.lost(kind, length, None);
        } else if beyond > 0 {
            let reason = "its last offset is beyond the end of the chunk";
            self.complaints.add_at(length, reason.into());
        }
    }

    /// Complains about blocks that the index does not list, unless another complaint may be the
    /// cause. The index of the newest chunk may lag, but not lack every entry.
    fn unlisted(&mut self) {
        let (listed, blocks) = (self.listing.listed, self.blocks);
        if matches!(self.chunk.secondary, IndexContent::Bytes(_))
            && self.complaints.first().is_none()
            && listed < blocks
            && (listed == 0 || !self.chunk.newest)
        {
            self.complaints
                .add(format!("it lists {listed} of {blocks} blocks"));
        }
    }

    fn block(&mut self, start: u64, end: u64, entry: Option<Entry>, holds: bool) -> io::Result<()> {
        let bytes = self.chunk.file.get(start, end)?;
        let frame = match (cbor::frame(bytes), &entry) {
            (Ok(frame), _) => frame,
            (Err(error), Some(entry)) if !holds => {
                let found = self.chunk.file.crc(start, end)?;
                let header = HeaderState::Unreadable(error.to_string());
                let kind = FindingKind::Crc {
                    expected: entry.crc,
                    found,
                    header,
                };
                self.lost(kind, start, Some(entry.clone()));
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
        // A body of the right hash may prove that not the block is damaged, but the index.
        let with_body = chunk.rules.wanted.bodies || matches!(crc, Crc::Fails { .. });
        let parts = (with_body && stored.names_body()).then(|| cbor::body_parts(bytes, &frame));
        self.blocks += 1;
        self.unchecked += u64::from(crc == Crc::Unknown);
        let hash = |prefix, range: &Range<usize>| {
            let (from, to) = (range.start as u64, range.end as u64);
            chunk.file.hash(prefix, start + from, start + to)
        };
        self.unhashed
            .push(Unhashed::ask(items.len(), frame, parts, hash));
        items.push(Item::Block(Box::new(stored)));
        Ok(())
    }

    /// Gives the blocks their hashes, and compares them with header and index.
    fn compare_blocks(&mut self) {
        let blocks = mem::take(&mut self.unhashed);
        let Self {
            chunk,
            items,
            complaints,
            ..
        } = self;
        if !blocks.is_empty() {
            let digests = chunk.file.digests();
            compare_blocks(&chunk.rules, &blocks, digests, items, complaints);
        }
    }

    /// Bytes that are no block. Adjacent ones with the same reason become one fault. `entry` is
    /// that of the first, if its CRC-32 matches.
    fn unreadable(&mut self, start: u64, end: u64, error: NotABlock, entry: Option<&Entry>) {
        let why = error.to_string();
        if let Some(Item::Lost { finding: fault, .. } | Item::UnknownEra { fault, .. }) =
            self.items.last_mut()
            && let FindingKind::Unreadable { until, reason } = &mut fault.kind
            && *until == start
            && *reason == why
        {
            *until = end;
            return;
        }
        let kind = FindingKind::Unreadable {
            until: end,
            reason: why,
        };
        match error {
            NotABlock::UnknownEra(tag) => {
                let (fault, since) = self.fault(kind, start, entry.cloned());
                self.items.push(Item::UnknownEra { tag, fault, since });
            }
            _ => self.lost(kind, start, None),
        }
    }

    fn lost(&mut self, kind: FindingKind, offset: u64, entry: Option<Entry>) {
        let (finding, since) = self.fault(kind, offset, entry);
        self.items.push(Item::Lost { finding, since });
    }

    /// A fault by which blocks may be lost, and the slot since which they may be.
    fn fault(&self, kind: FindingKind, offset: u64, entry: Option<Entry>) -> (Finding, u64) {
        let first = self.chunk.first_slot();
        let slot = entry
            .as_ref()
            .and_then(|entry| entry.slot_in(first, self.chunk.rules.chunk_size));
        let location = Location {
            chunk: self.chunk.number,
            offset: Some(offset),
            item: None,
            slot,
            hash: entry.map(|entry| entry.hash),
        };
        (Finding { kind, location }, slot.unwrap_or(first))
    }

    /// The file could not be read to its end.
    fn not_read(&mut self, error: &io::Error) {
        let kind = FindingKind::Io {
            reason: error.to_string(),
        };
        let finding = Finding::in_chunk(self.chunk.number, kind);
        let since = self.chunk.first_slot();
        self.items.push(Item::Lost { finding, since });
    }

    fn finish(mut self) -> Vec<Item> {
        self.compare_blocks();
        let mut items: Vec<Item> = self.of_index().collect();
        items.append(&mut self.items);
        items
    }

    /// What is found about the index files: those that could not be read, then what is wrong with
    /// the others.
    fn of_index(&self) -> impl Iterator<Item = Item> {
        let Chunk {
            number,
            secondary,
            primary,
            ..
        } = &self.chunk;
        let mut kinds = Vec::new();
        for (file, content) in [
            (IndexFile::Secondary, secondary),
            (IndexFile::Primary, primary),
        ] {
            if let IndexContent::Unread(reason) = content {
                let reason = reason.clone();
                kinds.push(FindingKind::UnreadIndex { file, reason });
            }
        }
        // An empty chunk needs no index.
        let is_empty = self.chunk.file.length() == 0;
        if matches!(secondary, IndexContent::Missing) && !is_empty {
            kinds.push(FindingKind::IndexMissing(IndexFile::Secondary));
        }
        if let Some(reason) = self.complaints.first().map(str::to_owned) {
            let places = self.complaints.places;
            kinds.push(FindingKind::IndexDamaged {
                file: IndexFile::Secondary,
                reason,
                places,
            });
        }
        match primary {
            IndexContent::Missing if is_empty => {}
            IndexContent::Missing => kinds.push(FindingKind::IndexMissing(IndexFile::Primary)),
            IndexContent::TooLong(reason) => kinds.push(damaged_primary(reason.clone())),
            IndexContent::Bytes(bytes) => {
                kinds.extend(self.check_primary(bytes).err().map(damaged_primary));
            }
            IndexContent::Unread(_) => {}
        }
        if self.unchecked > 0 {
            kinds.push(FindingKind::CrcUnchecked {
                blocks: self.unchecked,
            });
        }
        let chunk = *number;
        let findings = kinds.into_iter();
        findings.map(move |kind| Item::OfIndex(Finding::in_chunk(chunk, kind)))
    }

    /// Compares the primary index, if every block of the chunk is known: after a fault there is
    /// nothing to compare it with.
    fn check_primary(&self, bytes: &[u8]) -> Result<(), String> {
        let mut filled = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let Item::Block(block) = item else {
                return Ok(());
            };
            let (Ok(Header { place, .. }), Crc::Holds | Crc::Unknown) = (&block.header, block.crc)
            else {
                return Ok(());
            };
            let Some(relative) = place.slot.checked_sub(self.chunk.first_slot()) else {
                return Ok(());
            };
            filled.push(if place.boundary {
                0
            } else {
                relative.saturating_add(1)
            });
        }
        index::check_primary(
            bytes,
            &filled,
            self.chunk.rules.chunk_size,
            self.chunk.newest,
        )
    }
}

fn damaged_primary(reason: String) -> FindingKind {
    FindingKind::IndexDamaged {
        file: IndexFile::Primary,
        reason,
        places: 1,
    }
}

#[cfg(test)]
mod tests;
