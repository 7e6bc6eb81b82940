//! How much is read in search of blocks that no index vouches for.
//!
//! Where an index is wrong, the bytes are asked where a block ends. An index that is wrong at
//! every byte, over bytes that never end, would have all of them read again from every one of
//! them. So each chunk has a budget for such reading, a small multiple of its length. What is
//! left when it is spent is taken as the index has it.

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

    /// Takes note of bytes that were read.
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
