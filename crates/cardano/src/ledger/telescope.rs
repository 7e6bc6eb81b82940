//! The eras of a hard fork state: those that have ended, by their bounds, and the current one.
//!
//! Sources, in ouroboros-consensus: `HardFork/Combinator/Serialisation/Common.hs`
//! (`encodeTelescope`), `HardFork/Combinator/State/Instances.hs` (`encodePast`, `encodeCurrent`),
//! `HardFork/History/Summary.hs` (`Bound`).

use std::io::BufRead;

use crate::chain::era::Era;
use crate::ledger::cbor::Items;
use crate::ledger::error::LedgerError;

/// The eras whose states are read: those of Praos.
const READ: [Era; 2] = [Era::Babbage, Era::Conway];

/// The index of an era in a telescope, where Byron is 0.
pub(super) fn index(era: Era) -> u64 {
    era as u64
}

/// The bounds at which eras begin and end, each with slot, epoch and round.
pub(super) type Bounds = Vec<Vec<u64>>;

/// Reads the eras that have ended, and the bounds of all. Returns the current era and the bounds.
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

/// `Bound`: time (an integer of any size, passed over), slot, epoch, and with Peras a round.
fn bound<R: BufRead>(items: &mut Items<R>) -> Result<Vec<u64>, LedgerError> {
    let fields = items.list_as(|layout| layout.bound, "bound of an era")?;
    items.skip("time of a bound of an era")?;
    (1..fields)
        .map(|_| items.number("bound of an era"))
        .collect()
}
