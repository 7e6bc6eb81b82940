//! The events of a walk: blocks with their claims, and findings.

use crate::chain::claim::Claim;
use crate::chain::header::{Lottery, Place};
use crate::chain::kes::Signed;
use crate::chain::leadership::Leadership;
use crate::chain::nonce::{Nonce, NonceState};
use crate::finding::{Finding, Location};

/// A block or a finding of a walk. A walk returns its events in the order of the chain.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block.
    Block(Box<Block>),
    /// A finding. A fault of a block comes before that block.
    Finding(Box<Finding>),
}

/// A block of the chain.
#[derive(Clone, Debug)]
pub struct Block {
    /// The number of the block's chunk file. For a block from an iterator, this is the number of the chunk
    /// file that would contain the block.
    pub chunk: u64,
    /// The offset of the block's first byte in the chunk file, or in the concatenated blocks of the iterator.
    pub offset: u64,
    /// The block's number in its iterator, counted from 0; `None` for a block from a chunk file.
    pub item: Option<u64>,
    /// The length of the block in bytes.
    pub size: u64,
    /// The block's place in the chain.
    pub place: Place,
    /// The epoch of the block.
    pub epoch: u64,
    /// The certificate and signature of the header. `None` in Byron, which signs in another way, and in a
    /// walk that does not read signatures.
    pub signed: Option<Signed>,
    /// True if the body has the hash and the size that are in the header. `None` if not checked: in Byron, in
    /// a walk that does not read bodies, and in a block with the fault [`Crc`](crate::Fault::Crc).
    pub body: Option<bool>,
    /// The block's maker, with the outputs and proofs; `None` in Byron.
    pub lottery: Option<Lottery>,
    /// True if the block names as its predecessor the block that the walk returned before it. The first block
    /// after a [point](crate::Resume) is linked if it names the point's last block. The first block of a
    /// chain counts as linked, and so does the first block of a walk that begins
    /// [anywhere](crate::Start::Anywhere).
    pub linked: bool,
    /// The epoch nonce in the block's claims. It is the first of these three nonces that exists: the epoch's
    /// [built-in](crate::Network::built_in_nonce) nonce, the epoch's nonce as computed from the chain, and
    /// the nonce that a caller [set](crate::Network::set_known_nonce). `None` if none of them exists, and in
    /// Byron.
    pub nonce: Option<Nonce>,
    /// The claims of the block, which can be verified (see [`Lottery::claims`]). Empty if `nonce` is `None`.
    pub claims: Vec<Claim>,
    /// The result of comparing the block's leader value with f, the bound that holds for any stake.
    pub leadership: Leadership,
    /// True if the candidate nonce is not yet frozen at the block's slot.
    pub in_window: bool,
    /// The nonces after the block; `None` if the walk [does not compute nonces](crate::Walk::has_nonces).
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
