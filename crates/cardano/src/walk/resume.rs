//! Going on from a point of the chain: the blocks up to its last one are passed over, and that block must
//! be the one that the point names.

use std::fmt::Display;

use pallas_crypto::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::chain::era::Era;
use crate::chain::header::{Header, Place};
use crate::chain::nonce::NonceState;
use crate::disk::item::Item;
use crate::finding::Severity;
use crate::walk::ahead::Ahead;
use crate::walk::checks::Checks;
use crate::walk::event::Block;
use crate::walk::start::WalkError;

/// A point of the chain from which a walk can go on. Its caller vouches for everything before it: a walk
/// believes the nonces, and reads no earlier block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The last block before the point.
    pub last: LastBlock,
    /// The nonces after that block.
    pub nonces: NonceState,
}

/// The last block before a point of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastBlock {
    /// Its era.
    pub era: Era,
    /// Whether it is an epoch boundary block of Byron.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub boundary: bool,
    /// Its slot.
    pub slot: u64,
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: Hash<32>,
}

impl Resume {
    /// The point after `block`; `None` if the walk had no nonces to carry along, as with
    /// [`Start::Anywhere`](crate::Start::Anywhere).
    #[must_use]
    pub fn after(block: &Block) -> Option<Self> {
        Some(Self {
            last: LastBlock::from(&block.place),
            nonces: block.nonces.clone()?,
        })
    }
}

impl From<&Place> for LastBlock {
    fn from(place: &Place) -> LastBlock {
        let Place {
            era,
            boundary,
            slot,
            number,
            hash,
            ..
        } = *place;
        LastBlock {
            era,
            boundary,
            slot,
            number,
            hash,
        }
    }
}

/// Goes to the block after the `last` one of a point, and returns the byte of the chunk where that
/// ends. What is wrong before it is not said again.
pub(super) fn skip_to(
    last: &LastBlock,
    ahead: &mut Ahead<'_>,
    checks: &mut Checks,
) -> Result<u64, WalkError> {
    let chunk = last.slot / checks.network.chunk_size();
    let no_block = || {
        refused(
            last,
            format!("chunk {chunk:05} has no readable block there"),
        )
    };
    let mut passed = None;
    loop {
        let block = match ahead.next() {
            Some(Item::Block(block)) => block,
            Some(Item::OfIndex(finding)) => {
                // The index covers the blocks after it, too.
                checks.find(finding);
                continue;
            }
            Some(Item::Lost(finding))
                if finding.fault.severity() == Severity::Note
                    && (finding.at.chunk == chunk || finding.at.item.is_some()) =>
            {
                let (at, fault) = (&finding.at, &finding.fault);
                return Err(refused(last, format!("{at}: {fault}")));
            }
            Some(Item::Lost(_) | Item::UnknownEra { .. } | Item::HalfWritten { .. }) => {
                continue;
            }
            None if passed < Some(last.slot) => {
                let end = passed.map_or("an earlier chunk".into(), |slot| format!("slot {slot}"));
                return Err(refused(last, format!("the database ends at {end}")));
            }
            None => return Err(no_block()),
        };
        if block.chunk > chunk {
            return Err(no_block());
        }
        let Ok(Header { place, .. }) = block.header else {
            continue;
        };
        if place.slot == last.slot && place.boundary == last.boundary {
            check(&place, last)?;
            return Ok(block.offset.saturating_add(block.size));
        }
        passed = Some(place.slot);
    }
}

/// Compares the block in the slot of the `last` one of a point with that.
fn check(place: &Place, last: &LastBlock) -> Result<(), WalkError> {
    let LastBlock {
        hash, number, era, ..
    } = last;
    if place.hash != *hash {
        let found = place.hash;
        let why = format!("the database has block {found} there, expected {hash}");
        return Err(refused(last, why));
    }
    if (place.number, place.era) != (*number, *era) {
        let found = format!("block {} of {}", place.number, place.era);
        let why = format!("the database has {found} there, expected {number} of {era}");
        return Err(refused(last, why));
    }
    Ok(())
}

/// The error that a walk cannot go on from a point.
fn refused(last: &LastBlock, why: impl Display) -> WalkError {
    WalkError::Resume(format!("cannot go on from slot {}: {why}", last.slot))
}
