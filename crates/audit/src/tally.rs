//! The tally: verdicts and facts of the blocks, taken in the order of the chain.
//!
//! Claims are verified in any order, and before it is known whether the nonces in them can be
//! relied on. An invalid proof of an output that feeds the nonces casts doubt on every nonce
//! that depends on it. Failing proofs about such a nonce mean nothing, and valid ones show that it
//! is right ([`trial`](crate::trial)). That can be decided only here, where the blocks come in order.
//! So the outcome depends neither on threads nor on timing.

mod known;
mod outside;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::mem;

use klero_cardano::{
    Block, Bounds, Claims, Counters, Era, Fault, Finding, Hash, LastBlock, Leadership, Location,
    Protocol, Severity,
};
use klero_leader::VrfKeys;

use crate::anchor::Anchor;
use crate::check::Check;
use crate::counts::Counts;
use crate::findings::Findings;
use crate::frontier::{Checkpoint, Frontier};
use crate::judge::{Certified, Verdict, Verdicts};
use crate::leaders::{Lead, Right};
use crate::ledger::Beside;
use crate::nonces::{Basis, Nonces};
use crate::report::{Epoch, ExpectedBlock, Report};
use crate::segment::JudgedEvent;

pub(crate) use known::Known;

/// What was found so far.
pub(crate) struct Tally {
    /// The report, as it would be if the chain ended here.
    pub report: Report,
    /// Up to where everything is valid.
    pub frontier: Frontier,
    /// The expected blocks that were found, here or by earlier audits.
    pub found: BTreeSet<ExpectedBlock>,
    /// The slot of the first block that was read, by this audit or by earlier ones.
    first: Option<u64>,
    /// What known nonces and blocks say.
    anchor: Anchor,
    /// Which nonces are in doubt.
    nonces: Nonces,
    /// What was found in the current chunk.
    findings: Findings,
    /// The epochs in which something was counted since [`passed`](Self::passed) returned them.
    changed: BTreeSet<u64>,
    /// The epoch of the last block.
    current: Option<u64>,
    /// The VRF keys that pools used in an epoch.
    vrf_keys: (u64, VrfKeys),
    /// Pools that led since [`leads`](Self::leads) returned them.
    leads: Vec<Lead>,
    /// The last certificate number of each issuer, up to the last block but one.
    counters: Counters,
    /// The number that the last block moves its issuer's to, unless a fault follows: then the
    /// block may not be the chain's.
    pending: Option<(Hash<28>, u64)>,
    /// There was a fault since the last block: the next one may be where it does not belong.
    after_fault: bool,
    /// The ledger state, if one was given.
    ledger: Option<Beside>,
}

impl Tally {
    /// A tally for a report in which nothing is found yet.
    pub(crate) fn new(report: Report, known: Known, ledger: Option<Beside>) -> Self {
        let Known {
            mut counters,
            tied,
            doubt,
            wrong,
            found,
        } = known;
        let numbers = counters.iter().collect();
        let mut anchor = Anchor::tied_to(tied);
        if wrong > 0 {
            // It may have been in a header.
            counters.doubt();
            anchor.break_links();
        }
        Self {
            first: report.tip.as_ref().map(|tip| tip.slot),
            report: Report {
                wrong_before: wrong,
                ..report
            },
            frontier: Frontier::after(numbers),
            found,
            anchor,
            nonces: Nonces::new(doubt),
            findings: Findings::default(),
            changed: BTreeSet::new(),
            current: None,
            vrf_keys: (0, VrfKeys::new()),
            leads: Vec::new(),
            counters,
            pending: None,
            after_fault: false,
            ledger,
        }
    }

    /// Adds the next events. Returns what was found in the chunks that they complete.
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

    /// What was found in the last chunk.
    pub(crate) fn finish(&mut self) -> Vec<Finding> {
        self.current = None;
        self.findings.finish()
    }

    /// The epochs that the chain has passed and in which something was counted since the last
    /// call; after [`finish`](Self::finish), all that are left.
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

