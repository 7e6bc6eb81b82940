//! The items of the chunks, with a look at those to come.
//!
//! Two questions about a block are answered by what follows it: whether its header is intact
//! (the next block then names its hash), and whether an unknown tag is a new era or damage.

use std::collections::VecDeque;

use pallas_crypto::hash::Hash;

use crate::chain::header::Header;
use crate::disk::item::{Crc, Item};
use crate::disk::unread::Items;
use crate::limits::{LOOK_AHEAD, LOOK_AHEAD_ITEMS};

/// An iterator of items that can be looked at before they are taken.
pub(super) struct Ahead<'a> {
    items: Items<'a>,
    /// Items that were looked at.
    queue: VecDeque<Item>,
    /// A block of a known era is among them.
    known_era_follows: bool,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(items: Items<'a>) -> Self {
        Self {
            items,
            queue: VecDeque::new(),
            known_era_follows: false,
        }
    }

    /// Bytes of all chunks: as listed, and as found for those that were opened.
    pub(super) fn bytes(&self) -> u64 {
        self.items.bytes()
    }

    /// The next item that is not about an index.
    fn peek(&mut self) -> Option<&Item> {
        let of_index = |item: &Item| matches!(item, Item::OfIndex(_));
        if self.queue.iter().all(of_index) {
            loop {
                let item = self.items.next()?;
                let found = !of_index(&item);
                self.queue.push_back(item);
                if found {
                    break;
                }
            }
        }
        self.queue.iter().find(|item| !of_index(item))
    }

    /// The header of the next block and the number of its chunk. A damaged block says nothing
    /// of where it belongs.
    pub(super) fn next_header(&mut self) -> Option<(&Header, u64)> {
        match self.peek()? {
            Item::Block(block) if matches!(block.crc, Crc::Holds | Crc::Unknown) => {
                Some((block.header.as_ref().ok()?, block.chunk))
            }
            _ => None,
        }
    }

    /// Whether the next block names `hash` as its predecessor's.
    pub(super) fn names(&mut self, hash: Hash<32>) -> bool {
        match self.peek() {
            Some(Item::Block(block)) => block.prev_hash() == Some(hash),
            _ => false,
        }
    }

    /// Whether the first block names `hash` as its predecessor's, or there is none.
    pub(super) fn begins_after(&mut self, hash: Hash<32>) -> bool {
        self.peek().is_none() || self.names(hash)
    }

    /// Whether a block of a known era comes in `chunk` or soon after, whatever comes before
    /// it.
    pub(super) fn has_known_era(&mut self, chunk: u64) -> bool {
        let is_block = |item: &Item| matches!(item, Item::Block(_));
        if !self.known_era_follows {
            self.known_era_follows = self.queue.iter().any(is_block);
        }
        while !self.known_era_follows {
            let Some(item) = self.items.next() else { break };
            self.known_era_follows = is_block(&item);
            let is_far = item.chunk() > chunk.saturating_add(LOOK_AHEAD)
                || self.queue.len() >= LOOK_AHEAD_ITEMS;
            self.queue.push_back(item);
            if is_far {
                break;
            }
        }
        self.known_era_follows
    }
}

impl Iterator for Ahead<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let item = self.queue.pop_front().or_else(|| self.items.next());
        if let Some(Item::Block(_)) = item {
            self.known_era_follows = false;
        }
        item
    }
}
