//! The possible beginnings of a walk.

use crate::chain::nonce::NonceState;
use crate::walk::event::Block;
use crate::walk::last::LastBlock;

/// The point where a walk begins, which also determines where its nonces come from.
#[derive(Clone, Debug)]
pub enum Start {
    /// The first block of the chain.
    Genesis,
    /// The block that follows [`Resume::last`]. Chunks before the chunk of that last block are not read.
    After(Box<Resume>),
    /// The first block of the database or iterator. If this block is not the first block of the chain, no
    /// nonces can be computed, and claims are made only in epochs with a known nonce
    /// ([`Network::set_known_nonce`](crate::Network::set_known_nonce)).
    Anywhere,
}

/// A point of the chain from which a walk can continue. The caller must trust the chain before the point: the
/// walk uses `nonces` unchecked, and checks only that the block `last` is present. An iterator may omit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The last block before the point.
    pub last: LastBlock,
    /// The nonces after that block.
    pub nonces: NonceState,
}

impl Resume {
    /// The point after `block`; `None` if the walk computed no nonces, which is possible with
    /// [`Start::Anywhere`](crate::Start::Anywhere).
    #[must_use]
    pub fn after(block: &Block) -> Option<Self> {
        Some(Self {
            last: LastBlock::from(&block.place),
            nonces: block.nonces.clone()?,
        })
    }
}

/// The reason why a walk cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The database belongs to another network.
    #[error("the database is of network magic {found}, {network} has {expected}")]
    Network {
        /// The name of the network that was expected.
        network: String,
        /// The magic of the expected network.
        expected: u32,
        /// The magic that the node wrote.
        found: u32,
        /// The name of the built-in network with the magic that was found.
        looks_like: Option<String>,
    },
    /// The first block cannot belong to the expected network.
    #[error("the database is not of network {network}: {evidence}")]
    OtherNetwork {
        /// The name of the expected network.
        network: String,
        /// The evidence, as a sentence without its full stop.
        evidence: String,
        /// The name of the built-in network to which the first block can belong, if there is exactly one.
        looks_like: Option<String>,
    },
    /// The database does not begin with the first block of the chain.
    #[error(
        "the database begins with {first}, not with the first block of the chain: \
         start from a saved state, or give the nonces of the epochs to check{}",
        doubt.as_ref().map_or_else(String::new, |doubt| format!("; {doubt}"))
    )]
    NotGenesis {
        /// The first chunk or the first block of the database.
        first: String,
        /// The result of [`Network::genesis_doubt`](crate::Network::genesis_doubt).
        doubt: Option<String>,
    },
    /// The block after which the walk should continue ([`Resume::last`]) is not in the database, or could not
    /// be read.
    #[error("{0}")]
    Resume(String),
}
