//! Findings of the walk, which come before any check: headers may be lost, and nonces in doubt.

use klero_cardano::{Fault, Finding, Severity};

use super::Tally;

impl Tally {
    /// Something was found in reading the chain.
    pub(super) fn find(&mut self, finding: Finding) {
        let Finding { fault, at, .. } = &finding;
        let first = at.chunk.saturating_mul(self.report.network.chunk_size());
        let slot = at.slot.unwrap_or(first);
        match fault.severity() {
            Severity::Fault if fault.leaves_header() => {}
            Severity::Fault => self.lose_headers(slot),
            Severity::Warning => {}
            Severity::Note => self.leave_unread(fault, slot),
        }
        self.take(finding);
    }

    /// Something was not read.
    fn leave_unread(&mut self, fault: &Fault, slot: u64) {
        match fault {
            Fault::HalfWritten { .. } => return self.report.half_written = true,
            Fault::Io { file: None, .. } => {
                self.report.unread_files = true;
                // What follows a file that was not read is not the next block.
                self.lose_headers(slot);
            }
            _ => {}
        }
        self.report.incomplete = true;
    }

    /// Headers may be lost or altered, here at this slot.
    fn lose_headers(&mut self, slot: u64) {
        self.ties.break_links();
        self.nonces.doubt(Some(slot));
    }
}
