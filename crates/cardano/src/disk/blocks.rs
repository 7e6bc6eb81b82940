//! Blocks from an iterator instead of a node's files.
//!
//! They are read in groups of little memory, on several threads if the caller wishes, as chunks are. A walk
//! also relies on the chunk of a block as a second witness of its slot: an altered slot would lead the walk
//! to another epoch. For a block of an iterator, the next block is that witness.

use std::fmt;
use std::iter::Peekable;

use crate::disk::group::{Group, slot};
use crate::disk::rules::Rules;

/// Blocks in the order of the chain, each as it is stored: the CBOR `[era tag, block]` and nothing else.
///
/// ```
/// use std::io;
///
/// use klero_cardano::{Blocks, Event, Network, Start, Walk};
///
/// // From any store; here there are none.
/// let stored = Vec::<io::Result<Vec<u8>>>::new();
/// for event in Walk::new(Blocks::new(stored), Network::mainnet(), Start::Genesis)? {
///     if let Event::Block(block) = event {
///         println!("{:?}: slot {}", block.item, block.place.slot);
///     }
/// }
/// # Ok::<(), klero_cardano::WalkError>(())
/// ```
pub struct Blocks<'a>(pub(super) Given<'a>);

/// Blocks, or the error in place of one.
type Given<'a> = Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send + 'a>;

impl<'a> Blocks<'a> {
    /// The blocks of an iterator. Its first error ends them, and becomes a
    /// note ([`Io`](crate::Fault::Io)): blocks may be lost there.
    ///
    /// Nothing vouches for a block, so its bytes must be one block and nothing else. Any other bytes are a
    /// fault, such as [`Fault::Unreadable`](crate::Fault::Unreadable), and the walk goes on with the next
    /// block. For a walk that goes on from a point, the iterator may begin with any block up to the first one
    /// after the point.
    pub fn new<I, B, E>(blocks: I) -> Self
    where
        I: IntoIterator<Item = Result<B, E>, IntoIter: Send + 'a>,
        B: Into<Vec<u8>> + 'a,
        E: fmt::Display + 'a,
    {
        let blocks = blocks.into_iter();
        let blocks = blocks.map(|block| block.map(B::into).map_err(|error| error.to_string()));
        Self(Box::new(blocks))
    }
}

impl fmt::Debug for Blocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").finish_non_exhaustive()
    }
}

/// The blocks of an iterator in groups, each of one chunk.
pub(super) struct Groups<'a> {
    blocks: Peekable<Given<'a>>,
    /// The block that did not belong to the last group.
    next: Option<Vec<u8>>,
    /// The number of the chunk of the last block; at the start, the chunk of the first block, if it is known.
    chunk: Option<u64>,
    /// The number of blocks taken, and their bytes.
    items: u64,
    bytes: u64,
    ended: bool,
    rules: Rules,
}

impl<'a> Groups<'a> {
    /// The groups of blocks of a chain that begins in chunk number `first`, if that is known.
    pub(super) fn new(blocks: Given<'a>, first: Option<u64>, rules: Rules) -> Self {
        Self {
            blocks: blocks.peekable(),
            next: None,
            chunk: first,
            items: 0,
            bytes: 0,
            ended: false,
            rules,
        }
    }

    /// The chunk that a block belongs to: that of its slot, unless the next block is neither in that chunk
    /// nor beyond it. Then the slot is altered, and the block stays in the chunk of the block before.
    fn chunk_of(&mut self, block: &[u8]) -> Option<u64> {
        let rules = self.rules;
        let of = |block: &[u8]| Some(slot(block, &rules)? / rules.chunk_size);
        let own = of(block);
        let (Some(own), Some(last)) = (own, self.chunk) else {
            return own.or(self.chunk);
        };
        if own == last {
            return Some(own);
        }
        let after = match self.blocks.peek() {
            Some(Ok(block)) => of(block),
            _ => None,
        };
        let goes_on = |after| (after >= own) == (own > last) || after == own;
        Some(if after.is_none_or(goes_on) { own } else { last })
    }
}

impl Iterator for Groups<'_> {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        let mut group = Group::new(self.items, self.bytes);
        while !self.ended && !group.is_full() {
            let block = match self.next.take().map(Ok).or_else(|| self.blocks.next()) {
                Some(Ok(block)) => block,
                end => {
                    self.ended = true;
                    group.failed = end.and_then(Result::err);
                    break;
                }
            };
            let chunk = self.chunk_of(&block);
            if !group.is_empty() && chunk != self.chunk {
                self.next = Some(block);
                break;
            }
            self.chunk = chunk;
            self.items += 1;
            self.bytes = self.bytes.saturating_add(block.len() as u64);
            group.push(&block);
        }
        group.chunk = self.chunk.unwrap_or(0);
        (!group.is_empty() || group.failed.is_some()).then_some(group)
    }
}
