//! Sets up and starts an audit: its source, its checks, and the facts to compare the chain with.

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

/// An audit that has not run yet. It reads a node's database, or blocks from another source.
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
/// // Compares the chain with facts from elsewhere, and saves a state for the next audit.
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
    /// The network that the caller set, or the one that was detected from the files of the database.
    network: Result<Network, NetworkError>,
    checks: BTreeSet<Check>,
    anchors: BTreeSet<Anchor>,
    requires_anchor: bool,
    stake: BTreeMap<u64, Distribution>,
    ledger: Option<Box<LedgerState>>,
    /// The state file, and the state that was read from it, if it existed.
    state: Option<(Saved, Option<State>)>,
}

impl<'a> Audit<'a> {
    /// Sets up an audit of the database in `dir`. `dir` is either the directory of the chunk files, or the
    /// database directory of a node, which has the chunk files in `immutable`.
    ///
    /// # Errors
    /// [`AuditError::Open`], if `dir` is no such directory, or it or its `protocolMagicId` cannot be read.
    pub fn new(dir: &Path) -> Result<Self, AuditError> {
        let db = Immutable::open(dir)?;
        Ok(Self::of(db.into(), Network::detect(dir)))
    }

    /// Sets up an audit of blocks from an iterator over another store, an archive or a connection, in the
    /// order of the chain. Each item is one block as a node stores it, the CBOR `[era tag, block]`.
    ///
    /// The checks and findings are the same as for a node's files, except that an iterator has no CRC-32s,
    /// indexes or half-written blocks, and so no findings about them.
    ///
    /// * **Damage.** An item that is not exactly one block is a fault. If the header can be used and bodies
    ///   are checked, the fault is [`BodyHash`](klero_cardano::Fault::BodyHash). Otherwise it is
    ///   [`Unreadable`](klero_cardano::Fault::Unreadable) or `BadHeader`. The audit continues with the next
    ///   block. A finding has the number of the block in the iterator, from 0 on
    ///   ([`Location::item`](klero_cardano::Location::item)), and the slot of the block.
    /// * **Errors.** The first error of the iterator ends the chain, and a note gives the reason. The report
    ///   covers everything before the error. Its [`outcome`](Report::outcome) is
    ///   [`NotAllRead`](crate::Outcome::NotAllRead) at best.
    /// * **Beginning.** The iterator begins with the first block of the chain. With a state file
    ///   ([`state`](Self::state)), it may also begin with a later block, but not after the block that follows
    ///   the state's last block. Without a state file, it may begin with any block if nonces are known
    ///   ([`Network::has_known_nonces`]), as for the public networks, or if no nonces are needed.
    /// * **Memory** is bounded, however many blocks there are and however long they are. The iterator is
    ///   called on the thread that calls [`run`](Self::run), and is some mebibytes ahead of verification. The
    ///   observer is not called while the audit waits for a block.
    ///
    /// An iterator that cannot fail gives `Ok::<_, Infallible>`. An iterator that cannot be sent to another
    /// thread can feed a channel, and the audit then reads from the channel's receiver.
    ///
    /// ```
    /// use std::io;
    /// use std::ops::ControlFlow;
    ///
    /// use klero_audit::{Audit, Outcome};
    /// use klero_cardano::Network;
    ///
    /// // The connection fails before the first block.
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

    /// Sets up an audit of the source with every check and without anchors.
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

