//! The items of the chunks, with lookahead.
//!
//! The items after a block answer two questions. First, is the block's header intact? It is if the next block
//! contains the header's hash. Second, is an unknown tag a new era or damage? It is damage if a block of a
//! known era follows.

use std::collections::VecDeque;

use pallas_crypto::hash::Hash;

use crate::chain::header::Header;
use crate::disk::item::{Crc, Item};
use crate::disk::unread::ReadChunk;
use crate::limits::{LOOK_AHEAD, LOOK_AHEAD_ITEMS};

/// An iterator that can look at items before it returns them.
pub(super) struct Ahead<'a> {
    chunks: Box<dyn Iterator<Item = ReadChunk> + Send + 'a>,
    /// The total length of all chunks in bytes: the actual length of the chunks that were read, and the
    /// listed length of the others.
    pub bytes: u64,
    /// The items that were read and not yet returned.
    queue: VecDeque<Item>,
    /// True if a block of a known era was found in the queue.
    known_era_follows: bool,
}

impl<'a> Ahead<'a> {
    /// Wraps `chunks`, which had `bytes` bytes when they were listed.
    pub(super) fn new(chunks: impl Iterator<Item = ReadChunk> + Send + 'a, bytes: u64) -> Self {
        Self {
            chunks: Box::new(chunks),
            bytes,
            queue: VecDeque::new(),
            known_era_follows: false,
        }
    }

    /// Adds the items of the next chunk to the queue. Returns false if there is no chunk left.
    fn read(&mut self) -> bool {
        let Some(chunk) = self.chunks.next() else {
            return false;
        };
        let others = self.bytes.saturating_sub(chunk.listed);
        self.bytes = others.saturating_add(chunk.length);
        self.queue.extend(chunk.items);
        true
    }

    /// The next item that is not about an index. It stays in the queue.
    fn peek(&mut self) -> Option<&Item> {
        // The loop looks at each item once. So it takes linear time, even if many chunks in a row have only
        // items about their indexes.
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

    /// The header of the next block, and the number of its chunk. Returns `None` if the next item is not a
    /// block, or is a damaged block, whose slot and number may be wrong.
    pub(super) fn next_header(&mut self) -> Option<(&Header, u64)> {
        match self.peek()? {
            Item::Block(block) if matches!(block.crc, Crc::Holds | Crc::Unknown) => {
                Some((block.header.as_ref().ok()?, block.chunk))
            }
            _ => None,
        }
    }

    /// True if the next block names `hash` as its predecessor.
    pub(super) fn names(&mut self, hash: Hash<32>) -> bool {
        match self.peek() {
            Some(Item::Block(block)) => block.prev_hash() == Some(hash),
            _ => false,
        }
    }

    /// True if the first block names `hash` as its predecessor, or if the chunks are empty.
    pub(super) fn begins_after(&mut self, hash: Hash<32>) -> bool {
        self.peek().is_none() || self.names(hash)
    }

    /// True if a block of a known era follows in `chunk` or soon after it (see [`LOOK_AHEAD`]).
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
