//! What an audit reports, in a form that can be compared.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use klero_audit::{Anchor, Audit, AuditError, Epoch, Met, Outcome, Progress, Report};
use klero_cardano::{Finding, Location, Severity};

/// What an audit reports, without what only files have: chunks, bytes and warnings.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub outcome: Outcome,
    tip: Option<(u64, String)>,
    pub epochs: BTreeMap<u64, Epoch>,
    pub found: BTreeMap<&'static str, u64>,
    unread_bytes: u64,
    pub anchors: Vec<(Anchor, Met)>,
    /// The name of each, slot and hash of its first block and of its last, their number.
    pub findings: Vec<(String, String, String, u64)>,
}

/// Runs an audit on a pool of `threads` threads. Returns its report and its findings.
pub fn run(audit: Audit<'_>, threads: usize) -> Result<(Report, Vec<Finding>), AuditError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let mut found = Vec::new();
    let observer = |progress: Progress<'_>| {
        if let Progress::Findings(findings) = progress {
            found.extend_from_slice(findings);
        }
        ControlFlow::Continue(())
    };
    let report = pool.build().unwrap().install(|| audit.run(observer))?;
    Ok((report, found))
}

/// What it reports, or why it cannot start.
pub fn seen(audit: Audit<'_>, threads: usize) -> Result<Seen, String> {
    let (report, findings) = run(audit, threads).map_err(|error| error.to_string())?;
    let block = |at: Option<&Location>| format!("{:?}", at.map(|at| (at.slot, at.hash)));
    let is_told = |(name, _): &(&str, u64)| Severity::of(name) != Severity::Warning;
    let findings = findings.iter();
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
