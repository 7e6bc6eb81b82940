//! Blocks from an iterator instead of a node's files.
//!
//! The blocks are read in groups. Groups, like chunks, need little memory, and can be read on several
//! threads. An altered slot would lead a walk to a wrong epoch, so each slot must be confirmed. The slot of a
//! block in a chunk file is confirmed by the number of the chunk, and here by the slot of the next block.

use std::fmt;
use std::iter::Peekable;

use crate::disk::group::{Group, slot};
use crate::disk::rules::Rules;

/// Blocks in chain order. Each block has its stored form: the CBOR `[era tag, block]` and nothing else.
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

/// Blocks, with an error in place of a block that is not available.
type Given<'a> = Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send + 'a>;

impl<'a> Blocks<'a> {
    /// Wraps an iterator of blocks. The iterator's first error ends the walk and becomes a note
    /// ([`Io`](crate::Fault::Io)), because blocks may be missing at this point.
    ///
    /// Each item must be exactly one block, because no index confirms its length. Other bytes are a fault,
    /// such as [`Fault::Unreadable`](crate::Fault::Unreadable), and the walk continues with the next item. If
    /// the walk starts from a point, the iterator may begin with the first block after the point, or with an
    /// earlier block.
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

/// The blocks of an iterator in groups. All blocks of a group belong to one chunk.
pub(super) struct Groups<'a> {
    blocks: Peekable<Given<'a>>,
    /// A block that was taken from the iterator but did not belong to the last group.
    next: Option<Vec<u8>>,
    /// The chunk number of the block that was grouped last. Before any block is grouped, the number of the
    /// chunk in which the chain begins, if that number is known.
    chunk: Option<u64>,
    /// The number of blocks taken so far, and the sum of their lengths in bytes.
    items: u64,
    bytes: u64,
    ended: bool,
    rules: Rules,
}

impl<'a> Groups<'a> {
    /// Groups the blocks of a chain. The chain begins in chunk number `first`, if that is known.
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

    /// The chunk of a block, found from its slot. A slot outside the previous block's chunk is altered if the
    /// next block's slot is neither in the same chunk nor in a chunk further in the same direction. If the
    /// slot is altered or cannot be read, returns the previous block's chunk.
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
