//! BLAKE2b-256, the hash of blocks, bodies and nonces.

use pallas_crypto::hash::{Hash, Hasher};

/// BLAKE2b-256 of the concatenated parts.
pub(crate) fn blake2b_256(parts: &[&[u8]]) -> Hash<32> {
    let mut hasher = Hasher::<256>::new();
    for part in parts {
        hasher.input(part);
    }
    hasher.finalize()
}

/// BLAKE2b-256 of each message. Several messages are hashed together, in the lanes of vector registers.
pub(crate) fn blake2b_256_each<const PARTS: usize>(
    messages: &[[&[u8]; PARTS]],
) -> impl Iterator<Item = Hash<32>> {
    let messages: Vec<&[&[u8]]> = messages.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 32]; messages.len()];
    klero_lanes::engine().blake2b(&messages, &mut digests);
    digests.into_iter().map(Hash::new)
}
