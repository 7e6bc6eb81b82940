//! Functions that run an audit and inspect its report.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use klero_audit::{Audit, AuditError, Counts, Lead, Origin, Outcome, Progress, Report};
use klero_cardano::{Block, Fault, Finding, Severity};

use crate::db::Chain;

/// An audit that has ended.
pub struct Ran {
    pub report: Report,
    pub found: Vec<Finding>,
    pub origin: Option<Origin>,
    pub leads: Vec<Lead>,
}

/// Runs an audit and asserts that it has this outcome.
#[track_caller]
pub fn run(audit: Audit<'_>, outcome: Outcome) -> Ran {
    let (mut found, mut origin, mut leads) = (Vec::new(), None, Vec::new());
    let report = audit.run(|progress| {
        match progress {
            Progress::Started(started) => origin = Some(started.origin.clone()),
            Progress::Findings(findings) => found.extend_from_slice(findings),
            Progress::Leads(new) => leads.extend_from_slice(new),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let report = report.unwrap();
    let mut told = BTreeMap::new();
    for Finding { fault, count, .. } in &found {
        *told.entry(fault.name()).or_default() += count;
    }
    assert_eq!(report.found, told);
    assert_eq!(report.outcome(), outcome, "{found:?}");
    Ran {
        report,
        found,
        origin,
        leads,
    }
}

/// Runs an audit and asserts that it finds something wrong.
#[track_caller]
pub fn fails(audit: Audit<'_>) -> Ran {
    run(audit, Outcome::SomeInvalid)
}

/// The error of an audit that cannot start.
#[track_caller]
pub fn refused(audit: Audit<'_>) -> AuditError {
    audit.run(|_| ControlFlow::Continue(())).unwrap_err()
}

impl Ran {
    pub fn totals(&self) -> &Counts {
        &self.report.totals
    }

    /// The findings, one line each: the kind and the slot or chunk, or for a warning the kind and the text.
    /// If a finding stands for several faults of one kind, their number and the slot of the last one follow.
    pub fn findings(&self) -> Vec<String> {
        let line = |Finding { fault, at, .. }: &Finding| {
            let (name, chunk) = (fault.name(), at.chunk);
            match (fault, at.slot) {
                (Fault::InvalidProof { proof, why }, Some(slot)) => {
                    format!("{proof} at {slot}: {why}")
                }
                _ if fault.severity() == Severity::Warning => format!("warning: {name}: {fault}"),
                _ if fault.severity() == Severity::Note => format!("note: {name} in chunk {chunk}"),
                (_, Some(slot)) => format!("{name} at {slot}"),
                (_, None) => format!("{name} in chunk {chunk}"),
            }
        };
        let folded = |finding: &Finding| match &finding.last {
            None => line(finding),
            Some(last) => {
                let (count, slot) = (finding.count, last.slot.unwrap());
                format!("{} x{count} to {slot}", line(finding))
            }
        };
        self.found.iter().map(folded).collect()
    }

    /// The epochs for which `count` returns more than zero, each with the returned number.
    pub fn by_epoch(&self, count: impl Fn(&Counts) -> u64) -> Vec<(u64, u64)> {
        let epochs = self.report.epochs.iter();
        epochs
            .map(|(number, epoch)| (*number, count(&epoch.counts)))
            .filter(|(_, n)| *n > 0)
            .collect()
    }

    /// Asserts that exactly `invalid` proofs are invalid, that all others are valid, and that no nonce is
    /// left in doubt.
    #[track_caller]
    pub fn recovers(&self, invalid: u64) {
        let totals = self.totals();
        assert_eq!(totals.unverifiable, 0);
        assert_eq!(totals.invalid, invalid);
        assert_eq!(totals.valid + invalid, totals.proofs);
        for epoch in self.report.epochs.values() {
            assert_eq!(epoch.unverifiable_since, None, "{epoch:?}");
            let has_nonce = epoch.counts.byron_blocks == 0;
            assert_eq!(epoch.nonce.is_some(), has_nonce, "{epoch:?}");
        }
    }

    /// Asserts that all proofs in epoch `from` and later are unverifiable because of a fault in slot `since`,
    /// that `invalid` of the earlier proofs are invalid, and that the rest are valid.
    #[track_caller]
    pub fn in_doubt(&self, chain: &Chain, from: u64, since: u64, invalid: u64) {
        let totals = self.totals();
        let unverifiable = chain.proofs_from(from);
        assert_eq!(totals.unverifiable, unverifiable);
        assert_eq!(totals.invalid, invalid);
        assert_eq!(totals.valid + invalid + unverifiable, totals.proofs);
        for (number, epoch) in &self.report.epochs {
            let is_in_doubt = *number >= from;
            assert_eq!(epoch.unverifiable_since, is_in_doubt.then_some(since));
            let has_nonce = !is_in_doubt && epoch.counts.byron_blocks == 0;
            assert_eq!(epoch.nonce.is_some(), has_nonce, "{epoch:?}");
        }
    }
}

/// The first epoch whose nonce depends on the output of `block`: the epoch after the block's own epoch, or
/// one epoch later if the candidate nonce is already frozen at the block's slot.
pub fn first_in_doubt(block: &Block) -> u64 {
    block.epoch + if block.in_window { 1 } else { 2 }
}
