//! What is known before the first block of an audit.

use std::collections::BTreeSet;

use klero_cardano::Counters;

use crate::nonces::Nonces;
use crate::report::ExpectedBlock;

/// What is known before the first block.
pub(crate) struct Known {
    /// The last certificate number of each issuer.
    pub counters: Counters,
    /// The nonces that can be relied on.
    pub nonces: Nonces,
    /// The slot up to which the chain is known to be that of its network.
    pub tied: Option<u64>,
    /// Things that earlier audits found wrong.
    pub wrong: u64,
    /// Expected blocks that earlier audits found.
    pub found: BTreeSet<ExpectedBlock>,
}

impl Default for Known {
    /// Before the first block of a chain.
    fn default() -> Self {
        Self {
            counters: Counters::since_first_block(),
            nonces: Nonces::default(),
            tied: None,
            wrong: 0,
            found: BTreeSet::new(),
        }
    }
}

impl Known {
    /// Before a block somewhere on a chain.
    pub(crate) fn since_any_block() -> Self {
        Self {
            counters: Counters::since_any_block(),
            ..Self::default()
        }
    }
}
