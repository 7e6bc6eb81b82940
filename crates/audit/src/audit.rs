//! The settings of an audit: its source, its checks, the facts to compare the chain with, and its start.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use klero_cardano::{
    Blocks, Chunks, Counters, Immutable, LedgerState, Network, NetworkError, ReadChunk, Resume,
    Source, Start, UnreadChunk, Walk, WalkError, Wanted,
};
use klero_leader::Distribution;
use klero_support::{Queue, ordered};

use crate::anchor::{Anchor, Met, contradiction};
use crate::check::Check;
use crate::error::AuditError;
use crate::judge::Judge;
use crate::ledger::Ledger;
use crate::progress::{Progress, Stop};
use crate::report::{Origin, Report};
use crate::run::run;
use crate::state::{Saved, State, refused};
use crate::tally::Tally;
use crate::tuning::MEMORY;

/// An audit of a node's database, or of blocks from elsewhere, set up and not yet run.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use klero_audit::{Anchor, Audit, Outcome};
/// use klero_forge::{Recipe, forge};
///
/// let dir = tempfile::tempdir()?;
/// let forged = forge(&Recipe::sample(), dir.path(), |_, _| {})?;
/// let report = Audit::new(dir.path())?.run(|_progress| ControlFlow::Continue(()))?;
/// assert_eq!(report.outcome(), Outcome::AllValid);
/// let proofs: u64 = forged.epochs.iter().map(|epoch| epoch.proofs).sum();
/// assert_eq!(report.totals.valid, proofs);
///
/// // With what the caller knows from elsewhere, and a file from which the next audit goes on.
/// let tip = forged.tip.as_ref().unwrap();
/// let report = Audit::new(dir.path())?
///     .stake(forged.stake_by_epoch())
///     .expect([Anchor::Tip { slot: tip.slot, hash: tip.hash }])
///     .require_anchor()
///     .state(&dir.path().join("state.json"))?
///     .run(|_progress| ControlFlow::Continue(()))?;
/// assert_eq!(report.outcome(), Outcome::AllValid);
/// assert!(report.is_anchored() && report.totals.leaders.valid > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Audit<'a> {
    source: Source<'a>,
    /// The network of the caller, or the one that the files of the database name.
    network: Result<Network, NetworkError>,
    checks: BTreeSet<Check>,
    anchors: BTreeSet<Anchor>,
    requires_anchor: bool,
    stake: BTreeMap<u64, Distribution>,
    ledger: Option<Box<LedgerState>>,
    /// The state file, and the state that was in it.
    state: Option<(Saved, Option<State>)>,
}

impl<'a> Audit<'a> {
    /// An audit of the database in `dir`: the directory of the chunk files, or the node's database directory,
    /// which has them in `immutable`.
    ///
    /// # Errors
    /// [`AuditError::Open`].
    pub fn new(dir: &Path) -> Result<Self, AuditError> {
        let db = Immutable::open(dir)?;
        Ok(Self::of(db.into(), Network::detect(dir)))
    }

    /// An audit of the blocks of an iterator, in the order of the chain: from another store, an archive or a
    /// connection. Each item is one block as a node stores it, the CBOR `[era tag, block]`.
    ///
    /// The checks and findings are the same as for a node's files, except those about CRC-32s, indexes and a
    /// block that a node is writing, which only files have.
    ///
    /// * **Damage.** Bytes that are not one whole block are a fault: of the body
    ///   ([`BodyHash`](klero_cardano::Fault::BodyHash)), if the header can be used and the body is checked,
    ///   or else [`Unreadable`](klero_cardano::Fault::Unreadable) or `BadHeader`. The audit goes on with the
    ///   next block. Findings name blocks by their numbers in the iterator, from 0 on
    ///   ([`Location::item`](klero_cardano::Location::item)), and their slots.
    /// * **Errors.** The first error of the iterator ends the chain, with a note that gives the reason.
    ///   Everything before it is in the report, whose [`outcome`](Report::outcome) is
    ///   [`NotAllRead`](crate::Outcome::NotAllRead) at best.
    /// * **Where it begins.** With the first block of the chain; with a state file ([`state`](Self::state)),
    ///   with any block up to the one after that of the state; without one, with any block, if nonces are
    ///   known ([`Network::has_known_nonces`]), as those of the public networks are, or not needed.
    /// * **Memory** is bounded, however many blocks there are and however long they are. The
    ///   iterator is called on the thread that calls [`run`](Self::run), some mebibytes ahead of what
    ///   is verified. The observer is not called while the audit waits for a block.
    ///
    /// An iterator that cannot fail gives `Ok::<_, Infallible>`; one that cannot be sent to another
    /// thread can feed a channel, whose receiver is an iterator.
    ///
    /// ```
    /// use std::io;
    /// use std::ops::ControlFlow;
    ///
    /// use klero_audit::{Audit, Outcome};
    /// use klero_cardano::Network;
    ///
    /// // No connection, no chain.
    /// let blocks = [Err::<Vec<u8>, _>(io::Error::from(io::ErrorKind::NotConnected))];
    /// let audit = Audit::of_blocks(Network::mainnet(), blocks);
    /// let report = audit.run(|_progress| ControlFlow::Continue(()))?;
    /// assert_eq!(report.outcome(), Outcome::NotAllRead);
    /// # Ok::<(), klero_audit::AuditError>(())
    /// ```
    ///
    /// The example `blocks` of this crate audits a file of blocks.
    pub fn of_blocks<I, B, E>(network: Network, blocks: I) -> Self
    where
        I: IntoIterator<Item = Result<B, E>, IntoIter: Send + 'a>,
        B: Into<Vec<u8>> + 'a,
        E: fmt::Display + 'a,
    {
        Self::of(Blocks::new(blocks).into(), Ok(network))
    }

