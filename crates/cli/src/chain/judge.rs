//! The judge: verdicts and facts of the blocks, taken in the order of the chain.
//!
//! Claims are verified in any order and before it is known whether the nonces they
//! are about can be relied on. An invalid proof of an output that feeds the nonces
//! casts doubt on every nonce that depends on it, and the claims that were made with
//! these say nothing any more, whatever their verdicts. Only here, where the blocks
//! come in order, can that be told; so the outcome does not depend on threads or
//! timing.

use std::collections::{BTreeMap, BTreeSet};

use klero::Verdict;
use klero_cardano::{
    Block, Claims, Doubt, Era, Event, LastBlock, Leadership, Nonce, NoteKind, Protocol,
};

use super::counts::Counts;
use super::finding::{At, Finding, HALF_WRITTEN, IO, kind_name, note_name};
use super::fold::{Folded, Folds};
use super::frontier::Frontier;

/// What was found in an epoch.
#[derive(Debug, Default)]
pub struct Epoch {
    /// The eras of its blocks.
    pub eras: BTreeSet<Era>,
    /// Its nonce, where it is known and beyond doubt.
    pub nonce: Option<Nonce>,
    /// Slot of the first thing that casts doubt on its nonce.
    pub unverifiable_since: Option<u64>,
    /// What was counted.
    pub counts: Counts,
}

/// What was found, as far as the judge has come.
#[derive(Default)]
pub struct Judge {
    /// Every epoch that has a block.
    pub epochs: BTreeMap<u64, Epoch>,
    /// All epochs together.
    pub totals: Counts,
    /// Faults by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Warnings.
    pub warnings: u64,
    /// Notes of what was not read, by kind.
    pub notes: BTreeMap<&'static str, u64>,
    /// The last block that was read.
    pub tip: Option<LastBlock>,
    /// Up to where all is well.
    pub frontier: Frontier,
    /// What was found in the chunk at hand.
    folds: Folds,
    /// Nonces that the walk was begun with.
    given: BTreeMap<u64, Nonce>,
    /// What invalid proofs cast doubt on. Faults cast their own in the walk; that steps and
    /// merging commute lets the two be kept apart.
    doubt: Doubt,
    /// The epoch that `doubt` has entered.
    entered: u64,
}

impl Judge {
    /// A judge of claims about nonces from the chain, or about these.
    pub fn new(given: BTreeMap<u64, Nonce>) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// Takes the events that come next, with the verdicts on the claims in them. Returns what
    /// was found in the chunks that they complete.
    pub fn hear(&mut self, events: Vec<Event>, verdicts: Vec<Verdict>) -> Vec<Folded> {
        let mut complete = Vec::new();
        let mut verdicts = verdicts.into_iter();
        for event in events {
            complete.extend(self.folds.enter(chunk_of(&event)));
            match event {
                Event::Block(block) => self.block(block, &mut verdicts),
                Event::Fault(fault) => {
                    *self.faults.entry(kind_name(&fault.kind)).or_default() += 1;
                    self.frontier.stop();
                    self.folds.add(Finding::Fault(fault));
                }
                Event::Warning(warning) => {
                    self.warnings += 1;
                    self.folds.add(Finding::Warning(warning));
                }
                Event::Note(note) => {
                    *self.notes.entry(note_name(&note.kind)).or_default() += 1;
                    // What comes after a file that was not read is not the next block.
                    if let NoteKind::Io { .. } = note.kind {
                        self.frontier.stop();
                    }
                    self.folds.add(Finding::Note(note));
                }
            }
        }
        complete
    }

    /// What was found in the last chunk.
    pub fn finish(&mut self) -> Vec<Folded> {
        self.folds.finish()
    }

    /// Whether something could not be read that a half-written block does not explain.
    pub fn is_incomplete(&self) -> bool {
        self.notes.keys().any(|kind| *kind != HALF_WRITTEN)
    }

    /// Whether the last block is half written.
    pub fn is_half_written(&self) -> bool {
        self.notes.contains_key(HALF_WRITTEN)
    }

    /// Whether a file could not be read, so that nobody knows what is in it.
    pub fn has_unread_files(&self) -> bool {
        self.notes.contains_key(IO)
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
                self.folds.add(Finding::LeaderValue {
                    at: At::from(&*block),
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
                            self.folds.add(Finding::InvalidProof {
                                at: At::from(&*block),
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
            self.frontier.advance(block, self.totals);
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
