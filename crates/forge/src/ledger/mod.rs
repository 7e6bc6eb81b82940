//! Ledger states as a node writes them.
//!
//! A node keeps the state of its ledger beside the chain, in `ledger/`. This writes one as node 11.1
//! does, with any content: that of a forged chain ([`Forged::ledger`](crate::Forged::ledger)), or one
//! made up. The bytes follow the sources that [`klero_cardano::LedgerState`] names.

mod content;
mod layout;

pub(crate) use content::Counts;
pub use content::{Delegator, Snapshot, State};
