//! A node's ledger state: the stake of pools, and the parts that can be compared with the chain.
//!
//! A node writes its ledger state to `ledger/` from time to time, to begin there after a restart. It says who
//! may lead: the stake and the VRF key hash of each pool, for this epoch and the next. Mithril certifies the
//! chain and not this state, so an audit compares the state's last block and nonces with the headers.
//!
//! The layout changes with the version of the node; version numbers and lengths of lists tell it. A layout
//! that is not in the table of `layout.rs` is refused, and so is a state that contradicts itself:
//!
//! ```text
//! [1, [ledger, header state]]                             Storage/LedgerDB/Snapshots.hs
//!   ledger: an item for each era, the last is
//!     [bound, [2, [last block, new epoch state, _, _]]]   Shelley/Ledger/Ledger.hs
//!   new epoch state:                                      Shelley/LedgerState/Types.hs
//!     [epoch, blocks before, blocks, epoch state, _, pool distribution, _]
//!   epoch state: [_, ledger state with outputs, snapshots, _]
//!   snapshots: [mark, set, go, fees]                      State/SnapShots.hs
//!   header state: [[[era, last block]], an item for each era, the last is
//!     [bound, [0, Praos state]]]                          HeaderValidation.hs, Protocol/Praos.hs
//! ```
//!
//! States of node 9.0 to 11.1 are read, in Babbage and Conway, the eras of Praos. Older nodes have outputs in
//! the state, newer ones in files of their own (`tables`). Outputs are passed over either way, but `tables`
//! may be read for the CRC-32 that the node wrote beside the state ([`Checksum`]).

mod cbor;
mod checksum;
mod error;
mod header;
mod layout;
mod stake;
mod state;
mod telescope;

pub use checksum::Checksum;
pub use error::LedgerError;
pub use state::LedgerState;
