//! BLAKE2b-256, the hash of blocks and nonces.

use pallas_crypto::hash::{Hash, Hasher};

/// BLAKE2b-256 of the concatenated parts.
pub(crate) fn blake2b_256(parts: &[&[u8]]) -> Hash<32> {
    let mut hasher = Hasher::<256>::new();
    for part in parts {
        hasher.input(part);
    }
    hasher.finalize()
}
