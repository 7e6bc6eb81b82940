//! The prefix hash of the aggregated schemes: a hash of a block and of everything before it.
//!
//! ```text
//! h_-1 = SHA512(tag_init)
//! h_i  = SHA512(tag_block ‖ h_{i-1} ‖ kind ‖ P_i ‖ R_i ‖ le64|m_i| ‖ m_i)
//! ```
//! R_i is the nonce's point in [`Aggregate`](crate::Aggregate) and absent in `Bls`.

use sha2::{Digest, Sha512};

/// The domain separation tags of a scheme; none is a prefix of another.
pub(crate) struct Tags {
    pub(crate) init: &'static [u8],
    pub(crate) block: &'static [u8],
}

/// The parts of a block that are hashed.
pub(crate) struct Hashed<'a> {
    pub(crate) kind: u8,
    pub(crate) key: &'a [u8],
    pub(crate) commitment: &'a [u8],
    pub(crate) payload: &'a [u8],
}

impl Tags {
    /// h_-1.
    pub(crate) fn first(&self) -> [u8; 64] {
        Sha512::digest(self.init).into()
    }

    /// h_i from h_{i-1} and the block.
    pub(crate) fn next(&self, before: &[u8; 64], block: &Hashed<'_>) -> [u8; 64] {
        Sha512::new()
            .chain_update(self.block)
            .chain_update(before)
            .chain_update([block.kind])
            .chain_update(block.key)
            .chain_update(block.commitment)
            .chain_update((block.payload.len() as u64).to_le_bytes())
            .chain_update(block.payload)
            .finalize()
            .into()
    }
}
