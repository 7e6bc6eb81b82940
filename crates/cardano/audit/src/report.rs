//! The report of an audit: its findings, its counts and its outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use klero_cardano::{Era, LastBlock, Network, Nonce, Severity};
use klero_leader::TotalSource;

use crate::anchor::{Anchor, Met};
use crate::check::Check;
use crate::counts::Counts;
use crate::leaders::Lead;
use crate::ledger::Ledger;
use crate::state::Saved;

/// The result of an audit.
#[must_use = "what the audit found is in the report"]
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The network.
    pub network: Network,
    /// The point where the audit started.
    pub origin: Origin,
    /// The results for every epoch that has a block.
    pub epochs: BTreeMap<u64, Epoch>,
    /// The counts of all epochs together.
    pub totals: Counts,
    /// The number of findings for each name of a fault ([`Fault::name`](klero_cardano::Fault::name)),
    /// including warnings and notes.
    pub found: BTreeMap<&'static str, u64>,
    /// The number of faults in each epoch, without warnings and notes. A fault whose epoch is unknown is
    /// counted in the epoch of its chunk's first slot.
    pub faults_by_epoch: BTreeMap<u64, u64>,
    /// The epochs whose stake was given, by [`Audit::stake`](crate::Audit::stake) or in a ledger state, each
    /// with the source of its total stake.
    pub stakes: BTreeMap<u64, TotalSource>,
    /// The last block that was read, by this audit or by earlier ones with the same state file.
    pub tip: Option<LastBlock>,
    /// The number of bytes of the chunk files, or of the iterator's items, that no checked block contains. It
    /// is a lower bound if [`unread_files`](Self::unread_files) is true.
    pub unread_bytes: u64,
    /// True if a chunk file could not be read, or not completely, or if the iterator of blocks failed.
    pub unread_files: bool,
    /// True if the newest chunk ends with the first part of a block.
    pub half_written: bool,
    /// True if something was not read, apart from a half-written block.
    pub incomplete: bool,
    /// True if the observer ended the audit by [`Stop::Interrupt`](crate::Stop::Interrupt).
    pub interrupted: bool,
    /// The checks that were made.
    pub checks: BTreeSet<Check>,
    /// The slot up to which a known epoch nonce ([`Network::known_nonce`]) or an expected block
    /// ([`anchors`](Self::anchors)) shows that the chain belongs to the network. An earlier audit with the
    /// same state file may have shown this. `None` if nothing shows it. The chain may then be forged from the
    /// first block on, even if it is consistent with itself.
    ///
    /// A nonce shows this only if it is computed from the chain. The known nonces are public, so anyone can
    /// forge the later part of a chain with proofs that are valid for these nonces.
    pub tied: Option<u64>,
    /// True if headers were lost or altered. Blocks after them then show nothing about blocks before them.
    pub links_broken: bool,
    /// The anchors of the caller ([`Audit::expect`](crate::Audit::expect)), sorted, each with the result of
    /// its comparison with the chain.
    pub anchors: Vec<(Anchor, Met)>,
    /// The ledger state that the caller gave ([`Audit::ledger`](crate::Audit::ledger)), with the result of
    /// its comparison with the chain.
    pub ledger: Option<Ledger>,
    /// True if the caller requires evidence that the chain belongs to its network
    /// ([`Audit::require_anchor`](crate::Audit::require_anchor)).
    pub requires_anchor: bool,
    /// The state file, if there is one.
    pub state: Option<Saved>,
    /// The times that the audit took.
    pub times: Times,
}

/// The point where an audit starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At the first block of the chain.
    Genesis,
    /// After this block, which is the last block of the state in a state file.
    After(LastBlock),
    /// At a block that is not the first of the chain. The nonces, if there are any, are known from elsewhere.
    Anywhere,
}

/// The results for an epoch.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Epoch {
    /// The eras of the epoch's blocks.
    pub eras: BTreeSet<Era>,
    /// The nonce that counts for the proofs of the epoch, if one counts.
    pub nonce: Option<Nonce>,
    /// The slot of the first invalid proof or other fault that casts doubt on the epoch's nonce, if proofs of
    /// the epoch could not be judged because of this doubt.
    pub unverifiable_since: Option<u64>,
    /// The number of unverifiable proofs that no fault of the chain explains. If there are any, the given
    /// nonce or the genesis file is wrong.
    pub unexplained: u64,
    /// The counts of the epoch.
    pub counts: Counts,
    /// Up to five leads with the narrowest margins, the narrowest first. These margins can reveal slightly
    /// wrong stake before a block fails.
    pub narrowest: Vec<Lead>,
}

/// The maximum number of leads in [`Epoch::narrowest`].
const NARROWEST: usize = 5;

impl Epoch {
    /// Adds the lead of a pool.
    pub(crate) fn led(&mut self, lead: Lead) {
        let wider = |other: &Lead| other.margin >= lead.margin;
        let place = self.narrowest.partition_point(wider);
        if place < NARROWEST {
            self.narrowest.insert(place, lead);
            self.narrowest.truncate(NARROWEST);
        }
    }
}

/// The time that an audit took. Reading and verifying overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The time from start to end.
    pub all: Duration,
    /// The time of the walk on its thread. This includes waits for chunks, which all threads read.
    pub reading: Duration,
    /// The sum of the times that all threads spend on verifying.
    pub verifying: Duration,
}

