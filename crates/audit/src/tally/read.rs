//! What was found in reading the chain, before any check: it can lose headers, and what is known of
//! issuers and nonces with them.

use klero_cardano::{Finding, FindingKind, HeaderState, Severity};

use super::Tally;
use crate::occurrence::Occurrence;

impl Tally {
    /// Something was found in reading the chain.
    pub(super) fn find(&mut self, finding: Finding) {
        let kind = &finding.kind;
        match finding.severity() {
            Severity::Fault => {
                *self.report.faults.entry(kind.name()).or_default() += 1;
                self.frontier.hold();
                if !leaves_header(kind) {
                    self.lose_headers();
                }
            }
            Severity::Warning => self.report.warnings += 1,
            Severity::Note => {
                *self.report.notes.entry(kind.name()).or_default() += 1;
                self.leave_unread(kind);
            }
        }
        self.findings.add(Occurrence::Read(finding));
    }

    /// Something was not read.
    fn leave_unread(&mut self, kind: &FindingKind) {
        match kind {
            FindingKind::HalfWritten { .. } => return self.report.half_written = true,
            FindingKind::Io { .. } => {
                self.report.unread_files = true;
                // What follows a file that was not read is not the next block.
                self.frontier.stop();
                self.lose_headers();
            }
            // The next audit must not pass over blocks whose index may tell of damage.
            FindingKind::UnreadIndex { .. } => self.frontier.stop(),
            _ => {}
        }
        self.report.incomplete = true;
    }

    /// Headers may be lost or altered.
    fn lose_headers(&mut self) {
        self.anchor.break_links();
        self.doubt_issuers();
        self.frontier.lose_header();
        self.pending = None;
        self.after_fault = true;
        self.nonces.lose_headers();
    }

    /// Issuers may have made other blocks, with other certificates, than the headers say.
    pub(super) fn doubt_issuers(&mut self) {
        self.counters.doubt();
        self.counters_in_doubt = true;
        if let Some(ledger) = &mut self.ledger {
            ledger.lose_blocks();
        }
    }
}

/// Whether the headers are as they were in spite of a fault.
fn leaves_header(kind: &FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::BodyHash { .. }
            | FindingKind::BodySize { .. }
            | FindingKind::Crc {
                header: HeaderState::Intact,
                ..
            }
    )
}
