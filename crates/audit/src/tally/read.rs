//! What was found in reading the chain, before any check: it can lose headers, and what is known of
//! issuers and nonces with them.

use klero_cardano::{Fault, Finding, Severity};

use super::Tally;

impl Tally {
    /// Something was found in reading the chain.
    pub(super) fn find(&mut self, finding: Finding) {
        let fault = &finding.fault;
        match fault.severity() {
            Severity::Fault => {
                self.frontier.hold();
                if !fault.leaves_header() {
                    self.lose_headers();
                }
            }
            Severity::Warning => {}
            Severity::Note => self.leave_unread(fault),
        }
        self.take(finding);
    }

    /// Something was not read.
    fn leave_unread(&mut self, fault: &Fault) {
        match fault {
            Fault::HalfWritten { .. } => return self.report.half_written = true,
            // The next audit must not pass over blocks whose index may tell of damage.
            Fault::Io { file: Some(_), .. } => self.frontier.stop(),
            Fault::Io { file: None, .. } => {
                self.report.unread_files = true;
                // What follows a file that was not read is not the next block.
                self.frontier.stop();
                self.lose_headers();
            }
            _ => {}
        }
        self.report.incomplete = true;
    }

    /// Headers may be lost or altered.
    fn lose_headers(&mut self) {
        self.anchor.break_links();
        self.counters.doubt();
        self.frontier.lose_header();
        self.pending = None;
        self.after_fault = true;
        self.nonces.lose_headers();
    }
}
