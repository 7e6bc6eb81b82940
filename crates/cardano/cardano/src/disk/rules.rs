//! The rules by which blocks are read and compared.

use crate::chain::network::Network;

/// The parts of blocks that a walk reads in addition to the fields of their headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// True if bodies are compared with the hashes and sizes in their headers. If false, a body is decoded
    /// only if its block's CRC-32 is wrong, or to find the end of a block that no index entry proves.
    pub bodies: bool,
    /// True if header certificates and signatures are kept. If false, [`Block::signed`](crate::Block::signed)
    /// is `None` in every block, which saves about 1 KB of memory for each block.
    pub signatures: bool,
}

impl Wanted {
    /// All parts.
    pub const ALL: Self = Self {
        bodies: true,
        signatures: true,
    };
}

/// The lengths of chunks and Byron epochs, and the parts of blocks that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The length of a chunk in slots.
    pub chunk_size: u64,
    /// The length of a Byron epoch in slots.
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
}
