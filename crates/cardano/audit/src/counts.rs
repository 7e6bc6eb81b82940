//! Counts of blocks, proofs and verdicts along a chain.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The counts of one epoch, or of all epochs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Blocks whose header could be read.
    pub blocks: u64,
    /// Blocks of Byron, which carry no proof.
    pub byron_blocks: u64,
    /// All proofs: the sum of the next four fields.
    pub proofs: u64,
    /// Valid proofs.
    pub valid: u64,
    /// Invalid proofs.
    pub invalid: u64,
    /// Proofs without a verdict, because their nonce may be wrong.
    pub unverifiable: u64,
    /// Proofs without a verdict, because their nonce is neither computed nor known.
    pub nonce_unknown: u64,
    /// Leader values, by their comparison with the active slots coefficient f.
    pub leader_values: LeaderValues,
    /// Verdicts on the right of each block's maker to lead, if any stake was given. The right is judged by
    /// the stake of the block's epoch or by the turns of the genesis delegates. If neither of them decides,
    /// the block is counted as not judged.
    pub leaders: Checked,
    /// KES signatures. A signature is also invalid if its certificate does not cover the slot's KES period.
    pub kes: Checked,
    /// Operational certificates, one for each block after Byron.
    pub certificates: Checked,
    /// Certificate numbers, one for each certificate. A number is not judged if its issuer's last number is
    /// not known, or if an earlier fault casts doubt on the upper bound for it.
    pub certificate_numbers: Checked,
    /// Block bodies. A body is not judged if its block already has a fault.
    pub bodies: Checked,
}

/// The numbers of verdicts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Valid.
    pub valid: u64,
    /// Invalid.
    pub invalid: u64,
    /// Without a verdict.
    pub not_judged: u64,
}

impl Checked {
    /// Counts one more verdict.
    pub(crate) fn count(&mut self, verdict: Option<bool>) {
        *match verdict {
            Some(true) => &mut self.valid,
            Some(false) => &mut self.invalid,
            None => &mut self.not_judged,
        } += 1;
    }
}

// The sums saturate, because a state file may contain any numbers and a sum could overflow.
impl AddAssign for Checked {
    fn add_assign(&mut self, other: Self) {
        add(&mut self.valid, other.valid);
        add(&mut self.invalid, other.invalid);
        add(&mut self.not_judged, other.not_judged);
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

impl Counts {
    /// True if nothing is invalid, and every proof, signature, certificate and body has a verdict.
    /// Certificate numbers may lack a verdict, because their bounds are not always known, and so may rights
    /// to lead.
    pub(crate) fn are_clean(&self) -> bool {
        let all_checked = |checked: &Checked| checked.not_judged == 0;
        self.all_invalid() == 0
            && self.is_verified()
            && [&self.kes, &self.certificates, &self.bodies]
                .into_iter()
                .all(all_checked)
    }

    /// True if all proofs have a verdict.
    pub(crate) fn is_verified(&self) -> bool {
        self.unverifiable == 0 && self.nonce_unknown == 0
    }

    /// The total of the counts of everything invalid, of all kinds.
    pub fn all_invalid(&self) -> u64 {
        self.invalid
            + self.leader_values.at_or_above_f
            + self.leaders.invalid
            + self.kes.invalid
            + self.certificates.invalid
            + self.certificate_numbers.invalid
            + self.bodies.invalid
    }
}

/// The numbers of leader values, by the result of their comparison with f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaderValues {
    /// Below f, as they must be.
    pub below_f: u64,
    /// At or above f.
    pub at_or_above_f: u64,
    /// Values of genesis delegates before Babbage. They are exempt from the comparison.
    pub genesis_delegates: u64,
    /// Values without a comparison, because the genesis delegates are not known.
    pub not_made: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        add(&mut self.blocks, other.blocks);
        add(&mut self.byron_blocks, other.byron_blocks);
        add(&mut self.proofs, other.proofs);
        add(&mut self.valid, other.valid);
        add(&mut self.invalid, other.invalid);
        add(&mut self.unverifiable, other.unverifiable);
        add(&mut self.nonce_unknown, other.nonce_unknown);
        let (sum, more) = (&mut self.leader_values, other.leader_values);
        add(&mut sum.below_f, more.below_f);
        add(&mut sum.at_or_above_f, more.at_or_above_f);
        add(&mut sum.genesis_delegates, more.genesis_delegates);
        add(&mut sum.not_made, more.not_made);
        self.leaders += other.leaders;
        self.kes += other.kes;
        self.certificates += other.certificates;
        self.certificate_numbers += other.certificate_numbers;
        self.bodies += other.bodies;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_at_the_largest_number() {
        let kes = Checked {
            valid: u64::MAX,
            ..Checked::default()
        };
        let most = Counts {
            blocks: u64::MAX,
            proofs: u64::MAX,
            kes,
            ..Counts::default()
        };
        let mut sum = most;
        sum += most;
        assert_eq!(sum, most);
    }
}
