//! The rules by which blocks are read and compared.

use crate::chain::network::Network;

/// The parts of blocks that a walk reads beyond the fields of their headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Bodies, to compare their hashes and sizes with what the headers say. Without them, a body is
    /// read only where the CRC-32 of its block is wrong, and in an iterator to find its end.
    pub bodies: bool,
    /// The certificates and signatures of headers. Without them, [`Block::signed`](crate::Block::signed) is
    /// `None` in every block, which takes a third of the memory.
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
    /// Slots of a chunk.
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
