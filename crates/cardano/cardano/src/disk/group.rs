//! A group: several blocks from an iterator that are read together.

use std::fmt;
use std::ops::Range;

use crate::chain::decode::beginning;
use crate::chain::header::Header;
use crate::disk::cbor::{self, Frame, NotABlock};
use crate::disk::compare::{Unhashed, compare_blocks};
use crate::disk::digests::Digests;
use crate::disk::item::{Item, Stored};
use crate::disk::rules::Rules;
use crate::fault::Fault;
use crate::finding::{Finding, Location};
use crate::limits::{BLOCK, GROUP, READ, SLOT};

/// Consecutive blocks of one chunk.
#[derive(Default)]
pub(super) struct Group {
    /// The number of the chunk to which the blocks belong.
    pub chunk: u64,
    /// The number of the group's first block in the iterator.
    first: u64,
    /// The total length of the iterator's blocks before this group, in bytes.
    offset: u64,
    /// The bytes of the blocks. A block that is too long is cut to the greatest allowed length plus one byte,
    /// and is the last of the group.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The total length of the group's blocks in bytes, before any block is cut.
    length: u64,
    /// The iterator's error, if the iterator returned an error instead of another block.
    pub failed: Option<String>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group")
            .field("chunk", &self.chunk)
            .field("blocks", &self.ends.len())
            .finish_non_exhaustive()
    }
}

impl Group {
    /// Makes an empty group. Its first block will have the number `first`, and begin `offset` bytes after the
    /// start of the iterator's first block.
    pub(super) fn new(first: u64, offset: u64) -> Self {
        Self {
            first,
            offset,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, block: &[u8]) {
        self.bytes
            .extend_from_slice(block.get(..=BLOCK).unwrap_or(block));
        self.ends.push(self.bytes.len());
        self.length = self.length.saturating_add(block.len() as u64);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() as u64 >= READ || self.ends.len() >= GROUP
    }

    /// The total length of the blocks in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// An upper bound, in bytes, on the memory for reading the group, and then for the result.
    pub(super) fn memory(&self) -> u64 {
        // The bytes of the group, and the stack of open lists while a hostile block is skipped.
        let bytes = self.bytes.capacity() as u64 + 2 * BLOCK as u64;
        bytes + self.ends.len() as u64 * SLOT
    }

    /// Reads the blocks. Returns each block, or a finding in its place, and then any error of the iterator.
    pub(super) fn read(self, rules: &Rules) -> Vec<Item> {
        let chunk = self.chunk;
        let mut digests = Digests::default();
        let mut items = Vec::with_capacity(self.ends.len());
        let mut unhashed = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for (number, &end) in (self.first..).zip(&self.ends) {
            let block = &self.bytes[start..end];
            let offset = self.offset + start as u64;
            match decode(block, rules) {
                Ok((stored, frame, parts)) => {
                    unhashed.push(Unhashed::ask(items.len(), frame, parts, |prefix, range| {
                        digests.ask(prefix, start + range.start..start + range.end)
                    }));
                    items.push(Item::Block(Box::new(Stored {
                        chunk,
                        offset,
                        item: Some(number),
                        ..stored
                    })));
                }
                Err(error) => {
                    let fault = Fault::Unreadable {
                        until: None,
                        why: error.to_string(),
                    };
                    let at = Location {
                        chunk,
                        item: Some(number),
                        slot: slot(block, rules),
                        ..Location::default()
                    };
                    let fault = Box::new(Finding::new(fault, at));
                    items.push(match error {
                        NotABlock::UnknownEra(tag) => Item::UnknownEra { tag, fault },
                        _ => Item::Lost(fault),
                    });
                }
            }
            start = end;
        }
        digests.compute(&self.bytes);
        compare_blocks(rules, &unhashed, digests.all(), &mut items);
        if let Some(why) = self.failed {
            let mut finding = Finding::in_chunk(chunk, Fault::Io { file: None, why });
            finding.at.item = Some(self.first + self.ends.len() as u64);
            items.push(Item::Lost(finding));
        }
        items
    }
}

/// The ranges of the parts of a body in its block.
type Parts = Vec<Range<usize>>;

/// Decodes a block, and finds the parts of its body if the body is checked. If a checked body is not whole,
/// the block gets a fault later. If an unchecked body is not whole, nothing later would reveal this, so the
/// bytes are not accepted as a block. But a block with an unusable header is returned, so that only its
/// header is reported, as in a chunk file.
fn decode(block: &[u8], rules: &Rules) -> Result<(Stored, Frame, Option<Parts>), NotABlock> {
    let frame = cbor::frame(block)?;
    if block.len() > BLOCK {
        return Err(cbor::not_whole(block));
    }
    let stored = Stored::decode(block, &frame, rules);
    let parts = cbor::body_parts(block, &frame);
    let checked = rules.wanted.bodies && stored.names_body();
    if parts.is_none() && !checked && stored.header.is_ok() {
        return Err(cbor::not_whole(block));
    }
    Ok((stored, frame, parts.filter(|_| checked)))
}

/// The slot of a block, if it can be read.
pub(super) fn slot(block: &[u8], rules: &Rules) -> Option<u64> {
    let (tag, header) = cbor::header_on(block).ok()?;
    let (_, slot, _) = beginning(tag, header);
    slot.or_else(|| {
        // In Byron the slot is deep inside the header, so the whole header must be decoded.
        let block = block.get(..BLOCK).unwrap_or(block);
        let header = block.get(cbor::frame(block).ok()?.header)?;
        let header = Header::decode_unhashed(tag, header, rules.byron_epoch_length).ok()?;
        Some(header.place.slot)
    })
}
