//! What an audit is to check, and by what; and what that makes of it before it can run: a network, what
//! is known before the first block, and a walk over the chain from there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use klero_cardano::{
    Chunks, Counters, LedgerState, Network, ReadChunk, Source, Start, UnreadChunk, Walk, WalkError,
    Wanted,
};
use klero_leader::Distribution;
use klero_support::{Queue, ordered};

use crate::anchor::{Anchor, Met, contradiction};
use crate::check::Check;
use crate::error::AuditError;
use crate::judge::Judge;
use crate::leaders::Stakes;
use crate::ledger::Ledger;
use crate::origin::Origin;
use crate::report::Report;
use crate::run::Run;
use crate::segment::Segment;
use crate::state::StateFile;
use crate::tally::Tally;
use crate::tuning::MEMORY;

/// Where the network is known from.
#[derive(Debug)]
pub(crate) enum Whence {
    Caller(Box<Network>),
    /// The files of the database that the caller named so.
    Files(PathBuf),
}

/// What the caller of an audit asked for.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    source: Source<'a>,
    pub network: Whence,
    pub state: Option<Box<StateFile>>,
    pub stake: BTreeMap<u64, Distribution>,
    pub ledger: Option<Box<LedgerState>>,
    pub checks: BTreeSet<Check>,
    pub anchors: BTreeSet<Anchor>,
    pub requires_anchor: bool,
}

impl<'a> Plan<'a> {
    /// Every check of what the source gives, and nothing that is known from elsewhere.
    pub(crate) fn new(source: Source<'a>, network: Whence) -> Self {
        Self {
            source,
            network,
            state: None,
            stake: BTreeMap::new(),
            ledger: None,
            checks: Check::ALL.into(),
            anchors: BTreeSet::new(),
            requires_anchor: false,
        }
    }

    /// Decides where the audit starts, and whether it can.
    pub(crate) fn start(mut self) -> Result<Run<'a>, AuditError> {
        let network = self.find_network()?;
        if let Some(ledger) = &self.ledger {
            add_stake(&mut self.stake, ledger)?;
        }
        let stakes = (!self.stake.is_empty()).then(|| Stakes::new(&network, &self.stake));
        let judge = Judge::new(&self.checks, &network)?.stakes(stakes);
        let start = self.find_start(&network)?;
        let before = match &start {
            Start::After(point) => Some(point.last.clone()),
            _ => None,
        };
        let dir = match &self.source {
            Source::Files(db) => Some(db.dir().to_owned()),
            Source::Blocks(_) => None,
        };
        let wanted = wanted_by(&self.checks);
        let walk = Walk::reading(self.source, network.clone(), start, wanted, read_ahead);
        let walk = walk.map_err(|error| match (&self.state, error) {
            (Some(file), WalkError::Resume(reason)) => file.refused(&reason).into(),
            (_, error) => AuditError::Walk(error),
        })?;
        let origin = match &before {
            Some(last) => Origin::After(last.clone()),
            None if walk.has_nonces() => Origin::Genesis,
            None => Origin::Anywhere,
        };
        let counters = match walk.has_nonces() {
            true => Counters::since_first_block(),
            false => Counters::since_any_block(),
        };
        let anchors = self.anchors.into_iter();
        let report = Report {
            tip: before,
            anchors: anchors.map(|anchor| (anchor, Met::NotReached)).collect(),
            ledger: self.ledger.map(|state| Ledger::new(*state)),
            requires_anchor: self.requires_anchor,
            stakes: self
                .stake
                .iter()
                .map(|(epoch, of)| (*epoch, of.total_source()))
                .collect(),
            ..Report::new(network, self.checks, origin)
        };
        let mut tally = Tally::new(report, counters);
        if let Some(file) = &self.state {
            tally.go_on_from(file.loaded.as_ref());
        }
        Ok(Run {
            dir,
            walk,
            segments: Queue::new(move |segment: Segment| segment.judge(&judge)),
            bytes: 0,
            tally,
            state: self.state.map(|file| file.saved()),
            unsaved: None,
        })
    }

    /// Where the walk starts: after the state, if a file of it is there; otherwise at genesis, or anywhere
    /// with nonces that are known or not needed.
    fn find_start(&self, network: &Network) -> Result<Start, AuditError> {
        let needs_nonces = self.checks.contains(&Check::Vrf) && !network.has_known_nonces();
        match &self.state {
            Some(file) => Ok(file.start(network, &self.checks)?),
            None if needs_nonces => Ok(Start::Genesis),
            None => Ok(Start::Anywhere),
        }
    }

    /// The network, with the nonces that are given beside those it knows.
    fn find_network(&self) -> Result<Network, AuditError> {
        let mut network = match &self.network {
            Whence::Caller(network) => (**network).clone(),
            Whence::Files(dir) => Network::detect(dir)?,
        };
        if let Some(contradiction) = contradiction(&self.anchors, &network) {
            return Err(AuditError::Contradiction(contradiction));
        }
        for anchor in &self.anchors {
            if let Anchor::Nonce { epoch, nonce } = *anchor {
                network.set_known_nonce(epoch, nonce);
            }
        }
        Ok(network)
    }
}

/// What the checks need of the blocks that is not read otherwise.
fn wanted_by(checks: &BTreeSet<Check>) -> Wanted {
    Wanted {
        bodies: checks.contains(&Check::Bodies),
        signatures: checks.contains(&Check::Kes) || checks.contains(&Check::Certificates),
    }
}

/// Adds the stake of a ledger state to that of other epochs.
fn add_stake(
    stake: &mut BTreeMap<u64, Distribution>,
    ledger: &LedgerState,
) -> Result<(), AuditError> {
    for (&epoch, of) in &ledger.stake {
        if stake.insert(epoch, of.clone()).is_some() {
            return Err(AuditError::StakeTwice { epoch });
        }
    }
    Ok(())
}

/// Reads chunks on all threads, ahead of the walk.
fn read_ahead(chunks: Chunks<'_>) -> impl Iterator<Item = ReadChunk> + Send {
    let queue = Queue::new(UnreadChunk::read).within(MEMORY, UnreadChunk::memory);
    ordered(chunks, queue)
}
