//! BLAKE2b in the two lengths that Cardano uses: 32 bytes for data and VRF keys, 28 bytes for other keys.

use klero_cardano::Hash;
use pallas_crypto::hash::Hasher;

/// BLAKE2b-256 of the parts, joined in their order.
pub(crate) fn blake2b_256(parts: &[&[u8]]) -> Hash<32> {
    let mut hasher = Hasher::<256>::new();
    for part in parts {
        hasher.input(part);
    }
    hasher.finalize()
}

/// BLAKE2b-224 of the bytes.
pub(crate) fn blake2b_224(bytes: &[u8]) -> Hash<28> {
    Hasher::<224>::hash(bytes)
}
