//! The header state: the last block, the nonces, and the certificate counters.
//!
//! Sources, in ouroboros-consensus: `HeaderValidation.hs` (`encodeHeaderState`,
//! `defaultEncodeAnnTip`), `HardFork/Combinator/Serialisation/Common.hs` (`encodeNS`),
//! `Protocol/Praos.hs` (`PraosState`), `Util/Versioned.hs` (`encodeVersion`); in cardano-ledger
//! `BaseTypes.hs` (`Nonce`).

use std::collections::BTreeMap;
use std::io::BufRead;

use pallas_crypto::hash::Hash;

use crate::chain::nonce::Nonce;
use crate::ledger::cbor::Items;
use crate::ledger::error::LedgerError;
use crate::ledger::telescope::{index, telescope};
use crate::walk::LastBlock;

/// `PraosState`: what a node keeps of all headers so far.
pub(super) struct Praos {
    pub counters: BTreeMap<Hash<28>, u64>,
    pub evolving: Nonce,
    pub candidate: Nonce,
    pub epoch: Nonce,
    pub previous: Option<Nonce>,
    pub lab: Nonce,
    pub last_epoch_block: Nonce,
}

/// `HeaderState`, which must be that after `last`.
pub(super) fn header_state<R: BufRead>(
    items: &mut Items<R>,
    last: &LastBlock,
) -> Result<Praos, LedgerError> {
    items.part = "the header state";
    items.list(2, "list")?;
    annotated_tip(items, last)?;
    let at = items.position();
    let era = telescope(items)?;
    if era != last.era {
        let expected = format!("{}, as in the ledger", last.era);
        return items.unexpected(at, "era", expected, era.name());
    }
    praos(items, last.slot)
}

/// `WithOrigin (AnnTip)`: the same block as in the ledger.
fn annotated_tip<R: BufRead>(items: &mut Items<R>, last: &LastBlock) -> Result<(), LedgerError> {
    items.list(1, "last block")?;
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
    items.exactly(last.number, "number of the last block")
}

fn praos<R: BufRead>(items: &mut Items<R>, slot: u64) -> Result<Praos, LedgerError> {
    items.part = "the Praos state";
    items.list(2, "version and content")?;
    items.exactly(0, "version")?;
    // The nonce of the epoch before was added in ouroboros-consensus 1.0, which is node 10.7.
    let fields = items.list_of(&[7, 8], "list")?;
    items.list(2, "last slot")?;
    items.exactly(1, "last slot")?;
    items.exactly(slot, "last slot")?;
    let counters = items.by_hash("certificate counters", |items, _| {
        items.number("certificate counter")
    })?;
    let evolving = nonce(items, "evolving nonce")?;
    let candidate = nonce(items, "candidate nonce")?;
    let epoch = nonce(items, "epoch nonce")?;
    let previous = match fields {
        8 => Some(nonce(items, "previous epoch nonce")?),
        _ => None,
    };
    let lab = nonce(items, "nonce of the hash before the last block")?;
    let last_epoch_block = nonce(items, "nonce of the last block of the epoch before")?;
    Ok(Praos {
        counters,
        evolving,
        candidate,
        epoch,
        previous,
        lab,
        last_epoch_block,
    })
}

fn nonce<R: BufRead>(items: &mut Items<R>, what: &str) -> Result<Nonce, LedgerError> {
    let fields = items.list_of(&[1, 2], what)?;
    items.exactly(fields - 1, what)?;
    match fields {
        1 => Ok(Nonce::Neutral),
        _ => Ok(Nonce::Value(items.hash(what)?)),
    }
}
