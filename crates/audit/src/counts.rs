//! What is counted along a chain.

use std::ops::AddAssign;

use serde::Serialize;

/// What was counted, in an epoch or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Blocks whose header could be read.
    pub blocks: u64,
    /// Those of Byron, which carry no proof.
    pub byron_blocks: u64,
    /// Proofs: the sum of the next four.
    pub proofs: u64,
    /// Valid proofs.
    pub valid: u64,
    /// Invalid proofs.
    pub invalid: u64,
    /// Proofs about a nonce that is in doubt.
    pub unverifiable: u64,
    /// Proofs about a nonce that was not given.
    pub nonce_unknown: u64,
    /// Leader values against the bound f.
    pub leader_values: LeaderValues,
}

/// Leader values, by how they compare with f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeaderValues {
    /// Below f, as they must be.
    pub below_f: u64,
    /// At or above f.
    pub at_or_above_f: u64,
    /// Exempt: of genesis delegates, before Babbage.
    pub genesis_delegates: u64,
    /// Not checked, because the genesis delegates are not known.
    pub not_made: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.byron_blocks += other.byron_blocks;
        self.proofs += other.proofs;
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.unverifiable += other.unverifiable;
        self.nonce_unknown += other.nonce_unknown;
        let (sum, more) = (&mut self.leader_values, other.leader_values);
        sum.below_f += more.below_f;
        sum.at_or_above_f += more.at_or_above_f;
        sum.genesis_delegates += more.genesis_delegates;
        sum.not_made += more.not_made;
    }
}
