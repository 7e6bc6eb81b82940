//! The nonces that can be relied on, block by block.
//!
//! A header that is lost, altered or invented may make all later nonces wrong, and a proof may fail because
//! its nonce is wrong. But a proof that was made for one nonce is valid for no other. So (a *run* is a row of
//! blocks, each linked to the one before):
//!
//! 1. **Which nonce.** A proof is checked with the built-in nonce of its epoch; without one, with the nonce
//!    that the chain makes; without that, with one that was given. If the chain's does not count and another
//!    was given, the given one is tried.
//! 2. **When a nonce counts.** A built-in nonce always counts. Any other counts from the first proof that is
//!    valid by it until the run or the epoch ends; the chain's nonce already from the first block of the
//!    epoch, if nothing is in doubt there and the first epoch of Conway is known. Where no nonce counts,
//!    proofs are unverifiable, never invalid.
//! 3. **When doubt begins.** At a header that may be lost or altered, at a block that is not linked, and at a
//!    failing proof of an output that enters the nonces.
//! 4. **When doubt ends.** When the chain's nonce is shown to be right, by a valid proof or because it is the
//!    built-in one, and a block after the last cause of doubt moved the candidate that the nonce was made of.
//! 5. **Comparison.** If nothing is in doubt and the chain's nonce is not the known one, that is a finding.
//!
//! `docs/rules.md` says why this calls no honest proof invalid, whatever is wrong elsewhere.

use klero::{Suite, Verifier};
use klero_cardano::{Block, Era, Fault, Network, Nonce};

use crate::judge::{Verdict, judge_claims};

/// The nonces of an audit, up to the last block that was entered.
#[derive(Default)]
pub(crate) struct Nonces {
    /// The last epoch that was entered.
    epoch: Option<u64>,
    /// An epoch, and the nonce that counts for it in this run, if that is not built in. After an epoch that
    /// was lost, the chain can make the nonce of one epoch for another.
    shown: Option<(u64, Nonce)>,
    /// True while the nonces that the chain makes may be wrong.
    in_doubt: bool,
    /// The slot of the first thing wrong that is not yet shown to be harmless. A proof that fails by a nonce
    /// that does not count is not known to be wrong.
    since: Option<u64>,
    /// True if a block moved the candidate since doubt was last cast.
    fed: bool,
    /// True if the nonce of the epoch was made of a candidate moved since then.
    covers: bool,
}

impl Nonces {
    /// The nonces after a block of this epoch, where this nonce counts and nothing is in doubt.
    pub(crate) fn after(epoch: u64, shown: Nonce) -> Self {
        Self {
            epoch: Some(epoch),
            shown: Some((epoch, shown)),
            ..Self::default()
        }
    }

    /// Enters the next block.
    pub(crate) fn enter(&mut self, network: &Network, block: &Block) {
        if !block.linked {
            self.doubt(Some(block.place.slot));
            self.shown = None;
        }
        if block.place.era == Era::Byron {
            return;
        }
        let computed = computed(block);
        if self.epoch < Some(block.epoch) {
            self.epoch = Some(block.epoch);
            self.covers = self.fed;
            // Conway made the window longer. Where its start is not known, a wrong era tag, which no hash
            // covers, can move the candidate unnoticed.
            let is_clean = !self.in_doubt && network.era_starts().conway.is_some();
            let shown = computed.filter(|_| is_clean);
            self.shown = shown.map(|nonce| (block.epoch, nonce));
        }
        if let Some(nonce) = computed
            && network.built_in_nonce(block.epoch) == computed
        {
            self.show(block, nonce);
        }
    }

    /// Judges the proofs of a block by their verdicts. Returns the verdicts that count; `None` if no nonce
    /// counts at this block.
    pub(crate) fn judge(
        &mut self,
        network: &Network,
        block: &Block,
        verdicts: Vec<Verdict>,
    ) -> Option<Vec<Verdict>> {
        let of_claims = block.nonce.map(|nonce| (block.epoch, nonce));
        let is_built_in = network.built_in_nonce(block.epoch).is_some();
        let shows = |verdicts: &[Verdict]| verdicts.iter().any(Result::is_ok);
        if !is_built_in && shows(&verdicts) {
            match computed(block) {
                None => self.shown = of_claims,
                Some(nonce) => self.show(block, nonce),
            }
        }
        let is_suspect = |verdict: &Verdict| match verdict {
            Err(Fault::InvalidProof { proof, .. }) => proof.feeds_nonce(),
            _ => false,
        };
        let counts = is_built_in || self.shown == of_claims;
        if verdicts.iter().any(is_suspect) {
            self.doubt(counts.then_some(block.place.slot));
        }
        if counts {
            return Some(verdicts);
        }
        // The chain's nonce does not count; the caller may have given another one. This is rare enough for
        // one block at a time.
        let given = network.known_nonce(block.epoch);
        let given = given.filter(|_| given != block.nonce)?;
        let claims = block.lottery.as_ref()?.claims(block.place.slot, given);
        let claims: Vec<_> = claims.iter().collect();
        let verdicts = judge_claims(&Verifier::new(Suite::PRAOS), &claims);
        let given = Some((block.epoch, given));
        if shows(&verdicts) {
            self.shown = given;
        }
        (self.shown == given).then_some(verdicts)
    }

    /// Leaves a block.
    pub(crate) fn leave(&mut self, block: &Block) {
        self.fed |= block.in_window && block.place.era != Era::Byron;
    }

    /// Casts doubt: headers may be lost or altered, or an output wrong. `slot` is `None` if all may be right.
    pub(crate) fn doubt(&mut self, slot: Option<u64>) {
        self.in_doubt = true;
        self.since = self.since.or(slot);
        self.fed = false;
        self.covers = false;
    }

    /// True if the nonces that the chain makes may be wrong.
    pub(crate) fn are_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// The slot of the first thing wrong that may have changed the nonce of a block, if nonces are computed.
    pub(crate) fn in_doubt_since(&self, block: &Block) -> Option<u64> {
        self.since.filter(|_| block.nonces.is_some())
    }

    /// The nonce that counts at a block.
    pub(crate) fn of(&self, network: &Network, block: &Block) -> Option<Nonce> {
        let shown = self.shown.filter(|(epoch, _)| *epoch == block.epoch);
        let built_in = network.built_in_nonce(block.epoch);
        built_in.or(shown.map(|(_, nonce)| nonce))
    }

    /// Notes that the nonce that the chain makes for the epoch of a block is right.
    fn show(&mut self, block: &Block, computed: Nonce) {
        self.shown = Some((block.epoch, computed));
        if self.covers {
            self.in_doubt = false;
            self.since = None;
        }
    }
}

/// The nonce that the chain makes for the epoch of a block, if the chain's nonces are those of this epoch.
pub(crate) fn computed(block: &Block) -> Option<Nonce> {
    let nonces = block.nonces.as_ref();
    let of_epoch = nonces.filter(|nonces| nonces.epoch == block.epoch);
    of_epoch.map(|nonces| nonces.eta0)
}

#[cfg(test)]
mod tests;
