//! The tally of an audit. It receives the blocks with their verdicts in the order of the chain.
//!
//! Claims are verified in any order, before it is known whether their nonces can be relied on. The tally
//! decides this afterwards, block by block, from the faults of earlier blocks and from the verdicts
//! themselves ([`nonces`](crate::nonces)). So the outcome depends neither on threads nor on timing.

mod anchored;
mod clean;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use klero_cardano::{
    Block, Bounds, Counters, Era, Fault, Finding, Hash, LastBlock, Leadership, Location, Protocol,
    Severity,
};
use klero_leader::{PoolId, VrfKeyHash};

use crate::anchor::Anchor;
use crate::check::Check;
use crate::counts::Counts;
use crate::findings::Findings;
use crate::judge::{JudgedEvent, Verdict, Verdicts};
use crate::leaders::{Lead, Right};
use crate::nonces::Nonces;
use crate::report::{Epoch, Report};
use crate::state::State;
use crate::ties::Ties;

/// The results of an audit so far.
pub(crate) struct Tally {
    /// The report so far. [`into_report`](Self::into_report) completes it.
    pub report: Report,
    /// The state at the end of the last clean epoch, if it is still to be written.
    pub state: Option<State>,
    /// The counts of earlier audits, if there is a state file.
    counted_before: Option<Counts>,
    /// The last block.
    last: Option<Box<Block>>,
    /// The expected blocks that earlier audits found and recorded in the state.
    met_before: BTreeSet<Anchor>,
    /// The number of [`Anchor::Block`] anchors whose slots the chain has passed.
    passed_anchors: usize,
    /// The slot of the state's last block. Without a state, the slot of the first block that was read.
    first: Option<u64>,
    /// The part of the chain that known nonces and blocks show to belong to the network.
    ties: Ties,
    /// The nonces that can be relied on.
    nonces: Nonces,
    /// The findings of the current chunk.
    findings: Findings,
    /// The epochs in which something was counted since [`passed`](Self::passed) last returned them.
    changed: BTreeSet<u64>,
    /// The epoch of the last block that was added.
    current: Option<u64>,
    /// An epoch and the first VRF key that each pool used in it, in this run of linked blocks.
    vrf_keys: (u64, BTreeMap<PoolId, VrfKeyHash>),
    /// The leads that were added since [`leads`](Self::leads) was last called.
    leads: Vec<Lead>,
    /// The last certificate number of each issuer in this run of linked blocks, up to the last block but one.
    counters: Counters,
    /// The issuer of the last block and the number of its certificate. They enter `counters` only when the
    /// next block links to that block. Before that, it is not certain that the block belongs to the chain.
    pending: Option<(Hash<28>, u64)>,
}

impl Tally {
    /// Creates a tally for a report without any findings yet, with the certificate numbers that are known.
    pub(crate) fn new(report: Report, counters: Counters) -> Self {
        Self {
            first: report.tip.as_ref().map(|tip| tip.slot),
            counted_before: report.state.as_ref().map(|saved| saved.totals),
            report,
            state: None,
            last: None,
            met_before: BTreeSet::new(),
            passed_anchors: 0,
            ties: Ties::default(),
            nonces: Nonces::default(),
            findings: Findings::default(),
            changed: BTreeSet::new(),
            current: None,
            vrf_keys: (0, BTreeMap::new()),
            leads: Vec::new(),
            counters,
            pending: None,
        }
    }

    /// Adds the next events. Returns the findings of the chunks that these events complete.
    pub(crate) fn add(&mut self, events: Vec<JudgedEvent>) -> Vec<Finding> {
        let mut complete = Vec::new();
        for event in events {
            let chunk = match &event {
                Ok((block, _)) => block.chunk,
                Err(finding) => finding.at.chunk,
            };
            complete.extend(self.findings.enter(chunk));
            match event {
                Ok((block, verdicts)) => self.block(block, verdicts),
                Err(finding) => self.find(*finding),
            }
        }
        complete
    }

    /// Records that the chain has ended. Returns the findings of the last chunk.
    pub(crate) fn finish(&mut self) -> Vec<Finding> {
        self.current = None;
        self.end();
        self.findings.finish()
    }

    /// Returns the epochs that the chain has passed and in which something was counted since the last call.
    /// After [`finish`](Self::finish), the last epoch counts as passed, too.
    pub(crate) fn passed(&mut self) -> Vec<(u64, &Epoch)> {
        let current = self.current.filter(|current| self.changed.remove(current));
        let passed = mem::take(&mut self.changed);
        self.changed.extend(current);
        let epochs = &self.report.epochs;
        let passed = passed.into_iter();
        passed
            .filter_map(|number| Some((number, epochs.get(&number)?)))
            .collect()
    }

