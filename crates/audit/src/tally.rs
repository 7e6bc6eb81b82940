//! The tally: verdicts and facts of the blocks, taken in the order of the chain.
//!
//! Claims are verified in any order, and before it is known whether the nonces in them can be
//! relied on. An invalid proof of an output that feeds the nonces casts doubt on every nonce
//! that depends on it; proofs about such nonces mean nothing any more, whatever their verdicts.
//! That can be decided only here, where the blocks come in order. So the outcome depends neither
//! on threads nor on timing.

use std::collections::{BTreeMap, BTreeSet};

use klero::Verdict;
use klero_cardano::{
    Block, Claims, Doubt, Era, Event, LastBlock, Leadership, Nonce, Note, NoteKind, Protocol,
};

use crate::counts::Counts;
use crate::finding::{Finding, Findings};
use crate::frontier::{Checkpoint, Frontier};
use crate::occurrence::{BlockId, Occurrence};
use crate::report::Epoch;

/// What was found so far. The public part of it becomes the
/// [`Report`](crate::report::Report).
#[derive(Default)]
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
    /// What was found in the current chunk.
    findings: Findings,
    /// The epochs in which something was counted since [`passed`](Self::passed) returned them.
    changed: BTreeSet<u64>,
    /// The epoch of the last block.
    current: Option<u64>,
    /// Nonces that the caller gave.
    pub given: BTreeMap<u64, Nonce>,
    /// The doubt that invalid proofs cast. Faults cast theirs in the walk. The two are kept apart,
    /// because they can be merged at any time with the same result.
    doubt: Doubt,
    /// The epoch that `doubt` has entered.
    entered: u64,
}

impl Tally {
    /// A tally of claims about the nonces of the chain, or about those given.
    pub(crate) fn new(given: BTreeMap<u64, Nonce>) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// Adds the next events, with the verdicts on the claims in them. Returns what was found in
    /// the chunks that they complete.
    pub(crate) fn add(&mut self, events: Vec<Event>, verdicts: Vec<Verdict>) -> Vec<Finding> {
        let mut complete = Vec::new();
        let mut verdicts = verdicts.into_iter();
        for event in events {
            complete.extend(self.findings.enter(chunk_of(&event)));
            match event {
                Event::Block(block) => self.block(block, &mut verdicts),
                Event::Fault(fault) => {
                    *self.faults.entry(fault.kind.name()).or_default() += 1;
                    self.frontier.stop();
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
        let passed = std::mem::take(&mut self.changed);
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
            }
            _ => self.incomplete = true,
        }
        self.findings.add(Occurrence::Note(note));
    }

    fn block(&mut self, block: Box<Block>, verdicts: &mut impl Iterator<Item = Verdict>) {
        let era = block.place.era;
        let mut counts = Counts {
            blocks: 1,
            byron_blocks: u64::from(era == Era::Byron),
            proofs: proofs_of(era),
            ..Counts::default()
        };
        let leader_values = &mut counts.leader_values;
        match block.leadership {
            Leadership::None => {}
            Leadership::Below => leader_values.below_f = 1,
            Leadership::AtOrAbove => {
                leader_values.at_or_above_f = 1;
                self.findings.add(Occurrence::LeaderValue {
                    block: BlockId::from(&*block),
                });
            }
            Leadership::Delegate => leader_values.genesis_delegates = 1,
            Leadership::NotMade => leader_values.not_made = 1,
        }

        // By the number: the first block of an epoch may be unreadable.
        if let Some(nonces) = &block.nonces
            && nonces.epoch > self.entered
        {
            self.entered = nonces.epoch;
            self.doubt.tick();
        }
        let mut since = self.doubt.epoch_nonce();
        match &block.claims {
            Claims::None => {}
            Claims::NonceUnknown => counts.nonce_unknown = counts.proofs,
            Claims::Unverifiable { since: by_fault } => {
                since = Some(since.map_or(*by_fault, |slot| slot.min(*by_fault)));
                counts.unverifiable = counts.proofs;
            }
            Claims::Made(claims) => {
                for claim in claims {
                    let verdict = verdicts.next();
                    let verdict = verdict.expect("a batch gives one verdict per claim");
                    match (since, verdict) {
                        (Some(_), _) => counts.unverifiable += 1,
                        (None, Ok(_)) => counts.valid += 1,
                        (None, Err(reason)) => {
                            counts.invalid += 1;
                            if claim.kind.feeds_nonce() {
                                self.doubt.suspect(block.place.slot);
                            }
                            self.findings.add(Occurrence::InvalidProof {
                                block: BlockId::from(&*block),
                                kind: claim.kind,
                                reason,
                            });
                        }
                    }
                }
            }
        }
        if era != Era::Byron {
            self.doubt.update(block.in_window);
        }

        self.current = Some(block.epoch);
        self.changed.insert(block.epoch);
        let epoch = self.epochs.entry(block.epoch).or_default();
        epoch.eras.insert(era);
        epoch.counts += counts;
        if let Some(slot) = since.filter(|_| counts.unverifiable > 0) {
            epoch.unverifiable_since.get_or_insert(slot);
        } else if let Claims::Made(_) = block.claims {
            let of_chain = block.nonces.as_ref().map(|nonces| nonces.eta0);
            epoch.nonce = of_chain.or_else(|| self.given.get(&block.epoch).copied());
        }
        self.totals += counts;
        self.tip = Some(LastBlock::from(&block.place));
        if counts.valid == counts.proofs && counts.leader_values.at_or_above_f == 0 {
            self.frontier.advance(Checkpoint {
                block,
                counts: self.totals,
            });
        } else {
            self.frontier.stop();
        }
    }
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
