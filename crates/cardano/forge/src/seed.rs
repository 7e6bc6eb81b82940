//! All randomness of a forged chain: one seed, expanded by hashing.

use crate::hash::blake2b_256;

/// The seed of a chain. The same recipe with the same seed always gives the same chain, byte for byte.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub [u8; 32]);

impl Seed {
    /// Returns 32 bytes for the given purpose and number.
    pub(crate) fn bytes(&self, purpose: &str, number: u64) -> [u8; 32] {
        *blake2b_256(&[&self.0, &number.to_be_bytes(), purpose.as_bytes()])
    }

    /// Returns `N` bytes for a value that only needs the right size, such as a signature that nobody checks.
    pub(crate) fn filler<const N: usize>(&self, purpose: &str, number: u64) -> [u8; N] {
        let mut out = [0; N];
        let first = Seed(self.bytes(purpose, number));
        for (i, part) in out.chunks_mut(32).enumerate() {
            part.copy_from_slice(&first.bytes("filler", i as u64)[..part.len()]);
        }
        out
    }
}
