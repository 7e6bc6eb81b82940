//! A node's ledger state: the stake of pools, and the parts that can be compared with the chain.
//!
//! A node writes its ledger state to `ledger/` from time to time, so that it can continue from there after a
//! restart. The state determines who may lead in the epoch of its last block and in the next epoch, because
//! it has the stake and the VRF key hash of each pool for both epochs. Mithril certifies the chain but not
//! this state, so an audit compares the state's last block and nonces with the headers.
//!
//! The layout depends on the version of the node. It is recognized by the version numbers and the lengths of
//! lists in the state. A layout that is not in the table of `layout.rs` is refused, and so is a state that
//! contradicts itself. A state has this form:
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
//! States of nodes 9.0 to 11.1 can be read, in the Praos eras Babbage and Conway. The older of these nodes
//! store unspent outputs in the state, and the newer ones in separate files (`tables`). Outputs are always
//! skipped, but `tables` may be read to check the CRC-32 that the node wrote beside the state ([`Checksum`]).

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