    /// Sets the network. Without this call, [`Network::detect`] detects it from the files of the database.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Ok(network);
        self
    }

    /// Makes only these checks, and the checks that are always made ([`Check`]). The default is
    /// [`Check::ALL`]. Without [`Check::Vrf`], no nonce is needed. The database may then begin anywhere,
    /// unless there is a [`state`](Self::state) file.
    #[must_use]
    pub fn only(mut self, checks: impl IntoIterator<Item = Check>) -> Self {
        self.checks = checks.into_iter().collect();
        self
    }

    /// Compares the chain with these anchors, which the caller knows from elsewhere. A contradiction is a
    /// finding: [`Fault::ExpectedBlock`](klero_cardano::Fault::ExpectedBlock) or
    /// [`Fault::EpochNonce`](klero_cardano::Fault::EpochNonce). There may be any number of anchors, in any
    /// order, in one call or in several.
    ///
    /// * The block of an [`Anchor::Block`] or an [`Anchor::Tip`] must be reached. If the audit ends before
    ///   the block or begins after it, the outcome is [`NotAllChecked`](crate::Outcome::NotAllChecked) at
    ///   best. A state file remembers the blocks that were found.
    /// * An [`Anchor::Number`] or an [`Anchor::Nonce`] has no effect if the chain has no such block or epoch.
    ///   So a list of these anchors may be longer than the chain.
    /// * If the chain has an expected block, all headers before that block belong to the network. If an
    ///   expected nonce equals the nonce computed from the chain, then the headers on which this nonce
    ///   depends belong to the network ([`Report::tied`]).
    /// * If the nonce computed from the chain is in doubt, the expected nonce replaces it, beginning with the
    ///   first proof that is valid for the expected nonce. An expected nonce must not contradict a known one.
    ///
    /// If any nonce is known, from an anchor or from the network, the blocks may begin anywhere, unless there
    /// is a [`state`](Self::state) file. If they begin after the first block of the chain, no nonces are
    /// computed, and the proofs of epochs without a known nonce are not verified.
    #[must_use]
    pub fn expect(mut self, anchors: impl IntoIterator<Item = Anchor>) -> Self {
        self.anchors.extend(anchors);
        self
    }

    /// Requires evidence that the chain, at least up to some block, belongs to its network. The evidence is a
    /// known epoch nonce or an expected block ([`Report::is_anchored`]). Without it, the outcome is
    /// [`Outcome::NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    #[must_use]
    pub fn require_anchor(mut self) -> Self {
        self.requires_anchor = true;
        self
    }

    /// Sets the stake of some epochs. The audit then also checks that the maker of each block had the right
    /// to lead ([`HeaderCheck::stake`](crate::HeaderCheck::stake)), and that each pool has one VRF key in an
    /// epoch. If neither stake nor the turns of genesis delegates decide about a maker, the block is counted
    /// as not judged. These checks are part of [`Check::Vrf`].
    ///
    /// A state file counts the blocks whose makers had the right to lead. After a block whose maker had no
    /// such right, the audit saves no more states.
    #[must_use]
    pub fn stake(mut self, stake: BTreeMap<u64, Distribution>) -> Self {
        self.stake = stake;
        self
    }

    /// Checks the right to lead, as [`stake`](Self::stake) does, in the epoch of a node's ledger state and in
    /// the next epoch, by the stake in that state ([`LedgerState::stake`]). Also compares the chain with the
    /// last block of the state and with the five nonces after that block. Each difference is a
    /// [`Fault::LedgerState`](klero_cardano::Fault::LedgerState).
    ///
    /// Nonces are not compared if the audit computes none, or if they are in doubt ([`Report::ledger`]). If
    /// the audit ends before the state's last block or begins after it, the outcome is
    /// [`NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    ///
    /// [`run`](Self::run) fails if [`stake`](Self::stake) also gives the stake of one of these epochs.
    #[must_use]
    pub fn ledger(mut self, state: LedgerState) -> Self {
        self.ledger = Some(Box::new(state));
        self
    }

    /// Starts after the last block of the state in the file at `path`, if the file exists. Each time an epoch
    /// has ended, writes the state at its end to the file, if the chain is clean up to and including the
    /// first block of the next epoch. Clean means that nothing but warnings was found, everything was read,
    /// and every check was made. So the state is always before the first fault, which each audit finds until
    /// it is repaired. This call already tests whether the file can be written.
    ///
    /// # Errors
    /// [`AuditError::State`], if the file cannot be read or written, or is not a state.
    pub fn state(mut self, path: &Path) -> Result<Self, AuditError> {
        self.state = Some(Saved::open(path)?);
        Ok(self)
    }

    /// Runs the audit on all threads of the current rayon pool. `observer` is called on the thread that calls
    /// `run`, and can end the audit early.
    ///
    /// # Errors
    /// [`AuditError`], if the audit cannot start or the observer aborted it. An invalid chain is not an
    /// error, and neither is a state file that can no longer be written: the report shows both.
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

/// Reads chunks on all threads, ahead of the [`Walk`].
fn read_ahead(chunks: Chunks<'_>) -> impl Iterator<Item = ReadChunk> + Send {
    let queue = Queue::new(UnreadChunk::read).within(MEMORY, UnreadChunk::memory);
    ordered(chunks, queue)
}
