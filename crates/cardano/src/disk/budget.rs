//! How many bytes may be read in search of blocks.
//!
//! Where an index is wrong, the bytes themselves are decoded to find the end of a block. A
//! hostile index can name every byte as the begin of a block that never ends, and cause a search
//! to the end of the chunk from each of them. So each chunk has a budget for searching, a small
//! multiple of its length. When it is spent, the offsets of the index are used.

use crate::limits::SEARCH;

/// The budget of a chunk.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Bytes read so far.
    spent: u64,
    limit: u64,
}

impl Budget {
    /// The budget of a chunk of `length` bytes.
    pub(crate) fn of(length: u64) -> Self {
        Self {
            spent: 0,
            limit: length.saturating_mul(SEARCH),
        }
    }

    /// Counts bytes that were read.
    pub(crate) fn spend(&mut self, bytes: usize) {
        self.spent = self.spent.saturating_add(bytes as u64);
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent >= self.limit
    }

    #[cfg(test)]
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}
