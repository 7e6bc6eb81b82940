//! A node's ledger state: the stake of pools, and what can be compared with the chain.
//!
//! A node writes its ledger state to `ledger/` from time to time, to begin there after a restart.
//! It says who may lead: the stake and the VRF key hash of each pool, for this epoch and the next.
//! Mithril certifies the chain and not this state, so what headers fix as well is compared with
//! them ([`LedgerState::compare`](crate::LedgerState::compare)): nonces, certificate counters, the
//! last block, and how many blocks each pool has made.
//!
//! The layout moves with the node, and is told by versions and the lengths of lists. Another layout
//! than these is refused, and so is a state that contradicts itself:
//!
//! ```text
//! [1, [ledger, header state]]                             Storage/LedgerDB/Snapshots.hs
//!   ledger: an item for each era, the last is
//!     [bound, [2, [last block, new epoch state, _]]]      Shelley/Ledger/Ledger.hs
//!   new epoch state:                                      Shelley/LedgerState/Types.hs
//!     [epoch, blocks before, blocks, epoch state, _, pool distribution, _]
//!   epoch state: [_, ledger state with outputs, snapshots, _]
//!   snapshots: [mark, set, go, fees]                      State/SnapShots.hs
//!   header state: [[[era, last block]], an item for each era, the last is
//!     [bound, [0, Praos state]]]                          HeaderValidation.hs, Protocol/Praos.hs
//! ```
//!
//! | part | shapes that are read |
//! |---|---|
//! | eras | Babbage and Conway, the eras of Praos |
//! | bound of an era | time, slot, epoch; and since Peras a round |
//! | snapshot, node 9.0 to 10.6 (cardano-ledger-core up to 1.18) | stake by delegator, pool by delegator, parameters by pool |
//! | snapshot, node 10.7 to 11.0 (cardano-ledger-core 1.19 to 1.21) | stake and pool by delegator, ten fields by pool |
//! | pool distribution, since node 9.0 (cardano-ledger-core 1.13) | share, stake and VRF key hash by pool; the total |
//! | Praos state | last slot, counters, five nonces; and since node 10.7 (ouroboros-consensus 1.0) the nonce of the epoch before |
//!
//! Outputs are in the state of older nodes, and in files of their own (`tables`) in that of newer
//! ones. They are passed over either way.

mod blocks;
mod cbor;
mod compare;
mod error;
mod header;
mod stake;
mod state;
mod telescope;

pub use blocks::BlocksMade;
pub use compare::{ChainState, Difference, Fact};
pub use error::LedgerError;
pub use stake::{PoolStake, Snapshots, StakeDistribution};
pub use state::LedgerState;
