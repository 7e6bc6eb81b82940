//! The items of the chunks, with a look ahead.
//!
//! Two questions about a block are answered by what follows it: whether its header is intact
//! (the next block then names its hash), and whether an unknown tag is a new era or damage.

use std::collections::VecDeque;

use pallas_crypto::hash::Hash;

use crate::chain::header::Header;
use crate::disk::item::{Crc, Item};
use crate::disk::unread::ReadChunk;
use crate::limits::{LOOK_AHEAD, LOOK_AHEAD_ITEMS};

/// An iterator of items that can be looked at before they are taken.
pub(super) struct Ahead<'a> {
    chunks: Box<dyn Iterator<Item = ReadChunk> + Send + 'a>,
    /// Bytes of all chunks: as found for the chunks that were read, as listed for the others.
    pub bytes: u64,
    /// The items of chunks that were read.
    queue: VecDeque<Item>,
    /// True if a block of a known era was seen among the items.
    known_era_follows: bool,
}

impl<'a> Ahead<'a> {
    /// The items of `chunks`, which had `bytes` bytes when they were listed.
    pub(super) fn new(chunks: impl Iterator<Item = ReadChunk> + Send + 'a, bytes: u64) -> Self {
        Self {
            chunks: Box::new(chunks),
            bytes,
            queue: VecDeque::new(),
            known_era_follows: false,
        }
    }

    /// Takes the items of one more chunk, if there is one.
    fn read(&mut self) -> bool {
        let Some(chunk) = self.chunks.next() else {
            return false;
        };
        let others = self.bytes.saturating_sub(chunk.listed);
        self.bytes = others.saturating_add(chunk.length);
        self.queue.extend(chunk.items);
        true
    }

    /// The next item that is not about an index.
    fn peek(&mut self) -> Option<&Item> {
        // Any number of chunks may have items about their indexes alone: no item is looked at twice.
        let mut n = 0;
        while let None | Some(Item::OfIndex(_)) = self.queue.get(n) {
            if n < self.queue.len() {
                n += 1;
            } else if !self.read() {
                break;
            }
        }
        self.queue.get(n)
    }

    /// The header of the next block and the number of its chunk; `None` if there is no intact block: a
    /// damaged one does not show where it belongs.
    pub(super) fn next_header(&mut self) -> Option<(&Header, u64)> {
        match self.peek()? {
            Item::Block(block) if matches!(block.crc, Crc::Holds | Crc::Unknown) => {
                Some((block.header.as_ref().ok()?, block.chunk))
            }
            _ => None,
        }
    }

    /// True if the next block names `hash` as the hash of its predecessor.
    pub(super) fn names(&mut self, hash: Hash<32>) -> bool {
        match self.peek() {
            Some(Item::Block(block)) => block.prev_hash() == Some(hash),
            _ => false,
        }
    }

    /// True if the first block names `hash` as the hash of its predecessor, or there is no block.
    pub(super) fn begins_after(&mut self, hash: Hash<32>) -> bool {
        self.peek().is_none() || self.names(hash)
    }

    /// True if a block of a known era comes in `chunk` or soon after ([`LOOK_AHEAD`]).
    pub(super) fn has_known_era(&mut self, chunk: u64) -> bool {
        let mut n = 0;
        while !self.known_era_follows {
            let Some(item) = self.queue.get(n) else {
                if self.read() {
                    continue;
                }
                break;
            };
            self.known_era_follows = matches!(item, Item::Block(_));
            if item.chunk() > chunk.saturating_add(LOOK_AHEAD) || n >= LOOK_AHEAD_ITEMS {
                break;
            }
            n += 1;
        }
        self.known_era_follows
    }
}

impl Iterator for Ahead<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        while self.queue.is_empty() && self.read() {}
        let item = self.queue.pop_front();
        if let Some(Item::Block(_)) = item {
            self.known_era_follows = false;
        }
        item
    }
}
