//! Where the chain is damaged first, and what to do about it.

use klero_audit::Report;
use klero_cardano::{Fault, Finding, Severity};

/// What was found wrong so far.
#[derive(Default)]
pub struct Damage {
    /// The first chunk with something wrong in it that no genesis file excuses.
    first: Option<u64>,
    /// The first with something that a wrong genesis file or nonce makes wrong, too.
    doubtful: Option<u64>,
    /// Somebody may not lead, by the stake that was given.
    stake: bool,
}

impl Damage {
    /// Adds a finding. Warnings and notes damage nothing, nor does what is not as it is known from
    /// elsewhere.
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

    /// The first damaged chunk, and what to do about it. Headers that fail because their nonce, or f and the
    /// KES periods of the same genesis file, are not the chain's are no damage.
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
