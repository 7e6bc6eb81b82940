//! An audit as text: the findings as they come, then the verdict, a table, details and advice.

mod damage;
mod details;
mod epochs;
mod tied;
mod verdict;
mod words;

use std::fmt::Display;

use indicatif::{HumanBytes, HumanCount};
use klero_audit::{Origin, Report, Saved, Started};
use klero_cardano::Finding;

use super::printer::{Printer, not_checked};
use crate::ui::error::Error;
use crate::ui::layout::wrap;
use crate::ui::terminal::{harmless, print};
use damage::Damage;
use words::count;

/// The printer of text.
#[derive(Default)]
pub struct Text {
    /// The name to show instead of the directory's path, if the directory is temporary.
    pub name: Option<&'static str>,
    /// True if each epoch has a row of its own, with its nonce.
    pub each_epoch: bool,
    /// True if the faults were planted on purpose. The report then gives no advice on repair.
    pub is_planted: bool,
    has_findings: bool,
    damage: Damage,
}

impl Printer for Text {
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error> {
        let from = match started.origin {
            Origin::Genesis => "from genesis".to_owned(),
            Origin::After(block) => format!("from saved slot {} on", block.slot),
            Origin::Anywhere if started.network.has_known_nonces() => {
                "without its beginning, with known nonces".into()
            }
            Origin::Anywhere => "without its beginning".into(),
        };
        let dir = || started.dir.map(|dir| dir.display().to_string());
        let name = self.name.map(str::to_owned).or_else(dir);
        say(format_args!(
            "{}: {}, {from}, {}\nGenesis hash: {}\n",
            harmless(name.unwrap_or_default()),
            started.network.name(),
            HumanBytes(started.bytes.unwrap_or_default()),
            started.network.genesis_hash(),
        ))
    }

    fn findings(&mut self, findings: &[Finding]) -> Result<(), Error> {
        self.has_findings |= !findings.is_empty();
        findings.iter().try_for_each(|finding| {
            self.damage.add(finding);
            say(finding)
        })
    }

    fn report(&mut self, report: &Report) -> Result<(), Error> {
        if self.has_findings {
            say("")?;
        }
        say(format_args!("{}\n", verdict::verdict(report)))?;
        if !report.epochs.is_empty() || !report.faults_by_epoch.is_empty() {
            let table = epochs::table(report, self.each_epoch);
            print(format_args!("{table}\n\n"))?;
        }
        details::why(report).into_iter().try_for_each(say)?;
        if report.tip.is_some() {
            say(tied::tied(report))?;
        }
        if let Some(ledger) = &report.ledger {
            say(tied::ledger(ledger, report))?;
        }
        details::counts(report).into_iter().try_for_each(say)?;
        say(tip(report))?;
        say(unread(report))?;
        if let Some(saved) = &report.state {
            say(harmless(state(saved)))?;
        }
        if report.totals.blocks > 0 {
            say(rates(report))?;
        }
        say(format_args!(
            "Not checked: {}.",
            not_checked(report).join("; ")
        ))?;
        if self.is_planted {
            return Ok(());
        }
        self.damage.remedy(report).into_iter().try_for_each(say)
    }
}

fn say(line: impl Display) -> Result<(), Error> {
    print(format_args!("{}\n", wrap(&line.to_string(), "  ")))
}

/// The line about time and rates.
fn rates(report: &Report) -> String {
    let proofs = match report.totals.proofs {
        0 => String::new(),
        _ => format!(", {} proofs/s", HumanCount(report.proofs_per_second())),
    };
    format!(
        "Time: {:.2} s on {} (of thread time, {:.2} s reading and {:.2} s verifying); {} \
         blocks/s{proofs}.",
        report.times.all.as_secs_f64(),
        count(rayon::current_num_threads() as u64, "thread", "threads"),
        report.times.reading.as_secs_f64(),
        report.times.verifying.as_secs_f64(),
        HumanCount(report.blocks_per_second()),
    )
}

/// The line about the last block that was read.
fn tip(report: &Report) -> String {
    match &report.tip {
        Some(tip) => format!("Tip: slot {}, block {}.", tip.slot, tip.hash),
        None => "Tip: none.".into(),
    }
}

/// The line about the bytes that were not read.
fn unread(report: &Report) -> String {
    let bytes = count(report.unread_bytes, "byte", "bytes");
    match report.unread_files {
        true => format!("Unread: at least {bytes}."),
        false => format!("Unread: {bytes}."),
    }
}

fn state(saved: &Saved) -> String {
    let file = saved.path.display();
    if let Some(error) = &saved.error {
        return format!("State: not saved: {error}.");
    }
    let Some(after) = &saved.after else {
        return format!(
            "State: none in {file} yet, as no epoch has ended up to which all is valid."
        );
    };
    let totals = &saved.totals;
    let mut valid = count(totals.blocks, "block", "blocks");
    if totals.proofs > 0 {
        valid = format!("{} in {valid}", count(totals.proofs, "proof", "proofs"));
    }
    format!(
        "State: {file} stands after block {} at slot {}; up to there {valid} are valid.",
        HumanCount(after.number),
        after.slot,
    )
}
