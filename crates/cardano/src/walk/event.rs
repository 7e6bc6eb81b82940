//! The events of a walk: blocks with their claims, and findings.

use crate::chain::claim::Claim;
use crate::chain::header::{Lottery, Place};
use crate::chain::kes::Signed;
use crate::chain::leadership::Leadership;
use crate::chain::nonce::{Nonce, NonceState};
use crate::finding::{Finding, Location};

/// A block or a finding of a walk, in the order of the chain.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block.
    Block(Box<Block>),
    /// A finding beside the blocks. A fault within a block comes before the block.
    Finding(Box<Finding>),
}

/// A block of the chain.
#[derive(Clone, Debug)]
pub struct Block {
    /// The number of its chunk file; for a block of an iterator, the number of the chunk that it would be in.
    pub chunk: u64,
    /// Offset of its first byte in the chunk file, or among the bytes of all blocks of the iterator.
    pub offset: u64,
    /// Its number in its iterator, counted from 0.
    pub item: Option<u64>,
    /// Its length in bytes.
    pub size: u64,
    /// Its place in the chain.
    pub place: Place,
    /// Its epoch.
    pub epoch: u64,
    /// The certificate and signature of its header. `None` in Byron, which signs in another way, and in a
    /// walk that leaves them out.
    pub signed: Option<Signed>,
    /// True if its body has the hash and the size that its header names. `None` if that was not checked: in
    /// Byron, in a walk along the headers only, and in a block with the fault [`Crc`](crate::Fault::Crc).
    pub body: Option<bool>,
    /// Its maker, with the outputs and proofs; `None` in Byron.
    pub lottery: Option<Lottery>,
    /// True if it names the hash of the block that the walk returned before it; for the first block after a
    /// [point](crate::Resume), the hash of the point's last block. The first block of a chain counts as
    /// linked, and so does the first block of a walk that begins [anywhere](crate::Start::Anywhere).
    pub linked: bool,
    /// The nonce that its claims are about: the [built-in](crate::Network::built_in_nonce) one of its epoch;
    /// or the one that the chain makes, if it is of the same epoch; or the one that a caller
    /// [named](crate::Network::set_known_nonce). `None` if there is none of these, and in Byron.
    pub nonce: Option<Nonce>,
    /// Its claims, to be verified: see [`Lottery::claims`]. Empty without a nonce.
    pub claims: Vec<Claim>,
    /// The comparison of its leader value with f.
    pub leadership: Leadership,
    /// True if the candidate nonce still follows the evolving nonce at its slot.
    pub in_window: bool,
    /// The nonces after it; `None` if the walk [computes none](crate::Walk::has_nonces).
    pub nonces: Option<NonceState>,
}

impl From<&Block> for Location {
    fn from(block: &Block) -> Self {
        Self {
            chunk: block.chunk,
            offset: block.item.is_none().then_some(block.offset),
            item: block.item,
            epoch: Some(block.epoch),
            slot: Some(block.place.slot),
            hash: Some(block.place.hash),
        }
    }
}
