//! The prefix hash of the aggregated schemes: a hash of a block and of everything before it.
//!
//! ```text
//! h_-1 = SHA512(tag_init)
//! h_i  = SHA512(tag_block ‖ h_{i-1} ‖ kind ‖ P_i ‖ R_i ‖ le64|m_i| ‖ m_i)
//! ```
//! R_i is the nonce's point in [`Aggregate`](crate::Aggregate) and absent in `Bls`.

use alloc::vec;
use alloc::vec::Vec;

use klero_lanes::Engine;
use sha2::{Digest, Sha512};

/// The domain separation tags of a scheme; none is a prefix of another.
pub(crate) struct Tags {
    pub(crate) init: &'static [u8],
    pub(crate) block: &'static [u8],
}

/// The parts of a block that are hashed.
pub(crate) struct Hashed<'a> {
    kind: [u8; 1],
    key: &'a [u8],
    commitment: &'a [u8],
    length: [u8; 8],
    payload: &'a [u8],
}

impl<'a> Hashed<'a> {
    pub(crate) fn new(kind: u8, key: &'a [u8], commitment: &'a [u8], payload: &'a [u8]) -> Self {
        Self {
            kind: [kind],
            key,
            commitment,
            length: (payload.len() as u64).to_le_bytes(),
            payload,
        }
    }
}

impl Tags {
    /// h_-1.
    pub(crate) fn first(&self) -> [u8; 64] {
        Sha512::digest(self.init).into()
    }

    /// h_i from h_{i-1} and the block.
    pub(crate) fn next(&self, before: &[u8; 64], block: &Hashed<'_>) -> [u8; 64] {
        let mut hash = Sha512::new();
        for part in self.message(before, block) {
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// The same for blocks of different tokens, side by side in lanes.
    pub(crate) fn next_of_each(
        &self,
        engine: Engine,
        before: &[&[u8; 64]],
        blocks: &[Hashed<'_>],
    ) -> Vec<[u8; 64]> {
        let pairs = before.iter().zip(blocks);
        let parts: Vec<_> = pairs.map(|(h, block)| self.message(h, block)).collect();
        let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
        let mut digests = vec![[0; 64]; blocks.len()];
        engine.sha512(&[], &messages, &mut digests);
        digests
    }

    fn message<'a>(&self, before: &'a [u8; 64], block: &'a Hashed<'_>) -> [&'a [u8]; 7] {
        [
            self.block,
            before,
            &block.kind,
            block.key,
            block.commitment,
            &block.length,
            block.payload,
        ]
    }
}
