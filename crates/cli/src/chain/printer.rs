//! What prints an audit: text for people ([`text`](super::text)), JSON for machines
//! ([`json`](super::json)).

use klero_audit::{Finding, Report, Started};

use crate::error::Error;

/// A printer of one audit, from its start to its end.
pub trait Printer {
    /// Prints what is about to be audited.
    fn started(&mut self, started: &Started<'_>) -> Result<(), Error>;
    /// Prints what was found next.
    fn findings(&mut self, findings: &[Finding]) -> Result<(), Error>;
    /// Prints the report.
    fn report(&mut self, report: &Report) -> Result<(), Error>;
}

/// What an audit does not check.
pub const NOT_CHECKED: [&str; 4] = [
    "KES signatures",
    "operational certificates",
    "stake, except that no leader value may reach f",
    "block bodies, except their hash and size; none of Byron",
];
