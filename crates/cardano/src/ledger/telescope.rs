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

/// Passes over the eras that have ended, and to the state of the current one. Returns its era.
pub(super) fn telescope<R: BufRead>(items: &mut Items<R>) -> Result<Era, LedgerError> {
    let at = items.position();
    let eras = items.any_list("eras")?;
    let Some(era) = READ.into_iter().find(|era| index(*era) + 1 == eras) else {
        let known = READ.map(|era| format!("{} (up to {era})", index(era) + 1));
        let name = Era::ALL.iter().find(|era| index(**era) + 1 == eras);
        let found = match name {
            Some(era) => format!("{eras} (up to {era})"),
            None => eras.to_string(),
        };
        return items.unexpected(at, "eras", known.join(" or "), found);
    };
    for _ in 0..index(era) {
        items.list(2, "bounds of an era")?;
        bound(items)?;
        bound(items)?;
    }
    items.list(2, "current era")?;
    bound(items)?;
    Ok(era)
}

/// `Bound`: time (an integer of any size), slot, epoch, and since Peras a round.
fn bound<R: BufRead>(items: &mut Items<R>) -> Result<(), LedgerError> {
    let fields = items.list_of(&[3, 4], "bound of an era")?;
    items.skip("time of a bound of an era")?;
    for _ in 1..fields {
        items.number("bound of an era")?;
    }
    Ok(())
}
