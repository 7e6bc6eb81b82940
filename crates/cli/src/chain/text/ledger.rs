//! How a ledger state compares with the chain.

use klero_audit::{Ledger, Met, Report};

use super::words::count;

/// One line.
pub fn ledger(ledger: &Ledger, report: &Report) -> String {
    let Ledger { last, checksum, .. } = ledger;
    let differences = report.found.get("ledger-state").copied();
    let block = format!("its last block, {} at slot {}", last.hash, last.slot);
    let compared = format!("compared at slot {}", last.slot);
    let answer = match (ledger.met, differences) {
        (Met::NotReached, _) => format!("not compared: {block}, is not in what was read"),
        (Met::No, _) => format!("not of this chain, which does not have {block}"),
        (Met::Yes, Some(n)) => format!("{compared}: {}", count(n, "difference", "differences")),
        (Met::Yes, None) if ledger.nonces_compared => format!("{compared}: tip and nonces agree"),
        (Met::Yes, None) => format!(
            "{compared}: the tip agrees; its nonces were not compared, as this run does not know \
             them for certain"
        ),
    };
    format!("Ledger state: {answer}. Checksum: {checksum}.")
}
