//! The verdict, in one sentence.

use clap::builder::styling::AnsiColor;
use indicatif::HumanCount;
use klero_audit::{Check, Outcome, Report};

use super::words::count;
use crate::ui::layout::coloured;

/// Returns the verdict: a few coloured words, and then the details.
pub fn verdict(report: &Report) -> String {
    let (colour, answer, about) = answer(report);
    format!("{} {about}", coloured(answer, colour))
        .trim_end()
        .to_owned()
}

fn answer(report: &Report) -> (AnsiColor, &'static str, String) {
    use AnsiColor::{Green, Red, Yellow};
    let (wrong, valid) = (wrong(report), valid(report));
    match report.outcome() {
        Outcome::AllValid if report.totals.blocks == 0 => (Green, "No new blocks.", String::new()),
        Outcome::AllValid => {
            let about = format!("{}{}.", checked(report), exceptions(report));
            (Green, "All valid:", about)
        }
        Outcome::SomeInvalid => (Red, "Something is wrong:", format!("{wrong}. {valid}")),
        Outcome::NotAllRead => (
            Yellow,
            "Not all could be read:",
            format!("nothing wrong in the rest. {valid}"),
        ),
        Outcome::NotAllChecked if report.is_empty() => {
            (Yellow, "No blocks:", "nothing was checked.".into())
        }
        Outcome::NotAllChecked => (
            Yellow,
            "Not all was checked:",
            format!("nothing wrong in the rest. {valid}"),
        ),
        Outcome::Interrupted if wrong.is_empty() => (
            Yellow,
            "Interrupted:",
            format!("nothing wrong so far. {valid}"),
        ),
        Outcome::Interrupted => (Red, "Interrupted:", format!("so far {wrong}. {valid}")),
    }
}

/// The numbers of checked proofs and blocks, as in `4,018 proofs in 3,021 blocks`.
fn checked(report: &Report) -> String {
    let totals = &report.totals;
    let blocks = count(totals.blocks, "block", "blocks");
    match totals.proofs {
        _ if !report.checks.contains(&Check::Vrf) => blocks,
        0 if totals.blocks > 0 => format!("{blocks} of Byron, which carry no VRF proofs"),
        proofs => format!("{} in {blocks}", count(proofs, "proof", "proofs")),
    }
}

/// A sentence with the number of valid proofs or, if no proofs were checked, the number of checked blocks.
fn valid(report: &Report) -> String {
    match report.totals.proofs {
        0 if report.totals.blocks == 0 => "No new blocks.".into(),
        0 => format!("Checked: {}.", checked(report)),
        _ if !report.checks.contains(&Check::Vrf) => format!("Checked: {}.", checked(report)),
        _ => format!(
            "Valid: {} of {}.",
            HumanCount(report.totals.valid),
            checked(report)
        ),
    }
}

/// The end of the sentence on a valid chain, which names the parts that could not be judged.
fn exceptions(report: &Report) -> String {
    match report.totals.certificate_numbers.not_judged {
        _ if report.half_written => ", except the last block, which is not complete".into(),
        0 => String::new(),
        n => format!(
            ", except {}",
            count(
                n,
                "certificate number, which could not be judged",
                "certificate numbers, which could not be judged",
            )
        ),
    }
}

/// The faults, and how often each was found.
fn wrong(report: &Report) -> String {
    let faults = report.faults();
    let faults = faults.map(|(name, n)| format!("{} {name}", HumanCount(n)));
    faults.collect::<Vec<_>>().join(", ")
}