    /// The report, once nothing more comes.
    pub(crate) fn into_report(self) -> Report {
        let Self {
            mut report,
            found,
            first,
            anchor,
            ledger,
            ..
        } = self;
        let last = report.tip.as_ref().map(|tip| tip.slot);
        for (block, is_there) in &mut report.expected_blocks {
            let slot = Some(block.slot);
            let was_passed = first <= slot && last >= slot && !report.unread_files;
            let is_found = found.contains(block);
            *is_there = (is_found || was_passed).then_some(is_found);
        }
        report.tied = anchor.tied_slot;
        report.links_broken = anchor.links_broken;
        let tip = last.filter(|_| !report.unread_files);
        report.ledger = ledger.map(|ledger| ledger.finish(&report.origin, first, tip));
        report
    }

    fn block(&mut self, block: Box<Block>, verdicts: Verdicts) {
        // The block after it shows that the last one is the chain's.
        if let Some((issuer, number)) = self.pending.take() {
            self.counters.set(issuer, number);
        }
        let era = block.place.era;
        let mut counts = Counts {
            blocks: 1,
            byron_blocks: u64::from(era == Era::Byron),
            ..Counts::default()
        };
        let after_fault = mem::take(&mut self.after_fault);
        let basis = self.nonces.enter(&self.report.network, &block);
        if self.report.checks.contains(&Check::Vrf) {
            self.leader_value(&block, &mut counts);
            self.proofs(&block, basis, &verdicts, &mut counts);
            self.right(&block, verdicts.right, &mut counts);
        }
        let since = self.nonces.in_doubt_since();
        self.nonces.fold(&block);
        let issuer = verdicts.certificate.as_ref().map(|by| by.issuer);
        if let Some(Certified { verdict, .. }) = verdicts.certificate {
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
        let number = self.number(&block, issuer, after_fault, &mut counts);
        self.beside(&block);
        let known = self.known_nonce(&block, since) & self.meet(&block);

        self.count_in_epoch(&block, basis, since, counts);
        self.report.totals += counts;
        self.first.get_or_insert(block.place.slot);
        self.report.tip = Some(LastBlock::from(&block.place));
        if !known {
            self.frontier.stop();
        }
        let is_checkpoint = counts.are_clean() && !after_fault && self.report.totals.is_verified();
        let checkpoint = is_checkpoint.then(|| Checkpoint {
            block,
            doubt: self.nonces.doubt().clone(),
            counts: self.report.totals,
            wrong: self.report.wrong(),
            tied: self.anchor.tied_slot,
        });
        self.frontier.advance(checkpoint, number);
    }

    /// Adds a block to its epoch, whose nonce is then known, or in doubt since a slot.
    fn count_in_epoch(&mut self, block: &Block, basis: Basis, since: Option<u64>, counts: Counts) {
        self.current = Some(block.epoch);
        self.changed.insert(block.epoch);
        let epoch = self.report.epochs.entry(block.epoch).or_default();
        epoch.eras.insert(block.place.era);
        epoch.counts += counts;
        let of_chain = block.nonces.as_ref().map(|nonces| nonces.eta0);
        match (&block.claims, basis, since) {
            (Claims::None | Claims::NonceUnknown, ..) => {}
            (_, Basis::Known, _) => epoch.nonce = self.report.network.known_nonce(block.epoch),
            (.., Some(slot)) => {
                epoch.unverifiable_since.get_or_insert(slot);
            }
            (.., None) => {
                epoch.nonce = of_chain.or_else(|| self.report.network.known_nonce(block.epoch));
            }
        }
    }

    /// How the leader value compares with f.
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

    /// Whether the maker may lead, where stake was given.
    fn right(&mut self, block: &Block, right: Option<Result<Right, Fault>>, counts: &mut Counts) {
        if self.report.stakes.is_empty() || block.lottery.is_none() {
            return;
        }
        let verdict = right.map(|right| match right? {
            Right::Delegate => Ok(()),
            Right::Pool(lead) => self.lead(lead),
        });
        counts
            .leaders
            .count(verdict.as_ref().map(|verdict| verdict.is_ok()));
        self.judged(block, verdict.unwrap_or(Ok(())));
    }

    /// A pool leads; its VRF key must be that of its other blocks in the epoch.
    fn lead(&mut self, lead: Lead) -> Verdict {
        if self.vrf_keys.0 != lead.epoch {
            self.vrf_keys = (lead.epoch, VrfKeys::new());
        }
        let noted = self.vrf_keys.1.note(lead.pool, lead.vrf);
        noted.map_err(Fault::from)?;
        self.leads.push(lead);
        self.report.epochs.entry(lead.epoch).or_default().led(lead);
        Ok(())
    }

    /// The pools that led since the last call.
    pub(crate) fn leads(&mut self) -> Vec<Lead> {
        mem::take(&mut self.leads)
    }

    /// The verdicts on the proofs.
    fn proofs(&mut self, block: &Block, basis: Basis, verdicts: &Verdicts, counts: &mut Counts) {
        counts.proofs = proofs_of(block.place.era);
        match &block.claims {
            Claims::None => return,
            Claims::NonceUnknown => {
                counts.nonce_unknown = counts.proofs;
                return;
            }
            Claims::Made(_) => {}
        }
        let (is_judged, judged) = match basis {
            Basis::Made => (true, &verdicts.claims),
            Basis::Known => (true, &verdicts.known_claims),
            Basis::Tried => (self.hear(block, &verdicts.claims), &verdicts.claims),
            Basis::Nothing => (false, &verdicts.claims),
        };
        for verdict in judged {
            if let Err(Fault::InvalidProof { proof, .. }) = verdict
                && proof.feeds_nonce()
            {
                self.nonces.suspect(block.place.slot);
            }
            if !is_judged {
                counts.unverifiable += 1;
                continue;
            }
            match verdict {
                Ok(()) => counts.valid += 1,
                Err(_) => counts.invalid += 1,
            }
            self.judged(block, verdict.clone());
        }
    }

    /// A check of a block's header.
    fn judged(&mut self, block: &Block, verdict: Verdict) {
        if let Err(fault) = verdict {
            self.fault(fault, block);
        }
    }

    /// Something is wrong with a block.
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
            let first = at.chunk.saturating_mul(network.chunk_size());
            let epoch = at.epoch.unwrap_or_else(|| network.epoch(first));
            *self.report.faults_by_epoch.entry(epoch).or_default() += *count;
        }
        self.findings.add(finding);
    }

    /// The nonce of an epoch is on trial, and this is the next block. Returns whether it is shown
    /// to be right; then the valid proofs before count.
    fn hear(&mut self, block: &Block, proofs: &[Verdict]) -> bool {
        let Some(before) = self.nonces.hear(block, proofs) else {
            return false;
        };
        let epoch = self.report.epochs.entry(block.epoch).or_default();
        for counts in [&mut epoch.counts, &mut self.report.totals] {
            counts.unverifiable -= before;
            counts.valid += before;
        }
        if epoch.counts.unverifiable == 0 {
            epoch.unverifiable_since = None;
        }
        true
    }

    /// The verdict on the certificate's number, of this issuer. If nothing is wrong with the block,
    /// returns both: the counter of the issuer moves to the number once the next block follows.
    fn number(
        &mut self,
        block: &Block,
        issuer: Option<Hash<28>>,
        after_fault: bool,
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
        self.judged(
            block,
            verdict.map_err(|why| Fault::CertificateNumber { why }),
        );
        // Who may lead is judged by stake from elsewhere: it says nothing about the header.
        if counts.all_invalid() > counts.bodies.invalid + counts.leaders.invalid {
            // The issuer may be what was altered.
            self.counters.doubt();
            return None;
        }
        self.pending = (!after_fault).then_some((issuer, number));
        self.pending
    }
}

fn proofs_of(era: Era) -> u64 {
    match era.protocol() {
        Protocol::Byron => 0,
        Protocol::TPraos => 2,
        Protocol::Praos => 1,
    }
}
