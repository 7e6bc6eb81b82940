//! The telescope of a hard fork state: the bounds of the eras that have ended, and the current era.
//!
//! Sources, in ouroboros-consensus: `HardFork/Combinator/Serialisation/Common.hs`
//! (`encodeTelescope`), `HardFork/Combinator/State/Instances.hs` (`encodePast`, `encodeCurrent`),
//! `HardFork/History/Summary.hs` (`Bound`).

use std::io::BufRead;

use crate::chain::era::Era;
use crate::ledger::cbor::Items;
use crate::ledger::error::LedgerError;

/// The current eras of the states that can be read. They are the eras of Praos.
const READ: [Era; 2] = [Era::Babbage, Era::Conway];

/// The index of an era in a telescope, where Byron is 0.
pub(super) fn index(era: Era) -> u64 {
    era as u64
}

/// The bounds at which eras begin and end: slot, epoch, and a round if Peras is enabled.
pub(super) type Bounds = Vec<Vec<u64>>;

/// Reads the bounds of the eras that have ended, and the beginning of the current era. Returns the current
/// era and all bounds.
pub(super) fn telescope<R: BufRead>(items: &mut Items<R>) -> Result<(Era, Bounds), LedgerError> {
    let at = items.position();
    let eras = items.any_list("eras")?;
    let Some(current) = READ.into_iter().find(|era| index(*era) + 1 == eras) else {
        let known = READ.map(|era| format!("{} (up to {era})", index(era) + 1));
        let name = Era::ALL.iter().find(|era| index(**era) + 1 == eras);
        let found = match name {
            Some(era) => format!("{eras} (up to {era})"),
            None => eras.to_string(),
        };
        return items.unexpected(at, "eras", known.join(" or "), found);
    };
    let mut bounds = Vec::new();
    for _ in 0..index(current) {
        items.list(2, "bounds of an era")?;
        bounds.push(bound(items)?);
        bounds.push(bound(items)?);
    }
    items.list(2, "current era")?;
    bounds.push(bound(items)?);
    Ok((current, bounds))
}

/// Reads a `Bound`: a time of any size, which is skipped, slot, epoch, and a round if Peras is enabled.
fn bound<R: BufRead>(items: &mut Items<R>) -> Result<Vec<u64>, LedgerError> {
    let fields = items.list_as(|layout| layout.bound, "bound of an era")?;
    items.skip("time of a bound of an era")?;
    (1..fields)
        .map(|_| items.number("bound of an era"))
        .collect()
}
