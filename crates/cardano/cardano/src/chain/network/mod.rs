//! The constants of a network: where epochs and eras begin, how frequent blocks are, and who the first block
//! makers are.
//!
//! Most constants come from the Shelley genesis file, whose hash is also the first nonce. The first epochs of
//! the eras are in no file of the node, so the caller or the file `klero-network.json` must supply them. The
//! three public networks are built in, with the nonces of their epochs.

mod detect;
mod error;
mod facts;
mod genesis;
mod local;
mod public;
#[cfg(test)]
mod tests;

pub(crate) use detect::read_magic;
pub use error::NetworkError;
pub use facts::{EraStarts, Network};
pub(crate) use public::built_ins;
