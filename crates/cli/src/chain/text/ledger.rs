//! How a ledger state compares with the chain.

use klero_audit::{Ledger, LedgerPlace};

use super::words::count;

/// One line.
pub fn ledger(ledger: &Ledger) -> String {
    let Ledger {
        last,
        place,
        differences,
        checksum,
        ..
    } = ledger;
    let block = format!("its last block, {} at slot {}", last.hash, last.slot);
    let compared = format!("compared at slot {}", last.slot);
    let answer = match place {
        LedgerPlace::NotReached => format!("not compared: {block}, is not in what was read"),
        LedgerPlace::Before => format!("not compared: this run begins after {block}"),
        LedgerPlace::Absent => format!("not of this chain, which does not have {block}"),
        LedgerPlace::Found if !differences.is_empty() => {
            let found = count(differences.len() as u64, "difference", "differences");
            format!("{compared}: {found}")
        }
        LedgerPlace::Found if ledger.nonces_compared => format!("{compared}: tip and nonces agree"),
        LedgerPlace::Found => format!(
            "{compared}: the tip agrees; its nonces were not compared, as this run does not know \
             them for certain"
        ),
    };
    format!("Ledger state: {answer}. Checksum: {checksum}.")
}
