//! The nonces that can be relied on, block by block.
//!
//! Every nonce depends on all headers before it, so a header that is lost, altered or invented may make
//! later nonces wrong, and a failing proof may be the fault of its nonce. But a proof that was made for one
//! nonce is valid for no other. A *run* is a row of blocks each of which is linked to the one before. So:
//!
//! 1. **Which nonce.** The proofs of a block are about the built-in nonce of its epoch, if there is one;
//!    or else about the one that the chain makes; or else about one that the caller gave.
//! 2. **When it counts.** A built-in nonce always. One that the chain makes from the beginning of its epoch,
//!    if nothing was wrong before. Any other from the first proof on that is valid by it, up to the end of
//!    the run. Proofs before that are unverifiable, never invalid.
//! 3. **When doubt ends.** If the nonce that the chain makes counts by a valid proof, or is the known one,
//!    and the candidate that it was made of was moved by a block after the last thing wrong, then nothing
//!    is in doubt any more.
//! 4. **Comparison.** If nothing is in doubt, a nonce of the chain other than the known one is a finding.
//!
//! `docs/checks.md` says why no honest proof is called invalid by this, whatever is wrong elsewhere.

use klero::{Suite, Verifier};
use klero_cardano::{Block, Era, Fault, Network, Nonce};

use crate::judge::{Verdict, judge_claims};

/// The nonces of an audit, as far as it came.
#[derive(Default)]
pub(crate) struct Nonces {
    /// The last epoch that was entered.
    epoch: Option<u64>,
    /// An epoch, and the nonce that counts for it in this run, if it is not built in. After an epoch that
    /// was lost, the chain can make the nonce of one epoch for another.
    shown: Option<(u64, Nonce)>,
    /// Slot of the first thing wrong that is not yet shown to be harmless.
    since: Option<u64>,
    /// A block after the last thing wrong moved the candidate.
    fed: bool,
    /// The nonce of the epoch was made of such a candidate.
    covers: bool,
}

impl Nonces {
    /// Enters the next block.
    pub(crate) fn enter(&mut self, network: &Network, block: &Block) {
        if block.place.era == Era::Byron {
            return;
        }
        if !block.linked {
            self.doubt(block.place.slot);
            self.shown = None;
        }
        let computed = computed(block);
        if self.epoch < Some(block.epoch) {
            self.epoch = Some(block.epoch);
            self.covers = self.fed;
            let is_clean = self.since.is_none() && network.knows_windows();
            let shown = computed.filter(|_| is_clean);
            self.shown = shown.map(|nonce| (block.epoch, nonce));
        }
        if let Some(nonce) = computed
            && network.known_nonce(block.epoch) == computed
        {
            self.show(block, nonce);
        }
    }

    /// Judges the proofs of a block, by their verdicts. Returns those that count; `None` if no nonce
    /// counts at this block.
    pub(crate) fn judge(
        &mut self,
        network: &Network,
        block: &Block,
        verdicts: Vec<Verdict>,
    ) -> Option<Vec<Verdict>> {
        let is_built_in = network.built_in_nonce(block.epoch).is_some();
        let first = block.nonce.map(|nonce| (block.epoch, nonce));
        let shows = |verdicts: &[Verdict]| verdicts.iter().any(Result::is_ok);
        if !is_built_in && shows(&verdicts) {
            match computed(block) {
                None => self.shown = first,
                Some(nonce) => self.show(block, nonce),
            }
        }
        let is_suspect = |verdict: &Verdict| match verdict {
            Err(Fault::InvalidProof { proof, .. }) => proof.feeds_nonce(),
            _ => false,
        };
        if verdicts.iter().any(is_suspect) {
            self.doubt(block.place.slot);
        }
        if is_built_in || self.shown == first {
            return Some(verdicts);
        }
        // The chain makes another nonce than the caller gave, and it does not count. Rare enough for one
        // block at a time.
        let given = network.known_nonce(block.epoch)?;
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

    /// Something at this slot is wrong, by which headers may be lost or altered, or an output wrong.
    pub(crate) fn doubt(&mut self, slot: u64) {
        self.since.get_or_insert(slot);
        self.fed = false;
        self.covers = false;
    }

    /// The slot of the first thing wrong that is not yet shown to be harmless.
    pub(crate) fn in_doubt_since(&self) -> Option<u64> {
        self.since
    }

    /// The nonce that counts at a block.
    pub(crate) fn of(&self, network: &Network, block: &Block) -> Option<Nonce> {
        let shown = self.shown.filter(|(epoch, _)| *epoch == block.epoch);
        let built_in = network.built_in_nonce(block.epoch);
        built_in.or(shown.map(|(_, nonce)| nonce))
    }

    /// The nonce that the chain makes for the epoch of a block is shown to be right.
    fn show(&mut self, block: &Block, computed: Nonce) {
        self.shown = Some((block.epoch, computed));
        if self.covers {
            self.since = None;
        }
    }
}

/// The nonce that the chain makes for the epoch of a block, if the nonces stand at this epoch.
pub(crate) fn computed(block: &Block) -> Option<Nonce> {
    let nonces = block.nonces.as_ref();
    let of_epoch = nonces.filter(|nonces| nonces.epoch == block.epoch);
    of_epoch.map(|nonces| nonces.eta0)
}

#[cfg(test)]
mod tests;
