//! Two lines of the report, on network and ledger state. A chain is "tied to its network" up to a slot if
//! known nonces, checkpoints or expected blocks show that all headers up to there are those of the network.

use klero_audit::{Anchor, Ledger, Met, Origin, Report};

use super::words::count;

/// Returns the line that tells how far the chain is tied to its network (yes, no, or up to a slot), and why.
pub fn tied(report: &Report) -> String {
    let network = report.network.name();
    let mut parts = vec![answer(report)];
    parts.extend(report.anchors.iter().filter_map(missed));
    if report.found.contains_key("epoch-nonce") {
        parts.push(format!("An epoch nonce is not that of {network}."));
    }
    let is_other =
        |(anchor, met): &(Anchor, Met)| *met == Met::No && matches!(anchor, Anchor::Number { .. });
    if report.anchors.iter().any(is_other) {
        parts.push("A block is not that of its checkpoint.".into());
    }
    if report.requires_anchor && !report.is_anchored() {
        parts.push("--require-anchor asks for more.".into());
    }
    parts.extend(end_of_nonces(report));
    parts.extend(advice(report));
    format!("Tied to the network: {}", parts.join(" "))
}

/// A sentence on an expected block that is missing or was not reached.
fn missed((anchor, met): &(Anchor, Met)) -> Option<String> {
    let (verb, slot, hash) = match anchor {
        Anchor::Block { slot, hash } => ("have", slot, hash),
        Anchor::Tip { slot, hash } => ("end with", slot, hash),
        Anchor::Number { .. } | Anchor::Nonce { .. } => return None,
    };
    let block = format!("block {hash} at slot {slot}");
    match met {
        Met::Yes => None,
        Met::No => Some(format!("The chain does not {verb} {block}.")),
        Met::NotReached => Some(format!("The expected {block} is not in what was read.")),
    }
}

fn answer(report: &Report) -> String {
    let network = report.network.name();
    let is_tip =
        |(anchor, met): &(Anchor, Met)| *met == Met::Yes && matches!(anchor, Anchor::Tip { .. });
    let tip = report.tip.as_ref().map(|tip| tip.slot);
    match report.tied {
        _ if report.is_another() => "no.".into(),
        tied if tied == tip && report.anchors.iter().any(is_tip) => {
            "yes. The chain ends with the expected block.".into()
        }
        Some(slot) => format!(
            "up to slot {slot}. A known epoch nonce, a checkpoint or an expected block shows that \
             all headers up to there are those of {network}."
        ),
        None => match report.origin {
            Origin::Anywhere if report.totals.valid > 0 => format!(
                "no. The proofs are for the known nonces of {network}, but anyone can make such \
                 proofs with keys of their own."
            ),
            _ => "no.".into(),
        },
    }
}

/// Names the last epoch whose nonce is built in, and gives advice if the chain continues after it.
fn end_of_nonces(report: &Report) -> Option<String> {
    let last = *report.network.built_in_nonces()?.end();
    let newest = report.epochs.last_key_value().map(|(epoch, _)| *epoch);
    let more = match newest > Some(last) {
        true => "; --expect FILE adds later ones",
        false => "",
    };
    let network = report.network.name();
    Some(format!(
        "The nonces of {network} are built in up to epoch {last}{more}."
    ))
}

/// Returns advice on how to tie the rest of a chain of this network, unless the user already expects a block.
fn advice(report: &Report) -> Option<String> {
    let tip = report.tip.as_ref()?;
    let was_asked = report
        .anchors
        .iter()
        .any(|(anchor, _)| anchor.must_be_met());
    if was_asked || report.is_another() || report.tied >= Some(tip.slot) {
        return None;
    }
    if report.links_broken && report.faults().next().is_some() {
        return Some(
            "Repair the chain first: a block after a fault ties nothing before it.".into(),
        );
    }
    let rest = match report.tied {
        None => "this is the chain",
        Some(_) => "the blocks after it are those",
    };
    Some(format!(
        "Nothing shows that {rest} of network {}. Look up the block at slot {slot} in a source \
         that you trust, such as an explorer, and pass --expect {slot}:HASH.",
        report.network.name(),
        slot = tip.slot,
    ))
}

/// The comparison of a ledger state with the chain, in one line.
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
