//! The report for people: what is wrong as it is found, then a table and a few lines.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use indicatif::{HumanBytes, HumanCount};
use klero_cardano::Era;
use terminal_size::terminal_size_of;

use super::{Begin, End, NOT_CHECKED, Origin, Report, print};
use crate::chain::counts::Counts;
use crate::chain::fold::Folded;
use crate::chain::judge::Epoch;
use crate::chain::state::Saved;
use crate::error::{Error, Status};

/// Cells of the bar of the epoch with the most proofs.
const BAR: u64 = 10;

/// The report.
#[derive(Default)]
pub struct Text {
    /// What stands in the place of the directory.
    name: Option<&'static str>,
    has_findings: bool,
}

impl Text {
    /// The report on a database whose directory is of no use to anybody.
    pub fn of(name: &'static str) -> Self {
        Self {
            name: Some(name),
            has_findings: false,
        }
    }
}

impl Report for Text {
    fn begin(&mut self, begin: &Begin<'_>) -> Result<(), Error> {
        let from = match &begin.origin {
            Origin::Genesis => "from genesis".to_owned(),
            Origin::After(block) => format!("from saved slot {} on", block.slot),
            Origin::EpochNonces(given) => format!("nonces given for {}", epochs(given)),
        };
        let name = self.name.map(str::to_owned);
        say(format_args!(
            "{}: {}, {from}, {}\n",
            name.unwrap_or_else(|| begin.dir.display().to_string()),
            begin.network.name(),
            HumanBytes(begin.bytes),
        ))
    }

    fn findings(&mut self, findings: &[Folded]) -> Result<(), Error> {
        self.has_findings |= !findings.is_empty();
        findings.iter().try_for_each(say)
    }

    fn end(&mut self, end: &End<'_>) -> Result<(), Error> {
        if self.has_findings {
            say("")?;
        }
        if !end.judge.epochs.is_empty() {
            say(format_args!("{}\n", table(end)))?;
        }
        say(result(end))?;
        if end.judge.totals.blocks > 0 {
            say(rates(end))?;
        }
        for line in details(end) {
            say(line)?;
        }
        say(tip(end))?;
        if let Some(saved) = end.saved {
            say(state(saved))?;
        }
        say(format_args!("Not checked: {}.", NOT_CHECKED.join("; ")))
    }
}

fn say(line: impl Display) -> Result<(), Error> {
    print(format_args!("{line}\n"))
}

/// A row for each epoch, with nonces that are cut where the terminal is narrow.
fn table(end: &End<'_>) -> String {
    let whole = table_of(end, 64);
    let width = whole.lines().map(|line| line.chars().count()).max();
    match terminal_size_of(io::stdout()) {
        Some((terminal, _)) if width > Some(terminal.0.into()) => table_of(end, 8),
        _ => whole,
    }
}

fn table_of(end: &End<'_>, nonce_digits: usize) -> String {
    let totals = &end.judge.totals;
    let numbers = || columns(totals, totals).map(|(name, _)| name);
    let header = ["epoch", "era", "nonce"].into_iter().chain(numbers());
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.chain([""]));
    let epochs = &end.judge.epochs;
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

