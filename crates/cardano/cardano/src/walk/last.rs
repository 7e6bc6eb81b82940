//! A point of the chain, marked by the last block before it: the era, slot, number and hash of that block.

use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::chain::era::Era;
use crate::chain::header::Place;

/// The last block before a point of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastBlock {
    /// The block's era.
    pub era: Era,
    /// True for an epoch boundary block of Byron.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub boundary: bool,
    /// The block's slot.
    pub slot: u64,
    /// The block's number.
    pub number: u64,
    /// The block's hash.
    pub hash: Hash<32>,
}

impl From<&Place> for LastBlock {
    fn from(place: &Place) -> LastBlock {
        LastBlock {
            era: place.era,
            boundary: place.boundary,
            slot: place.slot,
            number: place.number,
            hash: place.hash,
        }
    }
}