    /// Returns the report, after the last event.
    pub(crate) fn into_report(self) -> Report {
        Report {
            tied: self.ties.tied_slot,
            links_broken: self.ties.links_broken,
            ..self.report
        }
    }

    /// Records a finding of the walk. If headers may be lost or altered, breaks the links and casts doubt.
    fn find(&mut self, finding: Finding) {
        let Finding { fault, at, .. } = &finding;
        let mut loses_headers = false;
        match fault.severity() {
            Severity::Warning => {}
            Severity::Fault => loses_headers = !fault.leaves_header(),
            Severity::Note if matches!(fault, Fault::HalfWritten { .. }) => {
                self.report.half_written = true;
            }
            Severity::Note => {
                self.report.incomplete = true;
                // The block after an unread file does not directly follow the last block that was read.
                loses_headers = matches!(fault, Fault::Io { file: None, .. });
                self.report.unread_files |= loses_headers;
            }
        }
        if loses_headers {
            let first = self.report.network.chunk_start(at.chunk);
            self.ties.break_links();
            self.nonces.doubt(Some(at.slot.unwrap_or(first)));
        }
        self.take(finding);
    }

    fn block(&mut self, block: Box<Block>, verdicts: Verdicts) {
        let pending = self.pending.take();
        if !block.linked {
            self.counters = Counters::since_any_block();
            self.vrf_keys.1.clear();
        } else if let Some((issuer, number)) = pending {
            self.counters.set(issuer, number);
        }
        let ended = self.ended_epoch(&block);
        let era = block.place.era;
        let mut counts = Counts {
            blocks: 1,
            byron_blocks: u64::from(era == Era::Byron),
            ..Counts::default()
        };
        self.nonces.enter(&self.report.network, &block);
        // This comes before the proofs: once they put the nonce in doubt, it is not compared any more.
        self.compare_nonce(&block);
        if self.report.checks.contains(&Check::Vrf) {
            self.leader_value(&block, &mut counts);
            self.proofs(&block, verdicts.claims, &mut counts);
            self.right(&block, verdicts.right, &mut counts);
        }
        self.nonces.leave(&block);
        let issuer = verdicts.certificate.as_ref().map(|(issuer, _)| *issuer);
        if let Some((_, verdict)) = verdicts.certificate {
            counts.certificates.count(Some(verdict.is_ok()));
            self.judged(&block, verdict);
        }
        if let Some(verdict) = verdicts.signature {
            counts.kes.count(Some(verdict.is_ok()));
            self.judged(&block, verdict);
        }
        if self.report.checks.contains(&Check::Bodies) && era != Era::Byron {
            counts.bodies.count(block.body);
        }
        let number = self.number(&block, issuer, &mut counts);
        // A wrong body does not make the header suspect. Neither does a maker without the right to lead,
        // because that right is judged by stake from elsewhere.
        let is_wrong = counts.all_invalid() > counts.bodies.invalid + counts.leaders.invalid;
        if is_wrong {
            // The issuer may have been altered.
            self.counters.doubt();
        }
        self.pending = number.filter(|_| !is_wrong);
        self.meet(&block);

        self.count_in_epoch(&block, counts);
        self.report.totals += counts;
        self.first.get_or_insert(block.place.slot);
        self.report.tip = Some(LastBlock::from(&block.place));
        self.last = Some(block);
        if ended.is_some() && self.is_clean() {
            self.state = ended;
        }
    }

    /// Adds a block to its epoch.
    fn count_in_epoch(&mut self, block: &Block, counts: Counts) {
        self.current = Some(block.epoch);
        self.changed.insert(block.epoch);
        let epoch = self.report.epochs.entry(block.epoch).or_default();
        epoch.eras.insert(block.place.era);
        epoch.counts += counts;
        if let Some(nonce) = self.nonces.of(&self.report.network, block) {
            epoch.nonce = Some(nonce);
        }
        if counts.unverifiable > 0 {
            let since = self.nonces.in_doubt_since(block);
            epoch.unverifiable_since = epoch.unverifiable_since.or(since);
            if since.is_none() {
                epoch.unexplained += counts.unverifiable;
            }
        }
    }

