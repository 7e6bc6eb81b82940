//! A change of one bit of a block, at a place that means something.

use anyhow::{Result, ensure};
use klero_cardano::Block;
use klero_forge::Entry;
use pallas_codec::minicbor;

/// A change of one bit of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flip {
    /// In the proof of the claim of this number.
    Proof(usize),
    /// In the output of the claim of this number.
    Output(usize),
    /// The last bit of the slot.
    Slot,
    /// In the KES signature, which ends the header.
    Kes,
    /// In the first part of the body: an empty array becomes an empty map, and an empty map an empty
    /// array.
    Body,
}

impl Flip {
    /// Flips the bit in the bytes of a block. It is an error if they have nothing of that kind.
    pub fn apply(self, block: &Block, bytes: &mut [u8]) -> Result<()> {
        let claim = |n: usize| block.claims.get(n);
        let done = match self {
            Self::Proof(n) => claim(n).is_some_and(|claim| flip_in(bytes, &claim.proof, 70, 1)),
            Self::Output(n) => claim(n).is_some_and(|claim| flip_in(bytes, &claim.output, 50, 4)),
            Self::Slot => {
                // It follows the number.
                let both = [cbor(block.place.number), cbor(block.place.slot)].concat();
                flip_in(bytes, &both, both.len() - 1, 1)
            }
            Self::Kes => flip_at(bytes, 200, 16),
            Self::Body => flip_at(bytes, 0, 0x20),
        };
        ensure!(
            done,
            "the block at slot {} has no such bit",
            block.place.slot
        );
        Ok(())
    }
}

/// Flips `bits` of byte `at` in the first occurrence of `part`. Whether there is one.
fn flip_in(bytes: &mut [u8], part: &[u8], at: usize, bits: u8) -> bool {
    let found = bytes.windows(part.len()).position(|window| window == part);
    let byte = found.and_then(|start| bytes.get_mut(start + at));
    byte.map(|byte| *byte ^= bits).is_some()
}

/// Flips `bits` of the byte at distance `before_end` from the end of the header.
fn flip_at(bytes: &mut [u8], before_end: usize, bits: u8) -> bool {
    let end = Entry::of(bytes).ok();
    let end = end.map(|entry| usize::from(entry.header_offset) + usize::from(entry.header_size));
    let byte = end.and_then(|end| bytes.get_mut(end.checked_sub(before_end)?));
    byte.map(|byte| *byte ^= bits).is_some()
}

/// An unsigned number in CBOR.
fn cbor(n: u64) -> Vec<u8> {
    minicbor::to_vec(n).unwrap_or_default()
}
