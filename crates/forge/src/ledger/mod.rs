//! Ledger states as a node writes them.
//!
//! A node keeps the state of its ledger beside the chain, in `ledger/`. This writes one with any
//! content: that of a forged chain ([`Forged::ledger`](crate::Forged::ledger)), or one made up.
//! What bears on who may lead is all there; outputs, accounts and the like are a few items of every
//! type of CBOR. The bytes follow the sources that [`klero_cardano::ledger`] names.

mod content;
mod layout;

pub(crate) use content::Counts;
pub use content::{Delegator, Snapshot, State};
pub use layout::Layout;
