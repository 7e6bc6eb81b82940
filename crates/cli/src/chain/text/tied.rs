//! What shows that the chain is that of its network, and what to do where nothing does.

use klero_audit::{ExpectedBlock, Origin, Report};

/// The answer: yes, no, or up to where, and why.
pub fn tied(report: &Report) -> String {
    let network = report.network.name();
    let mut parts = vec![answer(report)];
    for (block, found) in &report.expected_blocks {
        match found {
            Some(true) => {}
            Some(false) => parts.push(format!("The chain does not have {}.", name(block))),
            None => parts.push(format!(
                "The expected {} is not in what was read.",
                name(block)
            )),
        }
    }
    match (&report.expected_tip, report.has_expected_tip()) {
        (Some(tip), Some(false)) => {
            parts.push(format!("The chain does not end with {}.", name(tip)));
        }
        (Some(tip), None) => parts.push(format!("The expected {} was not reached.", name(tip))),
        _ => {}
    }
    if report.found.contains_key("epoch-nonce") {
        parts.push(format!("An epoch nonce is not that of {network}."));
    }
    if report.found.contains_key("expected-block") {
        parts.push("A block is not that of its checkpoint.".into());
    }
    if report.requires_anchor && !report.is_anchored() {
        parts.push("--require-anchor asks for more.".into());
    }
    parts.extend(end_of_nonces(report));
    parts.extend(advice(report));
    format!("Tied to the network: {}", parts.join(" "))
}

fn answer(report: &Report) -> String {
    let network = report.network.name();
    match (report.has_expected_tip(), report.tied) {
        _ if report.is_another() => "no.".into(),
        (Some(true), _) => "yes. The chain ends with the expected block.".into(),
        (_, Some(slot)) => format!(
            "up to slot {slot}. A known epoch nonce, a checkpoint or an expected block shows that \
             all headers up to there are those of {network}."
        ),
        (_, None) => match report.origin {
            Origin::EpochNonces(_) if report.totals.valid > 0 => format!(
                "no. The proofs are for the known nonces of {network}, but anyone can make such \
                 proofs with keys of their own."
            ),
            _ => "no.".into(),
        },
    }
}

/// Where the nonces that are built in end, and what to do if the chain goes on.
fn end_of_nonces(report: &Report) -> Option<String> {
    let last = *report.network.built_in_nonces()?.end();
    let newest = report.epochs.last_key_value().map(|(epoch, _)| *epoch);
    let more = match newest > Some(last) {
        true => "; --nonces FILE adds later ones",
        false => "",
    };
    let network = report.network.name();
    Some(format!(
        "The nonces of {network} are built in up to epoch {last}{more}."
    ))
}

/// How to tie the rest of the chain, unless something was expected already.
fn advice(report: &Report) -> Option<String> {
    let tip = report.tip.as_ref()?;
    let was_asked = report.expected_tip.is_some() || !report.expected_blocks.is_empty();
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
         that you trust, such as an explorer, and pass --expect-block {slot}:HASH.",
        report.network.name(),
        slot = tip.slot,
    ))
}

fn name(block: &ExpectedBlock) -> String {
    format!("block {} at slot {}", block.hash, block.slot)
}
