//! Hashes many messages with BLAKE2b at the same time, one in each lane of a vector.

use klero_lanes::Engine;

/// Hashes each message to N bytes.
pub(crate) fn blake2b<'a, const N: usize>(
    engine: Engine,
    messages: impl Iterator<Item = &'a [u8]>,
) -> Vec<[u8; N]> {
    let messages: Vec<[&[u8]; 1]> = messages.map(|message| [message]).collect();
    let messages: Vec<&[&[u8]]> = messages.iter().map(|parts| &parts[..]).collect();
    let mut hashes = vec![[0; N]; messages.len()];
    engine.blake2b(&messages, &mut hashes);
    hashes
}
