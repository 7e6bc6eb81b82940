//! An audit as text: what is wrong as it is found, then a table and a few lines.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use indicatif::{HumanBytes, HumanCount};
use klero_audit::{
    Check, Checked, Counts, Epoch, Finding, Origin, Outcome, Report, Saved, Started,
};
use klero_cardano::Era;
use terminal_size::terminal_size_of;

use super::printer::{Printer, not_checked};
use crate::error::Error;
use crate::stdout::print;
use crate::terminal::harmless;

/// Cells of the bar of the epoch with the most proofs.
const BAR: u64 = 10;

/// The printer.
#[derive(Default)]
pub struct Text {
    /// Shown instead of the directory.
    name: Option<&'static str>,
    has_findings: bool,
}

impl Text {
    /// A printer that shows `name` instead of a temporary directory.
    pub fn of(name: &'static str) -> Self {
        Self {
            name: Some(name),
            has_findings: false,
        }
    }
}

impl Printer for Text {
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error> {
        let from = match started.origin {
            Origin::Genesis => "from genesis".to_owned(),
            Origin::After(block) => format!("from saved slot {} on", block.slot),
            Origin::EpochNonces(given) => format!("nonces given for {}", epochs(given)),
        };
        let dir = || started.dir.map(|dir| dir.display().to_string());
        let name = self.name.map(str::to_owned).or_else(dir);
        say(format_args!(
            "{}: {}, {from}, {}\n",
            harmless(name.unwrap_or_default()),
            started.network.name(),
            HumanBytes(started.bytes.unwrap_or_default()),
        ))
    }

    fn findings(&mut self, findings: &[Finding]) -> Result<(), Error> {
        self.has_findings |= !findings.is_empty();
        findings.iter().try_for_each(say)
    }

    fn report(&mut self, report: &Report) -> Result<(), Error> {
        if self.has_findings {
            say("")?;
        }
        if !report.epochs.is_empty() {
            say(format_args!("{}\n", table(report)))?;
        }
        say(result(report))?;
        if report.totals.blocks > 0 {
            say(rates(report))?;
        }
        for line in details(report) {
            say(line)?;
        }
        say(tip(report))?;
        if report.tip.is_some() {
            say(anchor(report))?;
        }
        if let Some(saved) = &report.state {
            say(harmless(state(saved)))?;
        }
        say(format_args!(
            "Not checked: {}.",
            not_checked(report).join("; ")
        ))
    }
}

fn say(line: impl Display) -> Result<(), Error> {
    print(format_args!("{line}\n"))
}

/// A row for each epoch. Nonces are shortened on a narrow terminal.
fn table(report: &Report) -> String {
    let whole = table_of(report, 64);
    let width = whole.lines().map(|line| line.chars().count()).max();
    match terminal_size_of(io::stdout()) {
        Some((terminal, _)) if width > Some(terminal.0.into()) => table_of(report, 8),
        _ => whole,
    }
}