    /// An audit of the source with every check, and without facts from elsewhere.
    fn of(source: Source<'a>, network: Result<Network, NetworkError>) -> Self {
        Self {
            source,
            network,
            checks: Check::ALL.into(),
            anchors: BTreeSet::new(),
            requires_anchor: false,
            stake: BTreeMap::new(),
            ledger: None,
            state: None,
        }
    }

    /// Sets the network. Without this call, [`Network::detect`] looks for it in the files of the database.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Ok(network);
        self
    }

    /// Makes only these checks, besides those that are always made ([`Check`]). The default is
    /// [`Check::ALL`]. Without [`Check::Vrf`] no nonce is needed, so the database may begin anywhere, if
    /// there is no [`state`](Self::state) file.
    #[must_use]
    pub fn only(mut self, checks: impl IntoIterator<Item = Check>) -> Self {
        self.checks = checks.into_iter().collect();
        self
    }

    /// Compares the chain with what the caller knows from elsewhere. A contradiction is a finding:
    /// [`Fault::ExpectedBlock`](klero_cardano::Fault::ExpectedBlock) or
    /// [`Fault::EpochNonce`](klero_cardano::Fault::EpochNonce). Can be called for any number of anchors, in
    /// any order.
    ///
    /// * An [`Anchor::Block`] and an [`Anchor::Tip`] must be met. If the audit ends before one or begins
    ///   after it, the outcome is [`NotAllChecked`](crate::Outcome::NotAllChecked) at best. A state file
    ///   remembers the blocks that were met.
    /// * An [`Anchor::Number`] and an [`Anchor::Nonce`] say nothing where the chain has no such block or
    ///   epoch, so that lists of them can be longer than the chain.
    /// * A block that is met ties all headers before it to the network; a nonce that is met ties the
    ///   headers on which it depends ([`Report::tied`]).
    /// * Where the nonce that the chain makes is in doubt, the expected nonce replaces it, from the first
    ///   proof on that is valid by the expected one. An expected nonce cannot contradict a built-in one.
    ///
    /// Where nonces are known, these or others, the blocks may begin anywhere, if there is no
    /// [`state`](Self::state) file. If they begin after the first block of the chain, no nonces are computed,
    /// and the proofs of epochs without a known nonce are not verified.
    #[must_use]
    pub fn expect(mut self, anchors: impl IntoIterator<Item = Anchor>) -> Self {
        self.anchors.extend(anchors);
        self
    }

    /// Requires that something outside of the database ties the chain to its network, up to some block
    /// ([`Report::is_anchored`]): a known epoch nonce or a block ([`expect`](Self::expect)). Otherwise the
    /// outcome is [`Outcome::NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    #[must_use]
    pub fn require_anchor(mut self) -> Self {
        self.requires_anchor = true;
        self
    }

    /// Also checks who may lead, by the stake of these epochs
    /// ([`HeaderCheck::stake`](crate::HeaderCheck::stake)), and that each pool has one VRF key in an epoch.
    /// Blocks on which neither stake nor turns decide are counted as not judged. This is part of
    /// [`Check::Vrf`].
    ///
    /// A state file counts blocks whose makers may lead, and passes no epoch with one whose maker may not.
    #[must_use]
    pub fn stake(mut self, stake: BTreeMap<u64, Distribution>) -> Self {
        self.stake = stake;
        self
    }

    /// Checks who may lead in the epoch of a node's ledger state and in the next, by the stake in the state
    /// ([`LedgerState::stake`]), as [`stake`](Self::stake) does. Also compares the state's last block, and
    /// the five nonces after it, with the chain. Each difference is a
    /// [`Fault::LedgerState`](klero_cardano::Fault::LedgerState).
    ///
    /// Nonces are not compared if the audit computes none, nor where they are in doubt
    /// ([`Report::ledger`]). If the audit ends before the state's last block or begins after it, the outcome
    /// is [`NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    ///
    /// An epoch whose stake is given by [`stake`](Self::stake) as well is an error of
    /// [`run`](Self::run).
    #[must_use]
    pub fn ledger(mut self, state: LedgerState) -> Self {
        self.ledger = Some(Box::new(state));
        self
    }

    /// Starts after the block that the state file at `path` names, if the file exists. Writes the file when
    /// an epoch has ended and all is clean so far: in all blocks up to its end, and in the first block after
    /// it, nothing but warnings was found, everything was read, and every check was made. So each audit finds
    /// a fault again, until it is repaired. This call already tests whether the file can be written.
    ///
    /// # Errors
    /// [`AuditError::State`].
    pub fn state(mut self, path: &Path) -> Result<Self, AuditError> {
        self.state = Some(Saved::open(path)?);
        Ok(self)
    }

    /// Runs the audit on all threads of the current rayon pool. `observer` is called on this
    /// thread, and can end the audit early.
    ///
    /// # Errors
    /// [`AuditError`]: the audit cannot start, or the observer aborted it. An invalid chain, or a state file
    /// that can no longer be written, is no error: the report says so.
    pub fn run(
        self,
        observer: impl FnMut(Progress<'_>) -> ControlFlow<Stop>,
    ) -> Result<Report, AuditError> {
        let Self {
            source,
            network,
            checks,
            anchors,
            requires_anchor,
            mut stake,
            ledger,
            state,
        } = self;
        let mut network = network?;
        if let Some(contradiction) = contradiction(&anchors, &network) {
            return Err(AuditError::Contradiction(contradiction));
        }
        for anchor in &anchors {
            if let Anchor::Nonce { epoch, nonce } = *anchor {
                network.set_known_nonce(epoch, nonce);
            }
        }
        for (&epoch, of) in ledger.iter().flat_map(|ledger| &ledger.stake) {
            if stake.insert(epoch, of.clone()).is_some() {
                return Err(AuditError::StakeTwice { epoch });
            }
        }
        let mut judge = Judge::new(&checks, network.clone())?;
        if !stake.is_empty() {
            judge = judge.stake(&stake);
        }

        let needs_nonces = checks.contains(&Check::Vrf) && !network.has_known_nonces();
        let start = match &state {
            Some((file, Some(state))) => {
                let fits = state.check(&network, &checks);
                fits.map_err(|why| refused(&file.path, why))?;
                Start::After(Box::new(Resume {
                    last: state.last.clone(),
                    nonces: state.nonces.clone(),
                }))
            }
            None if !needs_nonces => Start::Anywhere,
            _ => Start::Genesis,
        };
        let dir = match &source {
            Source::Files(db) => Some(db.dir().to_owned()),
            Source::Blocks(_) => None,
        };
        let wanted = Wanted {
            bodies: checks.contains(&Check::Bodies),
            signatures: checks.contains(&Check::Kes) || checks.contains(&Check::Certificates),
        };
        let walk = Walk::reading(source, network.clone(), start, wanted, read_ahead);
        let walk = walk.map_err(|error| match (&state, error) {
            (Some((file, _)), WalkError::Resume(why)) => {
                let hint = "if the database is right, begin a new state file";
                refused(&file.path, format!("{why}; {hint}"))
            }
            (_, error) => AuditError::Walk(error),
        })?;

        let (saved, state) = state.unzip();
        let state = state.flatten();
        let tip = state.as_ref().map(|state| state.last.clone());
        let (origin, counters) = match (&tip, walk.has_nonces()) {
            (Some(last), _) => (Origin::After(last.clone()), Counters::since_first_block()),
            (None, true) => (Origin::Genesis, Counters::since_first_block()),
            (None, false) => (Origin::Anywhere, Counters::since_any_block()),
        };
        let total_sources = stake.iter();
        let total_sources = total_sources.map(|(epoch, of)| (*epoch, of.total_source()));
        let report = Report {
            tip,
            anchors: anchors
                .into_iter()
                .map(|anchor| (anchor, Met::NotReached))
                .collect(),
            ledger: ledger.map(|state| Ledger::new(*state)),
            requires_anchor,
            stakes: total_sources.collect(),
            state: saved,
            ..Report::new(network, checks, origin)
        };
        let mut tally = Tally::new(report, counters);
        if let Some(state) = state {
            tally.go_on_from(state);
        }
        run(walk, judge, tally, dir.as_deref(), observer)
    }
}

/// Reads chunks on all threads, ahead of the walk.
fn read_ahead(chunks: Chunks<'_>) -> impl Iterator<Item = ReadChunk> + Send {
    let queue = Queue::new(UnreadChunk::read).within(MEMORY, UnreadChunk::memory);
    ordered(chunks, queue)
}
