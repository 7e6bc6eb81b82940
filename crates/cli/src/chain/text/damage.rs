//! Where the chain is damaged: in which epochs, and in which chunk first.

use std::collections::BTreeMap;

use klero_audit::{Finding, Occurrence, Report};
use klero_cardano::{Network, Severity};

/// What was found wrong so far.
#[derive(Default)]
pub struct Damage {
    /// Faults by their chunk.
    faults: BTreeMap<u64, Faults>,
    /// The first chunk with a header that fails a check.
    failed: Option<u64>,
    /// What is not as it is known from elsewhere, or as in the ledger state, by epoch.
    others: BTreeMap<u64, u64>,
    /// Somebody may not lead, by the stake that was given.
    stake: bool,
}

/// The faults of a chunk.
#[derive(Default)]
struct Faults {
    /// The slot of one of them, if one is known.
    slot: Option<u64>,
    count: u64,
}

impl Damage {
    /// Adds a finding. Warnings and notes damage nothing.
    pub fn add(&mut self, finding: &Finding) {
        match &finding.first {
            Occurrence::Read(read) if read.severity() == Severity::Fault => {
                let faults = self.faults.entry(read.location.chunk).or_default();
                faults.slot = faults.slot.or(read.location.slot);
                faults.count += finding.count;
            }
            Occurrence::Failed { failure, .. } if failure.is_of_stake() => self.stake = true,
            Occurrence::Failed { block, .. } => {
                let first = self.failed.unwrap_or(block.chunk);
                self.failed = Some(first.min(block.chunk));
            }
            Occurrence::EpochNonce { block, .. }
            | Occurrence::Checkpoint { block, .. }
            | Occurrence::Ledger { block, .. } => {
                *self.others.entry(block.epoch).or_default() += finding.count;
            }
            _ => {}
        }
    }

    /// How many things are wrong in each epoch, without what the counts of the report have.
    pub fn by_epoch(&self, network: &Network) -> BTreeMap<u64, u64> {
        let mut epochs = self.others.clone();
        for (chunk, faults) in &self.faults {
            let first = chunk.saturating_mul(network.chunk_size());
            let epoch = network.epoch(faults.slot.unwrap_or(first));
            *epochs.entry(epoch).or_default() += faults.count;
        }
        epochs
    }

    /// The first damaged chunk, and what to do about it. Headers that fail because their nonce is
    /// not the chain's are no damage.
    pub fn remedy(&self, report: &Report) -> Vec<String> {
        let has_wrong_nonce = report.suspect_nonces().next().is_some();
        let failed = self.failed.filter(|_| !has_wrong_nonce);
        let first = self.faults.keys().next().copied();
        let Some(chunk) = first.into_iter().chain(failed).min() else {
            let doubt = "Before you doubt the chain, doubt the stake: is it what decides in these \
                         epochs (--stake-epoch, --offset), whole, and of this network?";
            return self.stake.then(|| doubt.into()).into_iter().collect();
        };
        vec![
            format!("First damaged chunk: {chunk:05}"),
            format!(
                "To repair it, stop the node, move chunk {chunk:05} and all later ones out of \
                 immutable with their indexes, and start the node: it fetches them again. \
                 docs/checks.md has the steps."
            ),
        ]
    }
}
