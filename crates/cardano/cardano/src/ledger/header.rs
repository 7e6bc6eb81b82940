//! The header state: the last block and the nonces.
//!
//! Sources, in ouroboros-consensus: `HeaderValidation.hs` (`encodeHeaderState`,
//! `defaultEncodeAnnTip`), `HardFork/Combinator/Serialisation/Common.hs` (`encodeNS`),
//! `Protocol/Praos.hs` (`PraosState`), `Util/Versioned.hs` (`encodeVersion`); in cardano-ledger
//! `BaseTypes.hs` (`Nonce`).

use std::io::BufRead;

use crate::chain::era::Era;
use crate::chain::nonce::{Nonce, NonceState};
use crate::ledger::cbor::Items;
use crate::ledger::error::LedgerError;
use crate::ledger::telescope::{Bounds, index, telescope};
use crate::walk::LastBlock;

/// The five nonces, and the nonce of the previous epoch, which only nodes since version 10.7 store.
type Nonces = (NonceState, Option<Nonce>);

/// Reads `HeaderState`. Its last block must be `last`, the ledger's last block, and its eras must be the
/// ledger's eras. `epoch` is the epoch of `last`. Returns `None` if there is no last block.
pub(super) fn header_state<R: BufRead>(
    items: &mut Items<R>,
    eras: &(Era, Bounds),
    last: &LastBlock,
    epoch: u64,
) -> Result<Option<Nonces>, LedgerError> {
    items.part = "the header state";
    items.list(2, "list")?;
    let has_last = annotated_tip(items, last)?;
    let at = items.position();
    if telescope(items)? != *eras {
        return items.unexpected(at, "eras", "those of the ledger", "others");
    }
    let nonces = praos(items, has_last.then_some(last.slot), epoch)?;
    Ok(has_last.then_some(nonces))
}

/// Reads `WithOrigin (AnnTip)`: no block, or the last block, which must be the ledger's last block. Returns
/// true if there is a block.
fn annotated_tip<R: BufRead>(items: &mut Items<R>, last: &LastBlock) -> Result<bool, LedgerError> {
    if items.list_of(&[0, 1], "last block")? == 0 {
        return Ok(false);
    }
    items.list(2, "last block and its era")?;
    items.exactly(index(last.era), "era of the last block, counted from 0,")?;
    items.list(3, "last block")?;
    items.exactly(last.slot, "slot of the last block")?;
    let at = items.position();
    let hash = items.hash("hash of the last block")?;
    if hash != last.hash {
        let expected = format!("{}, as in the ledger", last.hash);
        return items.unexpected(at, "hash of the last block", expected, hash.to_string());
    }
    items.exactly(last.number, "number of the last block")?;
    Ok(true)
}

/// Reads `PraosState`. If `slot` is given, it must be the last slot. The nonces are those of `epoch`.
fn praos<R: BufRead>(
    items: &mut Items<R>,
    slot: Option<u64>,
    epoch: u64,
) -> Result<Nonces, LedgerError> {
    items.part = "the Praos state";
    items.list(2, "version and content")?;
    items.exactly(0, "version")?;
    let fields = items.list_as(|layout| layout.praos, "list")?;
    let counts = if slot.is_some() { &[2][..] } else { &[1, 2] };
    let of_slot = items.list_of(counts, "last slot")?;
    items.exactly(of_slot - 1, "last slot")?;
    match slot {
        Some(slot) => items.exactly(slot, "last slot")?,
        None => items.skip_all(of_slot - 1, "last slot")?,
    }
    items.by_hash("certificate counters", |items, _| {
        items.number("certificate counter")
    })?;
    let eta_v = nonce(items, "evolving nonce")?;
    let eta_c = nonce(items, "candidate nonce")?;
    let eta0 = nonce(items, "epoch nonce")?;
    let previous = match fields {
        8 => Some(nonce(items, "previous epoch nonce")?),
        _ => None,
    };
    let nonces = NonceState {
        epoch,
        eta0,
        eta_v,
        eta_c,
        lab: nonce(items, "nonce of the hash before the last block")?,
        eta_h: nonce(items, "nonce of the last block of the epoch before")?,
    };
    Ok((nonces, previous))
}

fn nonce<R: BufRead>(items: &mut Items<R>, what: &str) -> Result<Nonce, LedgerError> {
    let fields = items.list_of(&[1, 2], what)?;
    items.exactly(fields - 1, what)?;
    match fields {
        1 => Ok(Nonce::Neutral),
        _ => Ok(Nonce::Value(items.hash(what)?)),
    }
}
