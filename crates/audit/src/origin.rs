//! Where an audit starts.

use klero_cardano::LastBlock;

/// Where an audit starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At the first block of the chain.
    Genesis,
    /// After this block, which a state file names.
    After(LastBlock),
    /// After the first block of the chain: with nonces that are known from elsewhere, or without any.
    Anywhere,
}
