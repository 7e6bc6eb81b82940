//! Where an audit ended, so that the next one reads only what is new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use klero_cardano::{Hash, LastBlock, SavedState};
use serde::{Deserialize, Serialize};

/// What a state file has: from where the next audit goes on, and what was checked up to there.
///
/// It is read and written by [`StateFile`](klero_cardano::StateFile).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Where the next walk begins.
    #[serde(flatten)]
    pub walk: SavedState,
    /// The names of the checks that were made.
    #[serde(default)]
    pub checks: BTreeSet<String>,
    /// The last certificate number of each issuer, if they were checked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub certificate_numbers: BTreeMap<Hash<28>, u64>,
    /// The slot up to which something known from elsewhere shows that the chain is that of the
    /// network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tied: Option<u64>,
    /// Blocks that the caller expected and that were found, by their slots.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<u64, Hash<32>>,
    /// What was found valid up to there, and what was found wrong.
    pub totals: Totals,
}

impl klero_cardano::StateFile for State {}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What became of a state file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Saved {
    /// The file.
    pub path: PathBuf,
    /// The block after which the next audit starts; `None` if there is no state.
    pub after: Option<LastBlock>,
    /// Whether this audit moved it.
    pub advanced: bool,
    /// What was checked up to it since the first block of the chain, by this audit and earlier
    /// ones.
    pub totals: Totals,
    /// Why the file could not be written.
    pub error: Option<String>,
}

/// What all audits with one state file checked together, and found valid; and what they found
/// wrong.
// The fields are in the order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Blocks.
    pub blocks: u64,
    /// Block bodies.
    pub bodies: u64,
    /// Blocks of Byron among the blocks.
    pub byron_blocks: u64,
    /// Operational certificates, one for each block.
    pub certificates: u64,
    /// KES signatures.
    pub kes: u64,
    /// Blocks whose makers may lead, by the stake that was given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub leaders: u64,
    /// Proofs.
    pub proofs: u64,
    /// Faults: how many things are wrong.
    pub wrong: u64,
}
