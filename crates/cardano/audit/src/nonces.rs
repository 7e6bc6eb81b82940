//! The nonces that an audit can rely on at each block.
//!
//! A header that is lost, altered or invented may make all later nonces wrong, and a proof may fail because
//! its nonce is wrong. But a proof that was made for one nonce is valid for no other. The rules below follow
//! from this. In them, a *run* is a sequence of blocks, each linked to the one before.
//!
//! 1. **Which nonce.** A proof is checked with the built-in nonce of its epoch. If there is none, it is
//!    checked with the nonce that the chain makes or, if the chain makes none, with a nonce that the caller
//!    gave. If the chain's nonce does not count (rule 2), a different nonce from the caller is tried as well.
//! 2. **When a nonce counts.** A built-in nonce always counts. Any other nonce counts from the first proof
//!    that is valid for it until the run or the epoch ends. The chain's nonce already counts from the first
//!    block of the epoch, if nothing is in doubt there and the first epoch of Conway is known. Where no nonce
//!    counts, proofs are unverifiable, never invalid.
//! 3. **When doubt begins.** Doubt begins at a header that may be lost or altered, at a block that is not
//!    linked, and at a failing proof if the output of that proof enters the nonces.
//! 4. **When doubt ends.** Doubt ends if two things hold. First, the chain's nonce is shown to be right, by a
//!    valid proof or because it is the built-in nonce. Second, after the last cause of doubt, a block changed
//!    the candidate nonce from which the chain's nonce was made.
//! 5. **Comparison.** If nothing is in doubt, and the chain's nonce is not the known one, this is a finding.
//!
//! `docs/rules.md` explains why these rules call no honest proof invalid, whatever is wrong elsewhere.

use klero::{Suite, Verifier};
use klero_cardano::{Block, Era, Fault, Network, Nonce};

use crate::judge::{Verdict, judge_claims};

/// The nonces of an audit, up to the last block that was entered.
#[derive(Default)]
pub(crate) struct Nonces {
    /// The last epoch that was entered.
    epoch: Option<u64>,
    /// An epoch, and the nonce that counts for it in this run. (A built-in nonce always counts.) The epoch is
    /// needed because, after a lost epoch, the chain can make for one epoch the nonce of another.
    shown: Option<(u64, Nonce)>,
    /// True while the nonces that the chain makes may be wrong.
    in_doubt: bool,
    /// The slot of the first fault that is not yet shown to be harmless. A proof that fails for a nonce that
    /// does not count is not regarded as a fault, because the proof may be right.
    since: Option<u64>,
    /// True if a block changed the candidate nonce since doubt was last cast.
    fed: bool,
    /// True if the epoch's nonce was made from a candidate nonce that changed since doubt was last cast.
    covers: bool,
}

impl Nonces {
    /// The nonces after a block of this epoch, where the nonce `shown` counts and nothing is in doubt.
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
            // The candidate nonce is frozen earlier in epochs of Conway. If the start of Conway is not known,
            // a wrong era tag can thus change this nonce unnoticed, because no hash covers the tag.
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

    /// Takes the verdicts on the proofs of a block, and returns the verdicts that count. Returns `None` if no
    /// nonce counts at this block.
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
        // The chain's nonce does not count, but the caller may have given another one. This is so rare that
        // the blocks are verified one at a time.
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

    /// Puts the nonces in doubt, because headers may be lost or altered, or an output may be wrong. `slot` is
    /// the slot of the fault, or `None` if it is possible that nothing is wrong.
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

    /// The slot of the first fault that may have made the nonce of a block wrong, if nonces are computed.
    pub(crate) fn in_doubt_since(&self, block: &Block) -> Option<u64> {
        self.since.filter(|_| block.nonces.is_some())
    }

    /// The nonce that counts at a block.
    pub(crate) fn of(&self, network: &Network, block: &Block) -> Option<Nonce> {
        let shown = self.shown.filter(|(epoch, _)| *epoch == block.epoch);
        let built_in = network.built_in_nonce(block.epoch);
        built_in.or(shown.map(|(_, nonce)| nonce))
    }

    /// Records that `computed`, the nonce that the chain makes for the epoch of a block, is right.
    fn show(&mut self, block: &Block, computed: Nonce) {
        self.shown = Some((block.epoch, computed));
        if self.covers {
            self.in_doubt = false;
            self.since = None;
        }
    }
}

/// Returns the nonce that the chain makes for the epoch of a block; `None` if it makes none for this epoch.
pub(crate) fn computed(block: &Block) -> Option<Nonce> {
    let nonces = block.nonces.as_ref();
    let of_epoch = nonces.filter(|nonces| nonces.epoch == block.epoch);
    of_epoch.map(|nonces| nonces.eta0)
}

#[cfg(test)]
mod tests;