/// The outcome of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that is checked is valid, and there is at least one block. Certificate numbers may lack a
    /// verdict if their issuers are not known yet.
    AllValid,
    /// There is a fault.
    SomeInvalid,
    /// Nothing is invalid, but not everything could be read.
    NotAllRead,
    /// Nothing is invalid, but not everything could be checked, for one of these reasons: there is no block;
    /// a nonce is unknown or in doubt; an expected block or the last block of the ledger state was not
    /// reached; nothing shows that the chain belongs to its network, although this is required; there are
    /// blocks of an era whose headers can still change.
    NotAllChecked,
    /// The audit was interrupted. What it found until then is in the report.
    Interrupted,
}

/// The number of failing proofs above which the nonce of an epoch without valid proofs is suspect.
const INVALID_OF_WRONG_NONCE: u64 = 10;

impl Report {
    /// Creates the report of an audit that makes these checks, before anything is found.
    pub(crate) fn new(network: Network, checks: BTreeSet<Check>, origin: Origin) -> Self {
        Self {
            network,
            origin,
            checks,
            epochs: BTreeMap::new(),
            totals: Counts::default(),
            found: BTreeMap::new(),
            faults_by_epoch: BTreeMap::new(),
            stakes: BTreeMap::new(),
            tip: None,
            unread_bytes: 0,
            unread_files: false,
            half_written: false,
            incomplete: false,
            interrupted: false,
            tied: None,
            links_broken: false,
            anchors: Vec::new(),
            ledger: None,
            requires_anchor: false,
            state: None,
            times: Times::default(),
        }
    }

    /// The outcome of this audit.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let totals = &self.totals;
        let is_wrong = self.faults().next().is_some() || totals.all_invalid() > 0;
        if self.interrupted {
            Outcome::Interrupted
        } else if is_wrong {
            Outcome::SomeInvalid
        } else if self.incomplete {
            Outcome::NotAllRead
        } else if totals.valid < totals.proofs
            || self.is_empty()
            || self.lacks_comparison()
            || (self.requires_anchor && !self.is_anchored())
            || self.is_experimental()
        {
            Outcome::NotAllChecked
        } else {
            Outcome::AllValid
        }
    }

    /// The name and the count of each fault that was found, without warnings and notes.
    pub fn faults(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let found = self.found.iter().map(|(name, count)| (*name, *count));
        found.filter(|(name, _)| Severity::of(name) == Severity::Fault)
    }

    /// True if the chain has blocks of Dijkstra, an era whose headers can still change
    /// ([`Era::is_experimental`]). Blocks of earlier audits with the same state file count as well.
    #[must_use]
    pub fn is_experimental(&self) -> bool {
        let eras = self.epochs.values().flat_map(|epoch| &epoch.eras);
        let tip = self.tip.as_ref().map(|tip| &tip.era);
        eras.chain(tip).any(|era| era.is_experimental())
    }

    /// True if something outside of the database shows that the chain belongs to the network, up to some
    /// block ([`tied`](Self::tied)), and no comparison with a known nonce or an expected block failed.
    #[must_use]
    pub fn is_anchored(&self) -> bool {
        !self.is_another() && !self.found.contains_key("expected-block") && self.tied.is_some()
    }

    /// True if a known nonce or a checkpoint contradicts the chain. Then the chain does not belong to the
    /// network. A missing expected block is no such contradiction, because that block may just be lost.
    #[must_use]
    pub fn is_another(&self) -> bool {
        let is_other = |(anchor, met): &(Anchor, Met)| {
            *met == Met::No && matches!(anchor, Anchor::Number { .. })
        };
        self.found.contains_key("epoch-nonce") || self.anchors.iter().any(is_other)
    }

    /// True if an expected block, or the last block of the ledger state, was not reached.
    fn lacks_comparison(&self) -> bool {
        let ledger = self.ledger.as_ref().map(|ledger| ledger.met);
        let is_lacking =
            |(anchor, met): &(Anchor, Met)| *met == Met::NotReached && anchor.must_be_met();
        ledger == Some(Met::NotReached) || self.anchors.iter().any(is_lacking)
    }

    /// True if there was no block at all, in this audit or in earlier ones with the same state file.
    pub fn is_empty(&self) -> bool {
        let saved = self.state.as_ref();
        self.totals.blocks == 0 && saved.is_none_or(|saved| saved.after.is_none())
    }

    /// The epochs with more than ten failing proofs and no valid proof. Probably the nonce used for such an
    /// epoch is wrong. An unverifiable proof counts as failing if no fault of the chain explains it.
    pub fn suspect_nonces(&self) -> impl Iterator<Item = u64> {
        let suspect = |epoch: &Epoch| {
            let failing = epoch.counts.invalid + epoch.unexplained;
            failing > INVALID_OF_WRONG_NONCE && epoch.counts.valid == 0
        };
        let epochs = self.epochs.iter();
        epochs.filter_map(move |(number, epoch)| suspect(epoch).then_some(*number))
    }

    /// The number of blocks read per second.
    pub fn blocks_per_second(&self) -> u64 {
        self.per_second(self.totals.blocks)
    }

    /// The number of proofs verified per second.
    pub fn proofs_per_second(&self) -> u64 {
        self.per_second(self.totals.valid + self.totals.invalid)
    }

    fn per_second(&self, n: u64) -> u64 {
        (n as f64 / self.times.all.as_secs_f64().max(1e-9)) as u64
    }
}
