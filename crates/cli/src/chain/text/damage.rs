//! The first damaged chunk of the chain, and advice on its repair.

use klero_audit::Report;
use klero_cardano::{Fault, Finding, Severity};

/// The damage found so far.
#[derive(Default)]
pub struct Damage {
    /// The first chunk with a fault that a wrong genesis file or nonce cannot cause.
    first: Option<u64>,
    /// The first chunk with a fault that a wrong genesis file or nonce can also cause.
    doubtful: Option<u64>,
    /// True if the given stake or the turns of delegates show that some block's maker had no right to lead.
    stake: bool,
}

impl Damage {
    /// Adds a finding. Warnings and notes are not damage. A contradiction to a known nonce, to an expected
    /// block or to a ledger state is not damage either.
    pub fn add(&mut self, finding: &Finding) {
        let first = match &finding.fault {
            fault if fault.severity() != Severity::Fault => return,
            fault if fault.is_of_stake() => return self.stake = true,
            Fault::EpochNonce { .. } | Fault::ExpectedBlock { .. } | Fault::LedgerState { .. } => {
                return;
            }
            Fault::InvalidProof { .. }
            | Fault::LeaderValue {}
            | Fault::KesPeriod { .. }
            | Fault::InvalidKes { .. }
            | Fault::InvalidCertificate { .. }
            | Fault::CertificateNumber { .. } => &mut self.doubtful,
            _ => &mut self.first,
        };
        *first = Some(first.unwrap_or(u64::MAX).min(finding.at.chunk));
    }

    /// Returns the first damaged chunk and advice on its repair. If no chunk is damaged but a maker had no
    /// right to lead, returns advice on the stake. If a nonce is suspect, faults that a wrong nonce or
    /// genesis file can cause do not count as damage.
    pub fn remedy(&self, report: &Report) -> Vec<String> {
        let has_wrong_nonce = report.suspect_nonces().next().is_some();
        let doubtful = self.doubtful.filter(|_| !has_wrong_nonce);
        let Some(chunk) = self.first.into_iter().chain(doubtful).min() else {
            let doubt = "Before you doubt the chain, doubt the stake: is it what decides in these \
                         epochs (--stake-epoch, --offset), whole, and of this network?";
            return self.stake.then(|| doubt.into()).into_iter().collect();
        };
        vec![
            format!("First damaged chunk: {chunk:05}"),
            format!(
                "To repair it, stop the node, move chunk {chunk:05} and all later ones out of \
                 immutable with their indexes, and start the node: it fetches them again. \
                 docs/rules.md has the steps."
            ),
        ]
    }
}
