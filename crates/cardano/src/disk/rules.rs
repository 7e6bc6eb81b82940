//! What blocks are read and compared by.

use crate::chain::network::Network;

/// What of a block is read beyond the fields of its header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Whether bodies are compared with their headers.
    pub bodies: bool,
    /// Whether the bytes of headers that are signed are kept.
    pub signatures: bool,
}

impl Wanted {
    pub(super) const ALL: Self = Self {
        bodies: true,
        signatures: true,
    };
}

/// What blocks are read and compared by.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Slots of a chunk.
    pub chunk_size: u64,
    /// Slots of a Byron epoch.
    pub byron_epoch_length: u64,
    pub wanted: Wanted,
}

impl Rules {
    pub(super) fn of(network: &Network, wanted: Wanted) -> Self {
        Self {
            chunk_size: network.chunk_size(),
            byron_epoch_length: network.byron_epoch_length(),
            wanted,
        }
    }

    /// The first slot of a chunk.
    pub(super) fn first_slot(&self, chunk: u64) -> u64 {
        chunk.saturating_mul(self.chunk_size)
    }
}
