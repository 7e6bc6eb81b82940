//! The events of a walk: blocks with their claims, and findings.

use crate::chain::claim::Claim;
use crate::chain::header::{Lottery, Place};
use crate::chain::kes::Signed;
use crate::chain::leadership::Leadership;
use crate::chain::nonce::NonceState;
use crate::finding::{Finding, Location};
use crate::walk::doubt::Steps;
use crate::walk::nonces::EpochNonces;

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
    /// What it claims.
    pub claims: Claims,
    /// The same with the nonce that the epoch is known to have
    /// ([`Network::known_nonce`](crate::Network::known_nonce)), if the chain makes another one.
    pub known_claims: Vec<Claim>,
    /// How its leader value compares with f.
    pub leadership: Leadership,
    /// Whether the candidate nonce follows at its slot.
    pub in_window: bool,
    /// The nonces after it; `None` if the walk began after the first block of the chain.
    pub nonces: Option<NonceState>,
    /// What faults cast doubt on at this block: see [`Doubt`](crate::Doubt).
    pub steps: Steps,
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

/// The claims of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claims {
    /// A Byron block: there is no VRF.
    None,
    /// To be verified: see [`Lottery::claims`]. With the nonce that the chain makes, in doubt or
    /// not; or with the known one of the epoch, if no nonces are computed.
    Made(Vec<Claim>),
    /// The nonce of the epoch is neither computed nor known.
    NonceUnknown,
}

impl Claims {
    /// What a block claims, and what it claims by the known nonce of its epoch, if that is
    /// another.
    pub(crate) fn of(
        place: &Place,
        lottery: Option<&Lottery>,
        nonces: EpochNonces,
    ) -> (Claims, Vec<Claim>) {
        let Some(lottery) = lottery else {
            return (Claims::None, Vec::new());
        };
        let EpochNonces { made, known } = nonces;
        let claims = |nonce| lottery.claims(place.slot, nonce);
        match made {
            Some(made) => {
                let other = known.filter(|known| *known != made);
                (
                    Claims::Made(claims(made)),
                    other.map(claims).unwrap_or_default(),
                )
            }
            None => (
                known.map_or(Claims::NonceUnknown, |known| Claims::Made(claims(known))),
                Vec::new(),
            ),
        }
    }
}
