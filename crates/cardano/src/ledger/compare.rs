//! A ledger state beside the chain: everything that headers fix as well.

use std::collections::{BTreeMap, BTreeSet};

use pallas_crypto::hash::Hash;

use crate::chain::counters::Counters;
use crate::chain::nonce::NonceState;
use crate::finding::{Fact, Fault};
use crate::ledger::blocks::BlocksMade;
use crate::ledger::state::LedgerState;
use crate::walk::{LastBlock, SavedState};

/// The facts that the headers of a chain fix after some block. Unknown ones are not compared.
#[derive(Clone, Debug)]
pub struct ChainState<'a> {
    /// The last block.
    pub last: LastBlock,
    /// Its epoch, and the nonces after it.
    pub nonces: Option<&'a NonceState>,
    /// The certificate counters.
    pub counters: Option<&'a Counters>,
    /// The blocks that pools have made.
    pub blocks: Option<&'a BlocksMade>,
}

impl<'a> From<&'a SavedState> for ChainState<'a> {
    fn from(saved: &'a SavedState) -> Self {
        Self {
            last: saved.last.clone(),
            nonces: Some(&saved.nonces),
            counters: None,
            blocks: None,
        }
    }
}

/// What was found so far.
struct Differences(Vec<Fault>);

impl Differences {
    fn compare<T: PartialEq + ToString>(&mut self, what: Fact, ledger: T, chain: T) {
        if ledger != chain {
            self.0.push(Fault::LedgerState {
                what,
                ledger: ledger.to_string(),
                chain: chain.to_string(),
            });
        }
    }
}

impl LedgerState {
    /// Compares everything that headers fix with the chain after the same block. If the last block
    /// is another one, nothing else is compared.
    ///
    /// Nonces that are in doubt ([`Doubt`](crate::Doubt)) are compared as they are.
    ///
    /// ```
    /// use klero_cardano::{ChainState, Fact, Fault, LedgerState, Nonce, NonceState};
    /// let state = LedgerState::load("testdata/ledger.state".as_ref())?;
    /// let mut nonces: NonceState = state.nonces.clone(); // in earnest, those of a walk
    /// nonces.eta0 = Nonce::Neutral;
    /// let chain = ChainState {
    ///     last: state.last.clone(),
    ///     nonces: Some(&nonces),
    ///     counters: None,
    ///     blocks: None,
    /// };
    /// let differences = state.compare(&chain);
    /// let [Fault::LedgerState { what, chain, .. }] = &differences[..] else {
    ///     panic!("{differences:?}");
    /// };
    /// assert_eq!((*what, &chain[..]), (Fact::EpochNonce, "neutral"));
    /// # Ok::<(), klero_cardano::LedgerError>(())
    /// ```
    #[must_use]
    pub fn compare(&self, chain: &ChainState<'_>) -> Vec<Fault> {
        let mut found = Differences(Vec::new());
        let (ours, theirs) = (&self.last, &chain.last);
        found.compare(Fact::Slot, ours.slot, theirs.slot);
        found.compare(Fact::Number, ours.number, theirs.number);
        found.compare(Fact::Hash, ours.hash, theirs.hash);
        found.compare(Fact::Era, ours.era, theirs.era);
        if !found.0.is_empty() {
            return found.0;
        }
        if let Some(nonces) = chain.nonces {
            self.compare_nonces(nonces, &mut found);
        }
        if let Some(counters) = chain.counters {
            self.compare_counters(counters, &mut found);
        }
        if let Some(blocks) = chain.blocks {
            self.compare_blocks(blocks, &mut found);
        }
        found.0
    }

    fn compare_nonces(&self, chain: &NonceState, found: &mut Differences) {
        let ours = &self.nonces;
        found.compare(Fact::Epoch, ours.epoch, chain.epoch);
        for (fact, ledger, chain) in [
            (Fact::EpochNonce, ours.eta0, chain.eta0),
            (Fact::EvolvingNonce, ours.eta_v, chain.eta_v),
            (Fact::CandidateNonce, ours.eta_c, chain.eta_c),
            (Fact::LastEpochBlockNonce, ours.eta_h, chain.eta_h),
            (Fact::LabNonce, ours.lab, chain.lab),
        ] {
            found.compare(fact, ledger, chain);
        }
    }

    /// An issuer without a block has number 0, whether it is listed or not: a node lists the
    /// delegates of the genesis file from the start. If counters do not begin with the first block,
    /// they may lack issuers.
    fn compare_counters(&self, counters: &Counters, found: &mut Differences) {
        let chain: BTreeMap<Hash<28>, u64> = counters.iter().collect();
        let issuers: BTreeSet<_> = self.counters.keys().chain(chain.keys()).collect();
        for issuer in issuers {
            let (ours, theirs) = (self.counters.get(issuer), chain.get(issuer));
            let may_lack = match (ours, theirs) {
                (Some(number), None) => *number == 0 || !counters.is_complete(),
                _ => false,
            };
            if !may_lack {
                let text = |n: Option<&u64>| n.map_or("none".into(), u64::to_string);
                found.compare(Fact::Counter(*issuer), text(ours), text(theirs));
            }
        }
    }

    fn compare_blocks(&self, blocks: &BlocksMade, found: &mut Differences) {
        let epoch = self.nonces.epoch;
        let before = epoch.checked_sub(1).map(|e| (e, &self.blocks_before));
        for (epoch, ours) in before.into_iter().chain([(epoch, &self.blocks)]) {
            let Some(theirs) = blocks.of(epoch) else {
                continue;
            };
            let pools: BTreeSet<_> = ours.keys().chain(theirs.keys()).copied().collect();
            for pool in pools {
                let made = |by: &BTreeMap<_, u64>| by.get(&pool).copied().unwrap_or(0);
                found.compare(Fact::Blocks { epoch, pool }, made(ours), made(theirs));
            }
        }
    }
}
