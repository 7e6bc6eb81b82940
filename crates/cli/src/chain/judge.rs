//! The judge: verdicts and facts of the blocks, taken in the order of the chain.
//!
//! Claims are verified in any order and before it is known whether the nonces they
//! are about can be relied on. An invalid proof of an output that feeds the nonces
//! casts doubt on every nonce that depends on it, and the claims that were made with
//! these say nothing any more, whatever their verdicts. Only here, where the blocks
//! come in order, can that be told; so the outcome does not depend on threads or
//! timing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use klero::Verdict;
use klero_cardano::{Block, Claims, Doubt, Era, Event, Leadership, Nonce, Protocol};
use serde::Serialize;

use super::finding::{At, Finding, kind_name};
use super::state::Frontier;

/// What was counted, in an epoch or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Blocks whose header could be read.
    pub blocks: u64,
    /// Those of Byron, which carry no proof.
    pub byron_blocks: u64,
    /// Proofs: the sum of the next four.
    pub proofs: u64,
    /// Proofs that hold.
    pub valid: u64,
    /// Proofs that do not.
    pub invalid: u64,
    /// Proofs about a nonce that is in doubt.
    pub unverifiable: u64,
    /// Proofs about a nonce that was not given.
    pub nonce_unknown: u64,
    /// Leader values against the bound f.
    pub leader_values: LeaderValues,
}

/// What became of leader values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeaderValues {
    /// Below f, as they must be.
    pub below_f: u64,
    /// At or above f.
    pub at_or_above_f: u64,
    /// Exempt: of genesis delegates, before Babbage.
    pub genesis_delegates: u64,
    /// Not checked, for want of a list of the genesis delegates.
    pub not_made: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.byron_blocks += other.byron_blocks;
        self.proofs += other.proofs;
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.unverifiable += other.unverifiable;
        self.nonce_unknown += other.nonce_unknown;
        let (sum, more) = (&mut self.leader_values, other.leader_values);
        sum.below_f += more.below_f;
        sum.at_or_above_f += more.at_or_above_f;
        sum.genesis_delegates += more.genesis_delegates;
        sum.not_made += more.not_made;
    }
}

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
    /// Up to where all is well.
    pub frontier: Frontier,
    /// Nonces from the command line.
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

    /// Takes the events that come next, with the verdicts on the claims in them.
    pub fn hear(&mut self, events: Vec<Event>, verdicts: Vec<Verdict>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut verdicts = verdicts.into_iter();
        for event in events {
            match event {
                Event::Block(block) => self.block(block, &mut verdicts, &mut findings),
                Event::Fault(fault) => {
                    *self.faults.entry(kind_name(&fault.kind)).or_default() += 1;
                    self.frontier.stop();
                    findings.push(Finding::Fault(fault));
                }
                Event::Warning(warning) => {
                    self.warnings += 1;
                    findings.push(Finding::Warning(warning));
                }
            }
        }
        findings
    }

    fn block(
        &mut self,
        block: Box<Block>,
        verdicts: &mut impl Iterator<Item = Verdict>,
        findings: &mut Vec<Finding>,
    ) {
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
                findings.push(Finding::LeaderValue {
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
                            findings.push(Finding::InvalidProof {
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
        if counts.valid == counts.proofs && counts.leader_values.at_or_above_f == 0 {
            self.frontier.advance(block, self.totals);
        } else {
            self.frontier.stop();
        }
    }
}

fn proofs_of(era: Era) -> u64 {
    match era.protocol() {
        Protocol::Byron => 0,
        Protocol::TPraos => 2,
        Protocol::Praos => 1,
    }
}
