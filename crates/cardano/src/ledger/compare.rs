//! A ledger state beside the chain: its last block and the five nonces after it, which headers fix as well.

use crate::chain::nonce::NonceState;
use crate::finding::{Fact, Fault};
use crate::ledger::state::LedgerState;
use crate::walk::LastBlock;

impl LedgerState {
    /// Compares the last block with that of a chain, and the nonces after it, if they are known. If the
    /// block is another one, no nonce is compared.
    ///
    /// Nonces are compared as they are, whatever was found before the block.
    ///
    /// ```
    /// use klero_cardano::{Fact, Fault, LedgerState, Nonce};
    /// let state = LedgerState::load("testdata/ledger.state".as_ref())?;
    /// let mut nonces = state.nonces.clone(); // in earnest, those of a walk
    /// nonces.eta0 = Nonce::Neutral;
    /// let differences = state.compare(&state.last, Some(&nonces));
    /// let [Fault::LedgerState { what, chain, .. }] = &differences[..] else {
    ///     panic!("{differences:?}");
    /// };
    /// assert_eq!((*what, &chain[..]), (Fact::EpochNonce, "neutral"));
    /// # Ok::<(), klero_cardano::LedgerError>(())
    /// ```
    #[must_use]
    pub fn compare(&self, last: &LastBlock, nonces: Option<&NonceState>) -> Vec<Fault> {
        let mut found = Vec::new();
        let ours = &self.last;
        compare(&mut found, Fact::Slot, ours.slot, last.slot);
        compare(&mut found, Fact::Number, ours.number, last.number);
        compare(&mut found, Fact::Hash, ours.hash, last.hash);
        compare(&mut found, Fact::Era, ours.era, last.era);
        let Some(chain) = nonces.filter(|_| found.is_empty()) else {
            return found;
        };
        let ours = &self.nonces;
        compare(&mut found, Fact::Epoch, ours.epoch, chain.epoch);
        for (what, ledger, chain) in [
            (Fact::EpochNonce, ours.eta0, chain.eta0),
            (Fact::EvolvingNonce, ours.eta_v, chain.eta_v),
            (Fact::CandidateNonce, ours.eta_c, chain.eta_c),
            (Fact::LastEpochBlockNonce, ours.eta_h, chain.eta_h),
            (Fact::LabNonce, ours.lab, chain.lab),
        ] {
            compare(&mut found, what, ledger, chain);
        }
        found
    }
}

fn compare<T: PartialEq + ToString>(found: &mut Vec<Fault>, what: Fact, ledger: T, chain: T) {
    if ledger != chain {
        found.push(Fault::LedgerState {
            what,
            ledger: ledger.to_string(),
            chain: chain.to_string(),
        });
    }
}