    /// Counts the leader value of a block by the result of its comparison with f.
    fn leader_value(&mut self, block: &Block, counts: &mut Counts) {
        let leader_values = &mut counts.leader_values;
        match block.leadership {
            Leadership::None => {}
            Leadership::Below => leader_values.below_f = 1,
            Leadership::AtOrAbove => {
                leader_values.at_or_above_f = 1;
                self.fault(Fault::LeaderValue {}, block);
            }
            Leadership::Delegate => leader_values.genesis_delegates = 1,
            Leadership::NotMade => leader_values.not_made = 1,
        }
    }

    /// Counts the verdict on the maker's right to lead, if any stake was given.
    fn right(&mut self, block: &Block, right: Option<Right>, counts: &mut Counts) {
        if self.report.stakes.is_empty() || block.lottery.is_none() {
            return;
        }
        let verdict = right.map(|right| match right? {
            Some(lead) => self.lead(lead),
            None => Ok(()),
        });
        counts
            .leaders
            .count(verdict.as_ref().map(|verdict| verdict.is_ok()));
        self.judged(block, verdict.unwrap_or(Ok(())));
    }

    /// Records the lead of a pool. In all of its blocks of an epoch, the pool must have the same VRF key.
    fn lead(&mut self, lead: Lead) -> Verdict {
        if self.vrf_keys.0 != lead.epoch {
            self.vrf_keys = (lead.epoch, BTreeMap::new());
        }
        // A new key is first used two epochs after its registration, so a pool has one key in each epoch.
        let (pool, second) = (lead.pool, lead.vrf);
        let first = *self.vrf_keys.1.entry(pool).or_insert(second);
        if first != second {
            return Err(Fault::TwoVrfKeys {
                pool,
                first,
                second,
            });
        }
        self.leads.push(lead);
        self.report.epochs.entry(lead.epoch).or_default().led(lead);
        Ok(())
    }

    /// Removes and returns the leads since the last call.
    pub(crate) fn leads(&mut self) -> Vec<Lead> {
        mem::take(&mut self.leads)
    }

    /// Counts the proofs of a block by their verdicts.
    fn proofs(&mut self, block: &Block, verdicts: Vec<Verdict>, counts: &mut Counts) {
        counts.proofs = proofs_of(block.place.era);
        if block.nonce.is_none() {
            counts.nonce_unknown = counts.proofs;
            return;
        }
        let judged = self.nonces.judge(&self.report.network, block, verdicts);
        let Some(verdicts) = judged else {
            counts.unverifiable = counts.proofs;
            return;
        };
        for verdict in verdicts {
            match verdict {
                Ok(()) => counts.valid += 1,
                Err(_) => counts.invalid += 1,
            }
            self.judged(block, verdict);
        }
    }

    /// Records a fault of a block if a check failed.
    fn judged(&mut self, block: &Block, verdict: Verdict) {
        if let Err(fault) = verdict {
            self.fault(fault, block);
        }
    }

    /// Records a fault of a block.
    fn fault(&mut self, fault: Fault, block: &Block) {
        self.take(Finding::new(fault, Location::from(block)));
    }

    /// Counts a finding, and keeps it until its chunk is complete.
    fn take(&mut self, mut finding: Finding) {
        let Finding {
            fault, at, count, ..
        } = &mut finding;
        let network = &self.report.network;
        at.epoch = at.epoch.or_else(|| Some(network.epoch(at.slot?)));
        *self.report.found.entry(fault.name()).or_default() += *count;
        if fault.severity() == Severity::Fault {
            let epoch = at.epoch;
            let epoch = epoch.unwrap_or_else(|| network.epoch(network.chunk_start(at.chunk)));
            *self.report.faults_by_epoch.entry(epoch).or_default() += *count;
        }
        self.findings.add(finding);
    }

    /// Judges the number of a block's certificate. Returns the issuer and the number.
    fn number(
        &mut self,
        block: &Block,
        issuer: Option<Hash<28>>,
        counts: &mut Counts,
    ) -> Option<(Hash<28>, u64)> {
        let (issuer, signed) = (issuer?, block.signed.as_ref()?);
        let number = signed.signing.certificate.number;
        let protocol = block.place.era.protocol();
        let verdict = self.counters.check(protocol, issuer, number);
        counts.certificate_numbers.count(match verdict {
            Ok(bounds) => (bounds == Bounds::All).then_some(true),
            Err(_) => Some(false),
        });
        let verdict = verdict.map(drop);
        let verdict = verdict.map_err(|last_number| Fault::CertificateNumber {
            last_number,
            found: number,
        });
        self.judged(block, verdict);
        Some((issuer, number))
    }
}

fn proofs_of(era: Era) -> u64 {
    match era.protocol() {
        Protocol::Byron => 0,
        Protocol::TPraos => 2,
        Protocol::Praos => 1,
    }
}
