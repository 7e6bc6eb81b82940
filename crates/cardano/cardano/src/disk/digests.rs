//! BLAKE2b-256 digests of parts of a buffer. They are requested one by one and computed together, in lanes.

use std::cmp::Reverse;
use std::ops::Range;

use pallas_crypto::hash::Hash;

use crate::chain::hash::blake2b_256_each;

/// The messages that are not hashed yet, and the digests of earlier messages.
#[derive(Default)]
pub(super) struct Digests {
    /// Each message is a prefix and a range of the buffer.
    messages: Vec<(&'static [u8], Range<usize>)>,
    digests: Vec<Hash<32>>,
}

impl Digests {
    /// Requests the digest of `prefix` and a range of the buffer. Returns the digest's index in
    /// [`all`](Self::all).
    pub(super) fn ask(&mut self, prefix: &'static [u8], range: Range<usize>) -> usize {
        self.messages.push((prefix, range));
        self.digests.len() + self.messages.len() - 1
    }

    /// Computes the digests requested since the last call. `buffer` must still contain the requested bytes.
    pub(super) fn compute(&mut self, buffer: &[u8]) {
        let first = self.digests.len();
        self.digests
            .resize(first + self.messages.len(), Hash::new([0; 32]));
        // The longest messages come first, because a long message at the end would leave the other lanes
        // idle.
        let mut order: Vec<usize> = (0..self.messages.len()).collect();
        order.sort_by_key(|n| Reverse(self.messages[*n].1.len()));
        let bytes = |range: &Range<usize>| buffer.get(range.clone()).unwrap_or_default();
        let messages = order.iter().map(|n| {
            let (prefix, range) = &self.messages[*n];
            [*prefix, bytes(range)]
        });
        let messages: Vec<[&[u8]; 2]> = messages.collect();
        for (n, digest) in order.iter().zip(blake2b_256_each(&messages)) {
            self.digests[first + n] = digest;
        }
        self.messages.clear();
    }

    /// All digests that were computed.
    pub(super) fn all(&self) -> &[Hash<32>] {
        &self.digests
    }
}
