#![doc = include_str!("../README.md")]
//!
//! All threads read chunks. One thread walks along the chain in these chunks and makes claims
//! ([`klero_cardano`]). All threads then verify the claims, each thread one segment of the chain at a time. A
//! tally receives the verdicts in the order of the chain.
//!
//! ```text
//! chunks ──► walk ──► segments ──► verdicts ──► tally ──► findings, state file, report
//! ```
//!
//! [`HeaderCheck`] verifies headers without a database, including their KES signatures and operational
//! certificates.
#![warn(unreachable_pub, unnameable_types)]

// Reading order: `audit` and `run`; `judge` with `certificates`, `kes` and `leaders`; `tally` and `findings`;
// `nonces` (nonces in doubt); `ties` (evidence about the network); `state`; `header_check` (headers alone).
mod anchor;
mod audit;
mod certificates;
mod check;
mod counts;
mod error;
mod findings;
mod hash;
mod header_check;
mod judge;
mod kes;
mod leaders;
mod ledger;
mod nonces;
mod progress;
mod report;
mod run;
mod state;
mod tally;
mod ties;
mod tuning;

pub use anchor::{Anchor, Met, read_anchors};
pub use audit::Audit;
pub use check::Check;
pub use counts::{Checked, Counts, LeaderValues};
pub use error::AuditError;
pub use header_check::{HeaderCheck, HeaderVerdict, RawHeader};
pub use kes::{KesVerdict, verify_kes, verify_kes_on};
pub use leaders::Lead;
pub use ledger::Ledger;
pub use progress::{Progress, Started, Stop};
pub use report::{Epoch, Origin, Outcome, Report, Times};
pub use state::{Saved, State};
