//! Continuation of a walk from a point of the chain. The walk skips all blocks before the point. The last of
//! them must be in the database, with the hash, number and era that the point gives for it.

use std::fmt::Display;

use crate::chain::header::{Header, Place};
use crate::disk::item::Item;
use crate::fault::Severity;
use crate::walk::ahead::Ahead;
use crate::walk::checks::Checks;
use crate::walk::last::LastBlock;
use crate::walk::start::WalkError;

/// Skips the blocks up to and including `last`, the last block before a point. Returns the offset in the
/// chunk at which this block ends. Faults of the skipped blocks are not reported.
pub(super) fn skip_to(
    last: &LastBlock,
    ahead: &mut Ahead<'_>,
    checks: &mut Checks,
) -> Result<u64, WalkError> {
    let chunk = checks.network.chunk(last.slot);
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
                // This finding is reported, because the index also lists blocks after the point.
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

/// Checks that the block at the slot of `last` has the same hash, number and era as `last`.
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

/// Makes the error of a walk that cannot continue from a point.
fn refused(last: &LastBlock, why: impl Display) -> WalkError {
    WalkError::Resume(format!("cannot go on from slot {}: {why}", last.slot))
}
