//! An audit: what it is to check, and by what.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use klero_cardano::{Blocks, Immutable, LedgerState, Network, Source};
use klero_leader::Distribution;

use crate::anchor::Anchor;
use crate::check::Check;
use crate::error::AuditError;
use crate::observer::Observer;
use crate::plan::{Plan, Whence};
use crate::progress::{Progress, Stop};
use crate::report::Report;
use crate::state::StateFile;

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
/// let tip = forged.tip.unwrap();
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
pub struct Audit<'a>(Plan<'a>);

impl<'a> Audit<'a> {
    /// An audit of the database in `dir`, the directory of the chunk files or the node's
    /// database directory that has them in `immutable`.
    ///
    /// # Errors
    /// [`AuditError::Open`].
    pub fn new(dir: &Path) -> Result<Self, AuditError> {
        let db = Immutable::open(dir)?;
        Ok(Self::of(db, Whence::Files(dir.to_owned())))
    }

    /// An audit of the blocks of an iterator, in the order of the chain: from another store, an
    /// archive, a connection. Each is as a node stores it, the CBOR `[era tag, block]`, and alone.
    ///
    /// What is checked and found is the same as in a node's files, except for what only files
    /// have: CRC-32s, indexes, and a block that a node is writing.
    ///
    /// * **Damage.** Bytes that are not one whole block are a fault: of the body
    ///   ([`BodyHash`](klero_cardano::Fault::BodyHash)), if the header can be used, or else
    ///   [`Unreadable`](klero_cardano::Fault::Unreadable). The audit goes on with the next block.
    ///   Findings name blocks by their numbers in the iterator, from 0 on
    ///   ([`Location::item`](klero_cardano::Location::item)), and their slots.
    /// * **Errors.** The first error of the iterator ends the chain there, with a note that gives
    ///   the reason. Everything before it is in the report, whose
    ///   [`outcome`](Report::outcome) is [`NotAllRead`](crate::Outcome::NotAllRead) at best.
    /// * **Where it begins.** With the first block of the chain; with the block of the state file
    ///   ([`state`](Self::state)), any one before it or the one after it; or anywhere, if nonces
    ///   are known ([`Network::has_known_nonces`]), as those of the public networks are.
    /// * **Memory** is bounded, however many blocks there are and however long they are. The
    ///   iterator is called on the thread that calls [`run`](Self::run), some mebibytes ahead of what
    ///   is verified. An observer is not called while a block is waited for.
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
        Self::of(Blocks::new(blocks), Whence::Caller(Box::new(network)))
    }

    fn of(source: impl Into<Source<'a>>, network: Whence) -> Self {
        Self(Plan::new(source.into(), network))
    }

    /// Sets the network. Without it, [`Network::detect`] looks for it in the files of the
    /// database.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.0.network = Whence::Caller(Box::new(network));
        self
    }

    /// Makes only these checks, and those of links, numbers, slots, eras, nonces and CRC-32s, on
    /// which they stand. Without it, all of [`Check::ALL`]. Without [`Check::Vrf`] no nonce is needed, so
    /// that the database may begin anywhere.
    #[must_use]
    pub fn only(mut self, checks: impl IntoIterator<Item = Check>) -> Self {
        self.0.checks = checks.into_iter().collect();
        self
    }

    /// Compares the chain with what the caller knows from elsewhere. A chain that says something else is a
    /// finding: [`Fault::ExpectedBlock`](klero_cardano::Fault::ExpectedBlock) or
    /// [`Fault::EpochNonce`](klero_cardano::Fault::EpochNonce). Can be called for any number of anchors,
    /// in any order.
    ///
    /// * An [`Anchor::Block`] and an [`Anchor::Tip`] must be met. If the audit ends before one or begins
    ///   after it, the outcome is [`NotAllChecked`](crate::Outcome::NotAllChecked) at best. A state file
    ///   remembers the blocks that were met.
    /// * An [`Anchor::Number`] and an [`Anchor::Nonce`] say nothing where the chain has no such block or
    ///   epoch, so that lists of them can be longer than the chain.
    /// * A block that is met ties all headers before it to the network, and a nonce those on which it
    ///   depends, if it is computed ([`Report::tied`]).
    /// * A nonce stands in for the one that the chain makes where that one is in doubt, from the first proof
    ///   on that is valid by it. It cannot contradict a built-in one.
    ///
    /// Where nonces are known, these or others, the blocks may begin anywhere, if there is no
    /// [`state`](Self::state) file. Then no nonces are computed, and the proofs of epochs without a
    /// known one are not verified.
    #[must_use]
    pub fn expect(mut self, anchors: impl IntoIterator<Item = Anchor>) -> Self {
        self.0.anchors.extend(anchors);
        self
    }

    /// Requires that something outside of the database shows the chain to be that of its network, up
    /// to some block ([`Report::is_anchored`]): a known epoch nonce or a block ([`expect`](Self::expect)).
    /// Otherwise the outcome is [`Outcome::NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    #[must_use]
    pub fn require_anchor(mut self) -> Self {
        self.0.requires_anchor = true;
        self
    }

    /// Checks also who may lead, by the stake of these epochs: see
    /// [`HeaderCheck::stake`](crate::HeaderCheck::stake); and that a pool has one VRF key in an epoch,
    /// where the stake comes without VRF keys. Blocks of other epochs are counted as not judged. It
    /// belongs to [`Check::Vrf`].
    ///
    /// A state file counts the blocks whose makers may lead, and passes no epoch with one whose maker may not.
    #[must_use]
    pub fn stake(mut self, stake: BTreeMap<u64, Distribution>) -> Self {
        self.0.stake = stake;
        self
    }

    /// Checks who may lead by the stake in a node's ledger state, in its epoch and the next
    /// ([`LedgerState::stake`]), as [`stake`](Self::stake) does; and compares the
    /// state with the chain: its last block, and the five nonces after it. Each difference is a
    /// [`Fault::LedgerState`](klero_cardano::Fault::LedgerState).
    ///
    /// Nonces are not compared in an audit that begins anywhere, nor where they are in doubt
    /// ([`Report::ledger`]). If
    /// the audit ends before the state's last block or begins after it, the outcome is
    /// [`NotAllChecked`](crate::Outcome::NotAllChecked) at best.
    ///
    /// An epoch whose stake is given by [`stake`](Self::stake) as well is an error of
    /// [`run`](Self::run).
    #[must_use]
    pub fn ledger(mut self, state: LedgerState) -> Self {
        self.0.ledger = Some(Box::new(state));
        self
    }

    /// Starts after the block that the state file at `path` names, if the file exists, and saves there the
    /// end of the last epoch up to which all is clean: nothing but warnings was found, everything was read,
    /// and every check was made; of its blocks, and of the first one after it. A file is written each time
    /// that an epoch ends so. What is wrong is found again by each audit, as long as it is there. Tests at
    /// once whether the file can be written.
    ///
    /// # Errors
    /// [`AuditError::State`].
    pub fn state(mut self, path: &Path) -> Result<Self, AuditError> {
        self.0.state = Some(Box::new(StateFile::open(path)?));
        Ok(self)
    }

    /// Runs the audit on all threads of the current rayon pool. `observer` is called on this
    /// thread, and can end the audit early.
    ///
    /// # Errors
    /// [`AuditError`]: the audit cannot start, or the observer aborted it. A chain that is
    /// invalid, or a state file that cannot be written any more, is in the report.
    pub fn run(
        self,
        mut observer: impl FnMut(Progress<'_>) -> ControlFlow<Stop>,
    ) -> Result<Report, AuditError> {
        self.0.start()?.run(&mut Observer::new(&mut observer))
    }
}
