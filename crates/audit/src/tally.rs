//! The tally: verdicts and facts of the blocks, taken in the order of the chain.
//!
//! Claims are verified in any order, and before it is known whether the nonces in them can be
//! relied on. An invalid proof of an output that feeds the nonces casts doubt on every nonce
//! that depends on it; proofs about such nonces mean nothing any more, whatever their verdicts.
//! That can be decided only here, where the blocks come in order. So the outcome depends neither
//! on threads nor on timing.

use std::collections::{BTreeMap, BTreeSet};
use std::{mem, vec};

use klero::Verdict;
use klero_cardano::{
    Block, Bounds, Claims, Counters, Doubt, Era, Event, FaultKind, Hash, HeaderState, LastBlock,
    Leadership, Network, Nonce, Note, NoteKind, Protocol,
};

use crate::anchor::{Anchor, OtherNonce};
use crate::check::Check;
use crate::counts::Counts;
use crate::finding::{Finding, Findings};
use crate::frontier::{Checkpoint, Frontier};
use crate::occurrence::{BlockId, Occurrence};
use crate::report::Epoch;
use crate::segment::Verdicts;
use crate::signatures::NotSigned;

/// What was found so far. The public part of it becomes the
/// [`Report`](crate::report::Report).
pub(crate) struct Tally {
    pub epochs: BTreeMap<u64, Epoch>,
    pub totals: Counts,
    pub faults: BTreeMap<&'static str, u64>,
    pub warnings: u64,
    pub notes: BTreeMap<&'static str, u64>,
    /// The last block that was read.
    pub tip: Option<LastBlock>,
    pub unread_files: bool,
    pub half_written: bool,
    pub incomplete: bool,
    /// Up to where everything is valid.
    pub frontier: Frontier,
    /// Epochs whose nonce is not the known one.
    pub other_nonces: u64,
    /// What known nonces say.
    pub anchor: Anchor,
    /// What was found in the current chunk.
    findings: Findings,
    /// The epochs in which something was counted since [`passed`](Self::passed) returned them.
    changed: BTreeSet<u64>,
    /// The epoch of the last block.
    current: Option<u64>,
    /// The last certificate number of each issuer, up to the last block but one.
    counters: Counters,
    /// The number that the last block moves its issuer's to, unless a fault follows: then the
    /// block may not be the chain's.
    pending: Option<(Hash<28>, u64)>,
    /// There was a fault since the last block: the next one may be where it does not belong.
    after_fault: bool,
    /// What is checked.
    checks: BTreeSet<Check>,
    network: Network,
    /// Nonces that the caller gave.
    pub given: BTreeMap<u64, Nonce>,
    /// The doubt that invalid proofs cast. Faults cast theirs in the walk. The two are kept apart,
    /// because they can be merged at any time with the same result.
    doubt: Doubt,
    /// The epoch that `doubt` has entered.
    entered: u64,
}

/// What is known before the first block.
pub(crate) struct Known {
    /// Nonces that the caller gives; if there are any, those of the chain are not computed.
    pub given: BTreeMap<u64, Nonce>,
    /// The last certificate number of each issuer.
    pub counters: Counters,
    /// The slot up to which the chain is known to be that of its network.
    pub tied: Option<u64>,
}

impl Tally {
    /// A tally of these checks.
    pub(crate) fn new(network: Network, checks: BTreeSet<Check>, known: Known) -> Self {
        let Known {
            given,
            counters,
            tied,
        } = known;
        let numbers = counters.iter().collect();
        Self {
            epochs: BTreeMap::new(),
            totals: Counts::default(),
            faults: BTreeMap::new(),
            warnings: 0,
            notes: BTreeMap::new(),
            tip: None,
            unread_files: false,
            half_written: false,
            incomplete: false,
            frontier: Frontier::after(numbers),
            findings: Findings::default(),
            changed: BTreeSet::new(),
            current: None,
            other_nonces: 0,
            anchor: Anchor::tied_to(tied),
            counters,
            pending: None,
            after_fault: false,
            checks,
            network,
            given,
            doubt: Doubt::default(),
            entered: 0,
        }
    }