fn table_of(report: &Report, nonce_digits: usize) -> String {
    let totals = &report.totals;
    let numbers = || columns(totals, totals).map(|(name, _)| name);
    let header = ["epoch", "era", "nonce"].into_iter().chain(numbers());
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.chain([""]));
    let epochs = &report.epochs;
    let most = epochs.values().map(|epoch| epoch.counts.proofs).max();
    for (number, epoch) in epochs {
        let counts = &epoch.counts;
        let mut row = vec![
            number.to_string(),
            eras(&epoch.eras),
            nonce(epoch, nonce_digits),
        ];
        row.extend(columns(counts, totals).map(|(_, n)| HumanCount(n).to_string()));
        row.push(bar(counts, most.unwrap_or_default()));
        table.add_row(row);
    }
    for right in [0].into_iter().chain(3..3 + numbers().count()) {
        if let Some(column) = table.column_mut(right) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// The numbers of a row; rare ones only if the totals are not zero.
fn columns(counts: &Counts, totals: &Counts) -> impl Iterator<Item = (&'static str, u64)> {
    let none = Checked::default();
    [
        (true, "blocks", counts.blocks),
        (totals.proofs > 0, "proofs", counts.proofs),
        (totals.proofs > 0, "valid", counts.valid),
        (totals.kes != none, "KES", counts.kes.valid),
        (
            totals.certificates != none,
            "certificates",
            counts.certificates.valid,
        ),
        (totals.bodies != none, "bodies", counts.bodies.valid),
        (true, "invalid", counts.all_invalid()),
        (totals.unverifiable > 0, "unverifiable", counts.unverifiable),
        (
            totals.nonce_unknown > 0,
            "nonce unknown",
            counts.nonce_unknown,
        ),
    ]
    .into_iter()
    .filter_map(|(is_shown, name, n)| is_shown.then_some((name, n)))
}

fn eras(eras: &BTreeSet<Era>) -> String {
    let names: Vec<_> = eras.iter().map(|era| era.name()).collect();
    names.join(", ")
}

fn nonce(epoch: &Epoch, digits: usize) -> String {
    match (epoch.nonce, epoch.unverifiable_since) {
        (Some(nonce), _) => {
            let text = nonce.to_string();
            match text.get(..digits) {
                Some(start) if start.len() < text.len() => format!("{start}…"),
                _ => text,
            }
        }
        (None, Some(slot)) => format!("in doubt since slot {slot}"),
        (None, None) if epoch.counts.nonce_unknown > 0 => "unknown".into(),
        (None, None) => String::new(),
    }
}

/// The proofs of an epoch as a bar, the valid ones solid; `most` proofs fill it.
fn bar(counts: &Counts, most: u64) -> String {
    let cells = |proofs: u64| {
        // Rounded up: any proof shows.
        let cells = u128::from(proofs) * u128::from(BAR);
        cells.div_ceil(u128::from(most.max(1)))
    };
    let length = cells(counts.proofs);
    let solid = match counts.proofs - counts.valid {
        0 => length,
        // So does any that is not valid.
        _ => cells(counts.valid).min(length.saturating_sub(1)),
    };
    "█".repeat(solid as usize) + &"░".repeat((length - solid) as usize)
}

/// The result in one line.
fn result(report: &Report) -> String {
    let totals = &report.totals;
    let blocks = count(totals.blocks, "block", "blocks");
    let checked = match totals.proofs {
        _ if !report.checks.contains(&Check::Vrf) => blocks,
        0 if totals.blocks > 0 => format!("{blocks} of Byron, which carry no VRF proofs"),
        proofs => format!("{} in {blocks}", count(proofs, "proof", "proofs")),
    };
    let wrong: Vec<String> = [
        (totals.invalid, "invalid proof", "invalid proofs"),
        (
            totals.leader_values.at_or_above_f,
            "leader value at or above f",
            "leader values at or above f",
        ),
        (
            totals.kes.invalid,
            "invalid KES signature",
            "invalid KES signatures",
        ),
        (
            totals.certificates.invalid,
            "invalid certificate",
            "invalid certificates",
        ),
        (
            totals.certificate_numbers.invalid,
            "certificate number out of order",
            "certificate numbers out of order",
        ),
        (
            report.other_nonces,
            "epoch nonce that is not the known one",
            "epoch nonces that are not the known ones",
        ),
        (
            u64::from(report.has_expected_tip() == Some(false)),
            "other tip than expected",
            "",
        ),
        (
            report.lacking(),
            "expected block is not there",
            "expected blocks are not there",
        ),
        (report.faults.values().sum(), "fault", "faults"),
        (
            report.wrong_before,
            "thing that an earlier run found wrong",
            "things that earlier runs found wrong",
        ),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| count(n, one, many))
    .collect();
    let wrong = wrong.join(", ");
    let valid = match report.checks.contains(&Check::Vrf) {
        true => format!("; {} valid", count(totals.valid, "proof", "proofs")),
        false => String::new(),
    };
    let verdict = match report.outcome() {
        Outcome::AllValid if totals.blocks == 0 => return "No new blocks.".into(),
        Outcome::NotAllChecked if report.is_empty() => {
            return "No blocks: nothing was checked.".into();
        }
        Outcome::AllValid if report.half_written => {
            return format!("{checked}: all valid, but for the last block, which is not complete.");
        }
        Outcome::AllValid if totals.certificate_numbers.not_judged > 0 => {
            let not_judged = count(
                totals.certificate_numbers.not_judged,
                "certificate number, which could not be judged",
                "certificate numbers, which could not be judged",
            );
            return format!("{checked}: all valid, but for {not_judged}.");
        }
        Outcome::AllValid => return format!("{checked}: all valid."),
        Outcome::SomeInvalid => format!("{checked}: {wrong}{valid}."),
        Outcome::NotAllRead => {
            format!("{checked}: nothing wrong, but not all could be read{valid}.")
        }
        Outcome::NotAllChecked => format!("{checked}: nothing wrong, but not all checked{valid}."),
        Outcome::Interrupted if wrong.is_empty() => format!("{checked}: nothing wrong{valid}."),
        Outcome::Interrupted => format!("{checked}: {wrong}{valid}."),
    };
    if report.interrupted {
        format!("Interrupted. So far {verdict}")
    } else {
        verdict
    }
}

/// Time and rates.
fn rates(report: &Report) -> String {
    let proofs = match report.totals.proofs {
        0 => String::new(),
        _ => format!(", {} proofs/s", HumanCount(report.proofs_per_second())),
    };
    format!(
        "{:.2} s on {} (reading {:.2} s beside verifying {:.2} s): {} blocks/s{proofs}",
        report.times.all.as_secs_f64(),
        count(rayon::current_num_threads() as u64, "thread", "threads"),
        report.times.reading.as_secs_f64(),
        report.times.verifying.as_secs_f64(),
        HumanCount(report.blocks_per_second()),
    )
}

/// Details of the result, a line each.
fn details(report: &Report) -> Vec<String> {
    let totals = &report.totals;
    let mut lines = Vec::new();
    if !report.faults.is_empty() {
        let kinds: Vec<_> = report
            .faults
            .iter()
            .map(|(kind, n)| format!("{kind} {}", HumanCount(*n)))
            .collect();
        lines.push(format!("Faults: {}.", kinds.join(", ")));
    }
    if report.warnings > 0 {
        lines.push(format!(
            "{} about index files; the blocks themselves were read.",
            count(report.warnings, "warning", "warnings")
        ));
    }
    let doubtful: Vec<(u64, u64)> = report
        .epochs
        .iter()
        .filter_map(|(number, epoch)| Some((*number, epoch.unverifiable_since?)))
        .collect();
    for same in doubtful.chunk_by(|a, b| a.1 == b.1) {
        let (numbers, since): (Vec<u64>, Vec<u64>) = same.iter().copied().unzip();
        lines.push(format!(
            "Unverifiable since slot {}, as what is wrong there may have changed the nonces: {}.",
            since[0],
            epochs(&numbers),
        ));
    }
    let unknown: Vec<u64> = report
        .epochs
        .iter()
        .filter(|(_, epoch)| epoch.counts.nonce_unknown > 0)
        .map(|(number, _)| *number)
        .collect();
    if !unknown.is_empty() {
        lines.push(format!(
            "Nonce unknown, so not verified: {}.",
            epochs(&unknown)
        ));
    }
    if !report.absent.is_empty() {
        lines.push(format!(
            "Nonce given, but no block here: {}.",
            epochs(&report.absent)
        ));
    }
    let wrong: Vec<u64> = report.suspect_nonces().collect();
    if !wrong.is_empty() {
        lines.push(format!(
            "No proof of {} is valid, so the nonce is probably not that of the chain; check \
             --network, --shelley-genesis, --extra-entropy and --epoch-nonce.",
            epochs(&wrong),
        ));
    }
    let values = &totals.leader_values;
    let bound = report.network.active_slots();
    let mut parts = vec![format!("{} below f = {bound}", HumanCount(values.below_f))];
    for (n, words) in [
        (values.at_or_above_f, "at or above"),
        (values.genesis_delegates, "of genesis delegates, exempt"),
        (
            values.not_made,
            "not checked, as the genesis delegates are not known",
        ),
    ] {
        if n > 0 {
            parts.push(format!("{} {words}", HumanCount(n)));
        }
    }
    if totals.blocks > 0 && report.checks.contains(&Check::Vrf) {
        lines.push(format!("Leader values: {}.", parts.join(", ")));
    }
    for (name, checked) in [
        ("KES signatures", totals.kes),
        ("Operational certificates", totals.certificates),
        ("Certificate numbers", totals.certificate_numbers),
        ("Bodies", totals.bodies),
    ] {
        if checked != Checked::default() {
            lines.push(format!("{name}: {}.", verdicts(checked)));
        }
    }
    if totals.byron_blocks > 0 {
        let blocks = count(totals.byron_blocks, "Byron block", "Byron blocks");
        lines.push(format!("Skipped: {blocks}, which carry no VRF."));
    }
    lines
}

/// `1,234 valid, 1 invalid`.
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

/// What shows that the chain is that of its network.
fn anchor(report: &Report) -> String {
    let network = report.network.name();
    let mut parts = Vec::new();
    if let Some(slot) = report.tied {
        parts.push(format!(
            "all headers up to slot {slot} are those of network {network}, as a known epoch nonce \
             or an expected block shows"
        ));
    }
    for (block, found) in &report.expected_blocks {
        let name = format!("block {} at slot {}", block.hash, block.slot);
        match found {
            Some(true) => {}
            Some(false) => parts.push(format!("the chain does not have {name}, as expected")),
            None => parts.push(format!("the expected {name} is not in what was read")),
        }
    }
    match (report.expected_tip, report.has_expected_tip()) {
        (Some(_), Some(true)) => parts.push("the chain ends with the expected block".into()),
        (Some(_), None) => parts.push("the expected block was not reached".into()),
        (Some(tip), _) => parts.push(format!(
            "the chain does not end with block {} at slot {}, as expected",
            tip.hash, tip.slot
        )),
        _ => {}
    }
    if parts.is_empty() {
        return format!(
            "Anchor: none{}; the chain is consistent with itself, but not shown to be that of \
             network {network}.",
            if report.requires_anchor {
                ", though one is required"
            } else {
                ""
            }
        );
    }
    format!("Anchor: {}.", parts.join("; "))
}

/// The last block that was read, and what was not read.
fn tip(report: &Report) -> String {
    let mut unread = count(report.unread_bytes, "byte", "bytes");
    if report.unread_files {
        unread.insert_str(0, "at least ");
    }
    match &report.tip {
        Some(tip) => format!(
            "Tip: slot {}, block {}; {unread} unread.",
            tip.slot, tip.hash
        ),
        None => format!("Tip: none; {unread} unread."),
    }
}

fn state(saved: &Saved) -> String {
    let file = saved.path.display();
    if let Some(error) = &saved.error {
        return format!("State: not saved: {error}.");
    }
    let Some(after) = &saved.after else {
        return format!("State: none to save to {file}, as not even the first blocks are well.");
    };
    let verb = if saved.advanced {
        "saved to"
    } else {
        "left as it was in"
    };
    let totals = &saved.totals;
    let mut checked = count(totals.blocks, "block", "blocks");
    if totals.proofs > 0 {
        checked = format!("{} in {checked}", count(totals.proofs, "proof", "proofs"));
    }
    let wrong = match totals.wrong {
        0 => String::new(),
        n => format!(
            ", and {} wrong. Once the database is repaired, delete the file to check all of it again",
            count(n, "thing is", "things are")
        ),
    };
    format!(
        "State: {verb} {file}, after block {} at slot {}; up to there {checked} are valid{wrong}.",
        HumanCount(after.number),
        after.slot,
    )
}

/// `1 proof`, `1,234 proofs`.
fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", HumanCount(n), if n == 1 { one } else { many })
}

