//! How a ledger state compares with the chain.

use std::collections::BTreeSet;

use klero_audit::{Compared, Ledger, LedgerPlace};
use klero_cardano::{Fact, Fault};

use super::words::{count, epochs};

/// One line.
pub fn ledger(ledger: &Ledger) -> String {
    let Ledger {
        last,
        place,
        compared,
        differences,
        checksum,
        ..
    } = ledger;
    let block = format!("its last block, {} at slot {}", last.hash, last.slot);
    let answer = match place {
        LedgerPlace::NotReached => format!("not compared: {block}, is not in what was read"),
        LedgerPlace::Before => format!("not compared: this run begins after {block}"),
        LedgerPlace::Absent => format!("not of this chain, which does not have {block}"),
        LedgerPlace::Found if differences.is_empty() => {
            let agree = parts(compared).join(", ");
            return format!(
                "Ledger state: compared at slot {}: {agree} agree{}. Checksum: {checksum}.",
                last.slot,
                left_out(compared)
            );
        }
        LedgerPlace::Found => {
            let kinds: BTreeSet<_> = differences.iter().filter_map(kind).collect();
            let kinds: Vec<_> = kinds.into_iter().collect();
            let found = count(differences.len() as u64, "difference", "differences");
            format!(
                "compared at slot {}: {found} ({})",
                last.slot,
                kinds.join(", ")
            )
        }
    };
    format!("Ledger state: {answer}. Checksum: {checksum}.")
}

/// What was compared.
fn parts(compared: &Compared) -> Vec<String> {
    let mut parts = vec!["tip".to_owned()];
    if compared.nonces {
        parts.push("nonces".into());
    }
    if compared.counters {
        parts.push("certificate counters".into());
    }
    if !compared.blocks.is_empty() {
        let numbers: Vec<u64> = compared.blocks.iter().copied().collect();
        parts.push(format!("blocks made by pools in {}", epochs(&numbers)));
    }
    parts
}

/// What was not.
fn left_out(compared: &Compared) -> String {
    let parts = [
        (compared.nonces, "nonces"),
        (compared.counters, "certificate counters"),
        (!compared.blocks.is_empty(), "blocks made by pools"),
    ];
    let missing = parts.iter().filter(|(is_there, _)| !is_there);
    let missing: Vec<_> = missing.map(|(_, name)| *name).collect();
    match missing.is_empty() {
        true => String::new(),
        false => format!(
            "; not compared, as this run does not know them for certain: {}",
            missing.join(", ")
        ),
    }
}

/// The kind of a difference.
fn kind(of: &Fault) -> Option<&'static str> {
    let Fault::LedgerState { what, .. } = of else {
        return None;
    };
    Some(match what {
        Fact::Counter(_) => "certificate counters",
        Fact::Blocks { .. } => "blocks made by pools",
        Fact::EpochNonce
        | Fact::EvolvingNonce
        | Fact::CandidateNonce
        | Fact::LastEpochBlockNonce
        | Fact::LabNonce => "nonces",
        _ => "last block",
    })
}
