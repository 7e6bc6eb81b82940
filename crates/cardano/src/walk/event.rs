//! The events of a walk: blocks with their claims, and findings.

use crate::chain::claim::Claim;
use crate::chain::header::{Lottery, Place};
use crate::chain::kes::Signed;
use crate::chain::leadership::Leadership;
use crate::chain::nonce::{Nonce, NonceState};
use crate::finding::{Finding, Location};

/// What a walk returns, in the order of the chain.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block.
    Block(Box<Block>),
    /// Something that was found beside the blocks. A fault within a block comes before the block.
    Finding(Box<Finding>),
}

/// A block of the chain.
#[derive(Clone, Debug)]
pub struct Block {
    /// Number of the chunk file; of a block of an iterator, the one that it would be in.
    pub chunk: u64,
    /// Its first byte there; or among the bytes of all blocks of the iterator.
    pub offset: u64,
    /// Its number in the iterator that it comes from, from 0 on.
    pub item: Option<u64>,
    /// Its length in bytes.
    pub size: u64,
    /// Its place in the chain.
    pub place: Place,
    /// Its epoch.
    pub epoch: u64,
    /// What its header is signed with. `None` in Byron, whose signatures are others, and in a
    /// walk that leaves it out.
    pub signed: Option<Signed>,
    /// Whether its body has the hash and the size that its header names. `None` if that was not
    /// checked: in Byron, in a walk along the headers only, and where the block has a fault
    /// already.
    pub body: Option<bool>,
    /// Who made it, with which outputs and proofs; `None` in Byron.
    pub lottery: Option<Lottery>,
    /// True if it names the block that the walk returned before it, by the hash of that one's bytes;
    /// after a [point](crate::Resume), the point's last block. The first block of a chain is linked, and the first of a
    /// walk that begins [anywhere](crate::Start::Anywhere).
    pub linked: bool,
    /// The nonce that its claims are about: the [built-in](crate::Network::built_in_nonce) one of its
    /// epoch; or the one that the chain makes, if it stands at this epoch; or the one that a caller
    /// [named](crate::Network::set_known_nonce). `None` if there is none of these, and in Byron.
    pub nonce: Option<Nonce>,
    /// Its claims, to be verified: see [`Lottery::claims`]. Empty without a nonce.
    pub claims: Vec<Claim>,
    /// How its leader value compares with f.
    pub leadership: Leadership,
    /// Whether the candidate nonce follows at its slot.
    pub in_window: bool,
    /// The nonces after it; `None` if the walk began after the first block of the chain.
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
