//! What shows that the chain is that of its network, and what to do where nothing does.

use klero_audit::{ExpectedBlock, Report};

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
    if report.other_nonces > 0 {
        parts.push(format!("An epoch nonce is not that of {network}."));
    }
    if report.requires_anchor && !report.is_anchored() {
        parts.push("--require-anchor asks for more.".into());
    }
    parts.extend(advice(report));
    format!("Tied to the network: {}", parts.join(" "))
}

fn answer(report: &Report) -> String {
    let network = report.network.name();
    match (report.has_expected_tip(), report.tied) {
        _ if report.other_nonces > 0 => "no.".into(),
        (Some(true), _) => "yes. The chain ends with the expected block.".into(),
        (_, Some(slot)) => format!(
            "up to slot {slot}. A known epoch nonce or an expected block shows that all headers \
             up to there are those of {network}."
        ),
        (_, None) => "no.".into(),
    }
}

/// How to tie the rest of the chain, unless something was expected already.
fn advice(report: &Report) -> Option<String> {
    let tip = report.tip.as_ref()?;
    let was_asked = report.expected_tip.is_some() || !report.expected_blocks.is_empty();
    if was_asked || report.other_nonces > 0 || report.tied >= Some(tip.slot) {
        return None;
    }
    if !report.faults.is_empty() {
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
