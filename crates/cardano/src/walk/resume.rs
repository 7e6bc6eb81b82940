//! Going on from a saved state: the blocks up to its last one are passed over, and that block must
//! be the one that the state names.

use crate::chain::header::{Header, Place};
use crate::disk::item::Item;
use crate::finding::Severity;
use crate::walk::ahead::Ahead;
use crate::walk::checks::Checks;
use crate::walk::start::WalkError;
use crate::walk::state::{LastBlock, StateError};

/// Goes to the block after the `last` one of a state, and returns the byte of the chunk where that
/// ends. Faults before it were reported by the run that saved the state.
pub(super) fn skip_to(
    last: &LastBlock,
    ahead: &mut Ahead<'_>,
    checks: &mut Checks,
) -> Result<u64, WalkError> {
    let slot = last.slot;
    let chunk = slot / checks.network.chunk_size();
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
                let reason = format!("{}: {}", finding.at, finding.fault);
                return Err(StateError::NotRead { slot, reason }.into());
            }
            Some(Item::Lost(_) | Item::UnknownEra { .. } | Item::HalfWritten { .. }) => {
                continue;
            }
            None if passed < Some(slot) => {
                let last = passed;
                return Err(StateError::Short { slot, last }.into());
            }
            None => return Err(StateError::NoBlock { slot, chunk }.into()),
        };
        if block.chunk > chunk {
            return Err(StateError::NoBlock { slot, chunk }.into());
        }
        let Ok(Header { place, .. }) = block.header else {
            continue;
        };
        if place.slot == slot && place.boundary == last.boundary {
            check(&place, last)?;
            return Ok(block.offset.saturating_add(block.size));
        }
        passed = Some(place.slot);
    }
}

/// Compares the block in the slot of the `last` one of a state with that.
fn check(place: &Place, last: &LastBlock) -> Result<(), StateError> {
    let slot = last.slot;
    if place.hash != last.hash {
        return Err(StateError::OtherBlock {
            slot,
            expected: last.hash,
            found: place.hash,
        });
    }
    if (place.number, place.era) != (last.number, last.era) {
        return Err(StateError::OtherPlace {
            slot,
            expected_number: last.number,
            expected_era: last.era,
            number: place.number,
            era: place.era,
        });
    }
    Ok(())
}
