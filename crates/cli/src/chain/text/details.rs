//! The lines with details of the verdict.

use indicatif::HumanCount;
use klero_audit::{Check, Checked, Epoch, Report};
use klero_cardano::Severity;
use klero_leader::TotalSource;

use super::words::{count, epochs};

/// The warnings, the notice about Dijkstra, and the reasons why proofs are not valid or were not checked.
pub fn why(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let warnings = report.found.iter();
    let warnings = warnings.filter(|(name, _)| Severity::of(name) == Severity::Warning);
    let warnings: u64 = warnings.map(|(_, count)| count).sum();
    if warnings > 0 {
        lines.push(format!(
            "{} about index files; no block was left out for them.",
            count(warnings, "warning", "warnings")
        ));
    }
    lines.extend(doubts(report));
    if report.is_experimental() {
        let words = "Dijkstra is experimental: its headers are in flux; Leios and Peras certificates \
                     are not checked.";
        lines.push(words.into());
    }
    let suspect: Vec<u64> = report.suspect_nonces().collect();
    let epochs_that = |are: &dyn Fn(&u64, &Epoch) -> bool| {
        let those = report
            .epochs
            .iter()
            .filter(|(number, epoch)| are(number, epoch));
        let those: Vec<u64> = those.map(|(number, _)| *number).collect();
        (!those.is_empty()).then(|| epochs(&those))
    };
    if let Some(of) = epochs_that(&|_, epoch| epoch.counts.nonce_unknown > 0) {
        lines.push(format!("Nonce unknown, so not verified: {of}."));
    }
    let is_unexplained =
        |number: &u64, epoch: &Epoch| epoch.unexplained > 0 && !suspect.contains(number);
    if let Some(of) = epochs_that(&is_unexplained) {
        lines.push(format!(
            "Unverifiable, as no proof before shows that the nonce is right: {of}."
        ));
    }
    if let Some(of) = epochs_that(&|number, _| suspect.contains(number)) {
        let doubt = report.network.genesis_doubt();
        let doubt = doubt.map_or_else(String::new, |doubt| format!("; {doubt}"));
        lines.push(format!(
            "No proof of {of} is valid, so the nonce is probably not that of the chain; check \
             --network, --shelley-genesis, --extra-entropy and --expect{doubt}."
        ));
    }
    lines
}

/// The epochs whose proofs could not be judged, grouped by the slot where the doubt begins.
fn doubts(report: &Report) -> Vec<String> {
    let doubtful: Vec<(u64, u64)> = report
        .epochs
        .iter()
        .filter_map(|(number, epoch)| Some((*number, epoch.unverifiable_since?)))
        .collect();
    let same = doubtful.chunk_by(|a, b| a.1 == b.1);
    same.map(|same| {
        let (numbers, since): (Vec<u64>, Vec<u64>) = same.iter().copied().unzip();
        format!(
            "Unverifiable since slot {}, as what is wrong there may have changed the nonces: {}.",
            since[0],
            epochs(&numbers),
        )
    })
    .collect()
}

/// The counts of everything except proofs.
pub fn counts(report: &Report) -> Vec<String> {
    let totals = &report.totals;
    let mut lines = Vec::new();
    if totals.blocks > 0 && report.checks.contains(&Check::Vrf) {
        lines.push(leader_values(report));
    }
    lines.extend(leaders(report));
    lines.extend(others(report));
    if totals.byron_blocks > 0 {
        let blocks = count(totals.byron_blocks, "Byron block", "Byron blocks");
        lines.push(format!("Skipped: {blocks}, which carry no VRF."));
    }
    lines
}

/// The verdicts on the right to lead, if stake was given.
fn leaders(report: &Report) -> Vec<String> {
    let leaders = report.totals.leaders;
    if leaders == Checked::default() {
        return Vec::new();
    }
    let mut line = format!(
        "Who may lead: {} by stake or turn",
        HumanCount(leaders.valid)
    );
    if leaders.invalid > 0 {
        line += &format!("; {} may not", HumanCount(leaders.invalid));
    }
    if leaders.not_judged > 0 {
        line += &format!("; {} not judged", HumanCount(leaders.not_judged));
    }
    let mut lines = vec![line + "."];
    let narrowest = report.epochs.values().flat_map(|epoch| &epoch.narrowest);
    if let Some(lead) = narrowest.max_by(|a, b| a.margin.total_cmp(&b.margin)) {
        lines.push(format!(
            "The narrowest lead: {:.6} of the threshold, pool {} at slot {}.",
            lead.margin,
            lead.pool.to_hex(),
            lead.slot
        ));
    }
    let sums = report.stakes.iter();
    let sums = sums.filter(|(_, source)| **source == TotalSource::Sum);
    let sums: Vec<u64> = sums.map(|(epoch, _)| *epoch).collect();
    if !sums.is_empty() {
        lines.push(format!(
            "The total stake of {} is the sum of the pools given.",
            epochs(&sums)
        ));
    }
    lines
}

/// Verdicts on signatures, certificates and bodies; adjacent kinds with equal verdicts share a line.
fn others(report: &Report) -> Vec<String> {
    let totals = &report.totals;
    let kinds = [
        ("KES signatures", totals.kes),
        ("operational certificates", totals.certificates),
        ("certificate numbers", totals.certificate_numbers),
        ("bodies", totals.bodies),
    ];
    let made: Vec<_> = kinds
        .into_iter()
        .filter(|(_, checked)| *checked != Checked::default())
        .collect();
    let equal = made.chunk_by(|a, b| a.1 == b.1);
    equal
        .map(|kinds| {
            let names: Vec<_> = kinds.iter().map(|kind| kind.0).collect();
            let mut line = format!("{}: {}.", names.join(", "), verdicts(kinds[0].1));
            if let Some(first) = line.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            line
        })
        .collect()
}

fn leader_values(report: &Report) -> String {
    let values = &report.totals.leader_values;
    let bound = report.network.active_slots();
    let mut parts = vec![format!("{} below f = {bound}", HumanCount(values.below_f))];
    if values.at_or_above_f > 0 {
        parts.push(format!("{} at or above", HumanCount(values.at_or_above_f)));
    }
    if values.genesis_delegates > 0 {
        parts.push(count(
            values.genesis_delegates,
            "block by a genesis delegate is exempt",
            "blocks by genesis delegates are exempt",
        ));
    }
    if values.not_made > 0 {
        parts.push(format!(
            "{} not checked, as the genesis delegates are not known",
            HumanCount(values.not_made)
        ));
    }
    format!("Leader values: {}.", parts.join("; "))
}

/// The counts, as in `1,234 valid, 1 invalid`.
fn verdicts(checked: Checked) -> String {
    let rare = [
        (checked.invalid, "invalid"),
        (checked.not_judged, "not judged"),
    ];
    let mut parts = vec![format!("{} valid", HumanCount(checked.valid))];
    for (n, words) in rare {
        if n > 0 {
            parts.push(format!("{} {words}", HumanCount(n)));
        }
    }
    parts.join(", ")
}
