//! The reports of audits, in a form that can be compared.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use klero_audit::{Anchor, Audit, Epoch, Met, Outcome, Progress};
use klero_cardano::{Location, Severity};

/// The report of an audit, without the parts that only audits of files have: chunks, offsets and warnings.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub outcome: Outcome,
    tip: Option<(u64, String)>,
    pub epochs: BTreeMap<u64, Epoch>,
    pub found: BTreeMap<&'static str, u64>,
    unread_bytes: u64,
    pub anchors: Vec<(Anchor, Met)>,
    /// For each finding: its name, the slot and hash of its first and last place (as texts), and its count.
    pub findings: Vec<(String, String, String, u64)>,
}

/// Runs an audit on a pool of `threads` threads. Returns its report, or the reason why it cannot start.
pub fn seen(audit: Audit<'_>, threads: usize) -> Result<Seen, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let mut findings = Vec::new();
    let observer = |progress: Progress<'_>| {
        if let Progress::Findings(found) = progress {
            findings.extend_from_slice(found);
        }
        ControlFlow::Continue(())
    };
    let report = pool.build().unwrap().install(|| audit.run(observer));
    let report = report.map_err(|error| error.to_string())?;
    let block = |at: Option<&Location>| format!("{:?}", at.map(|at| (at.slot, at.hash)));
    let is_told = |(name, _): &(&str, u64)| Severity::of(name) != Severity::Warning;
    let findings = findings.into_iter();
    Ok(Seen {
        outcome: report.outcome(),
        anchors: report.anchors.clone(),
        tip: report.tip.map(|tip| (tip.slot, tip.hash.to_string())),
        epochs: report.epochs,
        found: report.found.into_iter().filter(is_told).collect(),
        unread_bytes: report.unread_bytes,
        findings: findings
            .filter(|finding| finding.fault.severity() != Severity::Warning)
            .map(|finding| {
                (
                    finding.fault.name().to_owned(),
                    block(Some(&finding.at)),
                    block(finding.last.as_ref()),
                    finding.count,
                )
            })
            .collect(),
    })
}