    /// Adds the next events, with the verdicts on the claims in them. Returns what was found in
    /// the chunks that they complete.
    pub(crate) fn add(&mut self, events: Vec<Event>, verdicts: Verdicts) -> Vec<Finding> {
        let mut complete = Vec::new();
        let mut verdicts = InOrder {
            vrf: verdicts.vrf.into_iter(),
            certificates: verdicts.certificates.into_iter(),
            signatures: verdicts.signatures.into_iter(),
        };
        for event in events {
            complete.extend(self.findings.enter(chunk_of(&event)));
            match event {
                Event::Block(block) => self.block(block, &mut verdicts),
                Event::Fault(fault) => {
                    *self.faults.entry(fault.kind.name()).or_default() += 1;
                    self.frontier.stop();
                    if !leaves_header(&fault.kind) {
                        self.lose_headers();
                    }
                    self.findings.add(Occurrence::Fault(fault));
                }
                Event::Warning(warning) => {
                    self.warnings += 1;
                    self.findings.add(Occurrence::Warning(warning));
                }
                Event::Note(note) => self.note(note),
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
        let epochs = &self.epochs;
        let passed = passed.into_iter();
        passed
            .filter_map(|number| Some((number, epochs.get(&number)?)))
            .collect()
    }

    fn note(&mut self, note: Note) {
        *self.notes.entry(note.kind.name()).or_default() += 1;
        match note.kind {
            NoteKind::HalfWritten { .. } => self.half_written = true,
            NoteKind::Io { .. } => {
                self.unread_files = true;
                self.incomplete = true;
                // What follows a file that was not read is not the next block.
                self.frontier.stop();
                self.lose_headers();
            }
            _ => self.incomplete = true,
        }
        self.findings.add(Occurrence::Note(note));
    }

    /// Headers may be lost or altered.
    fn lose_headers(&mut self) {
        self.anchor.break_links();
        self.counters.doubt();
        self.pending = None;
        self.after_fault = true;
    }

    fn block(&mut self, block: Box<Block>, verdicts: &mut InOrder) {
        // The block after it shows that the last one is the chain's.
        if let Some((issuer, number)) = self.pending.take() {
            self.counters.set(issuer, number);
        }
        let era = block.place.era;
        let id = BlockId::from(&*block);
        let mut counts = Counts {
            blocks: 1,
            byron_blocks: u64::from(era == Era::Byron),
            ..Counts::default()
        };
        // By the number: the first block of an epoch may be unreadable.
        if let Some(nonces) = &block.nonces
            && nonces.epoch > self.entered
        {
            self.entered = nonces.epoch;
            self.doubt.tick();
        }
        let since = match (self.doubt.epoch_nonce(), &block.claims) {
            (Some(slot), Claims::Unverifiable { since }) => Some(slot.min(*since)),
            (None, Claims::Unverifiable { since }) => Some(*since),
            (since, _) => since,
        };
        if self.checks.contains(&Check::Vrf) {
            self.leader_value(&block, &mut counts);
            self.proofs(&block, since, verdicts, &mut counts);
        }
        if era != Era::Byron {
            self.doubt.update(block.in_window);
        }
        let mut issuer = None;
        if block.signed.is_some() {
            issuer = self.certificate(id, verdicts, &mut counts);
            self.signature(id, verdicts, &mut counts);
        }
        if self.checks.contains(&Check::Bodies) && era != Era::Byron {
            counts.bodies.count(block.body);
        }
        let number = self.number(&block, id, issuer, &mut counts);
        let known = self.known_nonce(&block, id, since);

        self.current = Some(block.epoch);
        self.changed.insert(block.epoch);
        let epoch = self.epochs.entry(block.epoch).or_default();
        epoch.eras.insert(era);
        epoch.counts += counts;
        let of_chain = block.nonces.as_ref().map(|nonces| nonces.eta0);
        match (since, &block.claims) {
            (_, Claims::None | Claims::NonceUnknown) => {}
            (Some(slot), _) => {
                epoch.unverifiable_since.get_or_insert(slot);
            }
            (None, _) => {
                epoch.nonce = of_chain.or_else(|| self.given.get(&block.epoch).copied());
            }
        }
        self.totals += counts;
        self.tip = Some(LastBlock::from(&block.place));
        if counts.has_gaps() || !known {
            self.frontier.stop();
        } else {
            self.frontier.advance(Checkpoint {
                block,
                counts: self.totals,
                number,
                tied: self.anchor.tied,
            });
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
                self.findings.add(Occurrence::LeaderValue {
                    block: BlockId::from(block),
                });
            }
            Leadership::Delegate => leader_values.genesis_delegates = 1,
            Leadership::NotMade => leader_values.not_made = 1,
        }
    }

    /// The verdicts on the proofs; `since` is set if their nonce is in doubt.
    fn proofs(
        &mut self,
        block: &Block,
        since: Option<u64>,
        verdicts: &mut InOrder,
        counts: &mut Counts,
    ) {
        counts.proofs = proofs_of(block.place.era);
        match &block.claims {
            Claims::None => {}
            Claims::NonceUnknown => counts.nonce_unknown = counts.proofs,
            Claims::Unverifiable { .. } => counts.unverifiable = counts.proofs,
            Claims::Made(claims) => {
                for claim in claims {
                    match (since, next(&mut verdicts.vrf)) {
                        (Some(_), _) => counts.unverifiable += 1,
                        (None, Ok(_)) => counts.valid += 1,
                        (None, Err(reason)) => {
                            counts.invalid += 1;
                            if claim.kind.feeds_nonce() {
                                self.doubt.suspect(block.place.slot);
                            }
                            self.findings.add(Occurrence::InvalidProof {
                                block: BlockId::from(block),
                                kind: claim.kind,
                                reason,
                            });
                        }
                    }
                }
            }
        }
    }

    /// The verdict on the certificate, if it is checked. Returns the issuer.
    fn certificate(
        &mut self,
        block: BlockId,
        verdicts: &mut InOrder,
        counts: &mut Counts,
    ) -> Option<Hash<28>> {
        if !self.checks.contains(&Check::Certificates) {
            return None;
        }
        let (issuer, verdict) = next(&mut verdicts.certificates);
        counts.certificates.count(Some(verdict.is_ok()));
        if let Err(reason) = verdict {
            self.findings
                .add(Occurrence::InvalidCertificate { block, reason });
        }
        Some(issuer)
    }

    /// The verdict on the signature, if it is checked.
    fn signature(&mut self, block: BlockId, verdicts: &mut InOrder, counts: &mut Counts) {
        if !self.checks.contains(&Check::Kes) {
            return;
        }
        let verdict = next(&mut verdicts.signatures);
        counts.kes.count(Some(verdict.is_ok()));
        match verdict {
            Ok(()) => {}
            Err(NotSigned::Period(reason)) => {
                self.findings.add(Occurrence::KesPeriod { block, reason });
            }
            Err(NotSigned::Signature(reason)) => {
                self.findings.add(Occurrence::InvalidKes { block, reason });
            }
        }
    }

    /// The verdict on the certificate's number, of this issuer. If nothing is wrong with the block,
    /// returns both: the counter of the issuer moves to the number once the next block follows.
    fn number(
        &mut self,
        block: &Block,
        id: BlockId,
        issuer: Option<Hash<28>>,
        counts: &mut Counts,
    ) -> Option<(Hash<28>, u64)> {
        let after_fault = mem::take(&mut self.after_fault);
        let (issuer, signed) = (issuer?, block.signed.as_ref()?);
        let number = signed.signing.certificate.number;
        let protocol = block.place.era.protocol();
        let verdict = self.counters.check(protocol, issuer, number);
        counts.certificate_numbers.count(match verdict {
            Ok(bounds) => (bounds == Bounds::All).then_some(true),
            Err(_) => Some(false),
        });
        if let Err(reason) = verdict {
            let block = id;
            self.findings
                .add(Occurrence::CertificateNumber { block, reason });
        }
        if counts.all_invalid() > counts.bodies.invalid {
            // The issuer may be what was altered.
            self.counters.doubt();
            return None;
        }
        self.pending = (!after_fault).then_some((issuer, number));
        self.pending
    }

    /// Whether the nonce of the block's epoch is not another one than is known.
    fn known_nonce(&mut self, block: &Block, id: BlockId, since: Option<u64>) -> bool {
        let nonces = block.nonces.as_ref().filter(|_| since.is_none());
        let nonce = nonces
            .filter(|nonces| nonces.epoch == block.epoch)
            .map(|nonces| nonces.eta0);
        let of_epoch = (block.epoch, block.place.slot);
        let compared = self.anchor.pass(&self.network, of_epoch, nonce);
        let Err(OtherNonce { expected, found }) = compared else {
            return true;
        };
        self.other_nonces += 1;
        self.findings.add(Occurrence::EpochNonce {
            block: id,
            expected,
            found,
        });
        false
    }
}

/// The verdicts on a segment that are not taken yet.
struct InOrder {
    vrf: vec::IntoIter<Verdict>,
    certificates: vec::IntoIter<(Hash<28>, klero_ed25519::Verdict)>,
    signatures: vec::IntoIter<Result<(), NotSigned>>,
}

fn next<T>(verdicts: &mut vec::IntoIter<T>) -> T {
    verdicts
        .next()
        .expect("a batch gives one verdict per claim")
}

/// Whether the headers are as they were in spite of a fault.
fn leaves_header(kind: &FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::BodyHash { .. }
            | FaultKind::BodySize { .. }
            | FaultKind::Crc {
                header: HeaderState::Intact,
                ..
            }
    )
}

fn chunk_of(event: &Event) -> u64 {
    match event {
        Event::Block(block) => block.chunk,
        Event::Fault(fault) => fault.location.chunk,
        Event::Warning(warning) => warning.chunk,
        Event::Note(note) => note.chunk,
    }
}

fn proofs_of(era: Era) -> u64 {
    match era.protocol() {
        Protocol::Byron => 0,
        Protocol::TPraos => 2,
        Protocol::Praos => 1,
    }
}
