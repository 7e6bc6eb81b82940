//! The printers of an audit. One prints text for people ([`text`](super::text)), and one prints JSON for
//! machines ([`json`](super::json)).

use klero_audit::{Check, Report, Started};
use klero_cardano::Finding;

use crate::ui::error::Error;

/// A printer of one audit, from its start to its end.
pub trait Printer {
    /// Prints the network, the source and the start of the audit.
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error>;
    /// Prints the next findings.
    fn findings(&mut self, findings: &[Finding]) -> Result<(), Error>;
    /// Prints the report.
    fn report(&mut self, report: &Report) -> Result<(), Error>;
}

/// Describes the checks that an audit did not make.
pub fn not_checked(report: &Report) -> Vec<&'static str> {
    let is_judged = report.checks.contains(&Check::Vrf);
    let leaders = match (report.stakes.is_empty(), report.totals.leaders.not_judged) {
        (false, _) if !is_judged => "who may lead, which is a part of the check vrf",
        (true, _) => {
            "who may lead (registrations, stake, threshold), except that no leader value may reach f"
        }
        (false, 0) => "whether the stake is that of the ledger",
        (false, _) => {
            "whether the stake is that of the ledger; who may lead where it was not given"
        }
    };
    let left_out = Check::ALL.into_iter();
    let left_out = left_out.filter(|check| !report.checks.contains(check));
    let experimental = report.is_experimental();
    left_out
        .map(Check::about)
        .chain([leaders])
        .chain(
            lacks_stake(report).then_some("who may lead in blocks of earlier runs without stake"),
        )
        .chain(["ledger rules", "Byron, except links and CRC-32s"])
        .chain(experimental.then_some("Leios and Peras certificates"))
        .collect()
}

/// True if stake was given now, but earlier audits with the same state file lacked the stake for some blocks.
fn lacks_stake(report: &Report) -> bool {
    let is_given = !report.stakes.is_empty() && report.checks.contains(&Check::Vrf);
    let saved = report.state.as_ref().filter(|_| is_given);
    saved.is_some_and(|saved| {
        let (totals, leaders) = (&saved.totals, &saved.totals.leaders);
        let counted = leaders.valid.saturating_add(leaders.not_judged);
        counted < totals.blocks.saturating_sub(totals.byron_blocks)
            || leaders.not_judged > report.totals.leaders.not_judged
    })
}