/// `epoch 3`, `epochs 3 to 5, 9`.
fn epochs(numbers: &[u64]) -> String {
    let runs: Vec<String> = numbers
        .chunk_by(|a, b| a + 1 == *b)
        .filter_map(|run| match run {
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first} to {last}")),
            [] => None,
        })
        .collect();
    let word = if numbers.len() == 1 {
        "epoch"
    } else {
        "epochs"
    };
    format!("{word} {}", runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_epochs() {
        assert_eq!(epochs(&[7]), "epoch 7");
        assert_eq!(epochs(&[0, 1, 2, 4, 6, 7]), "epochs 0 to 2, 4, 6 to 7");
    }

    #[test]
    fn a_bar_shows_whatever_is_there() {
        let of = |valid, proofs, most| {
            let counts = Counts {
                valid,
                proofs,
                ..Counts::default()
            };
            bar(&counts, most)
        };
        assert_eq!(of(0, 0, 0), "");
        assert_eq!(of(0, 0, 100), "");
        assert_eq!(of(1, 1, 1_000_000), "█");
        assert_eq!(of(100, 100, 100), "██████████");
        assert_eq!(of(99, 100, 100), "█████████░");
        assert_eq!(of(0, 100, 100), "░░░░░░░░░░");
        assert_eq!(of(50, 50, 100), "█████");
        assert_eq!(of(u64::MAX, u64::MAX, u64::MAX), "██████████");
    }
}