/// The numbers of a row; rare ones only where the totals have them.
fn columns(counts: &Counts, totals: &Counts) -> impl Iterator<Item = (&'static str, u64)> {
    [
        (true, "blocks", counts.blocks),
        (true, "proofs", counts.proofs),
        (true, "valid", counts.valid),
        (true, "invalid", counts.invalid),
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

/// The proofs of an epoch as a bar, the valid ones solid; `most` fill it.
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

/// The line that says it all.
fn result(end: &End<'_>) -> String {
    let judge = end.judge;
    let totals = &judge.totals;
    let blocks = count(totals.blocks, "block", "blocks");
    let checked = match totals.proofs {
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
        (judge.faults.values().sum(), "fault", "faults"),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| count(n, one, many))
    .collect();
    let wrong = wrong.join(", ");
    let verdict = match end.status() {
        Status::AllValid if totals.blocks == 0 => return "No new blocks.".into(),
        Status::NotAllChecked if end.is_empty() => return "No blocks: nothing was checked.".into(),
        Status::AllValid if judge.is_half_written() => {
            return format!("{checked}: all valid, but for the last block, which is not complete.");
        }
        Status::AllValid => return format!("{checked}: all valid."),
        Status::SomeInvalid => format!("{checked}: {wrong}; {} valid.", HumanCount(totals.valid)),
        Status::NotAllRead => format!(
            "{checked}: nothing wrong, but not all could be read; {} valid.",
            HumanCount(totals.valid)
        ),
        Status::NotAllChecked => format!(
            "{checked}: nothing wrong, but not all checked; {} valid.",
            HumanCount(totals.valid)
        ),
        Status::Interrupted => format!(
            "{checked}: {}; {} valid.",
            if wrong.is_empty() {
                "nothing wrong"
            } else {
                &wrong
            },
            HumanCount(totals.valid)
        ),
    };
    if end.interrupted {
        format!("Interrupted. So far {verdict}")
    } else {
        verdict
    }
}

/// How fast it was.
fn rates(end: &End<'_>) -> String {
    let [blocks, proofs] = end.rates();
    format!(
        "{:.2} s on {} (reading {:.2} s beside verifying {:.2} s): {} blocks/s, {} proofs/s",
        end.times.all.as_secs_f64(),
        count(rayon::current_num_threads() as u64, "thread", "threads"),
        end.times.reading.as_secs_f64(),
        end.times.verifying.as_secs_f64(),
        HumanCount(blocks),
        HumanCount(proofs),
    )
}

/// What there is to say besides, a line each.
fn details(end: &End<'_>) -> Vec<String> {
    let judge = end.judge;
    let totals = &judge.totals;
    let mut lines = Vec::new();
    if !judge.faults.is_empty() {
        let kinds: Vec<_> = judge
            .faults
            .iter()
            .map(|(kind, n)| format!("{kind} {}", HumanCount(*n)))
            .collect();
        lines.push(format!("Faults: {}.", kinds.join(", ")));
    }
    if judge.warnings > 0 {
        lines.push(format!(
            "{} about index files; the blocks themselves were read.",
            count(judge.warnings, "warning", "warnings")
        ));
    }
    let doubtful: Vec<(u64, u64)> = judge
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
    let unknown: Vec<u64> = judge
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
    if !end.absent.is_empty() {
        lines.push(format!(
            "Nonce given, but no block here: {}.",
            epochs(&end.absent)
        ));
    }
    let wrong: Vec<u64> = end.wrong_nonces().collect();
    if !wrong.is_empty() {
        lines.push(format!(
            "No proof of {} is valid, so the nonce is probably not that of the chain; check \
             --network, --shelley-genesis, --extra-entropy and --epoch-nonce.",
            epochs(&wrong),
        ));
    }
    let values = &totals.leader_values;
    let bound = end.network.active_slots();
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
    if totals.blocks > 0 {
        lines.push(format!("Leader values: {}.", parts.join(", ")));
    }
    if totals.byron_blocks > 0 {
        let blocks = count(totals.byron_blocks, "Byron block", "Byron blocks");
        lines.push(format!("Skipped: {blocks}, which carry no VRF."));
    }
    lines
}

/// Up to where it was read.
fn tip(end: &End<'_>) -> String {
    let mut unread = count(end.unread, "byte", "bytes");
    if end.judge.has_unread_files() {
        unread.insert_str(0, "at least ");
    }
    match end.tip {
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
    format!(
        "State: {verb} {file}, after block {} at slot {}; up to there {} in {} are valid.",
        HumanCount(after.number),
        after.slot,
        count(totals.proofs, "proof", "proofs"),
        count(totals.blocks, "block", "blocks"),
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
