//! The fixed facts of a network: where epochs and eras begin, how blocks are spread, who its
//! first block makers are.
//!
//! They come from the Shelley genesis file, whose hash is also the first nonce; the eras' first epochs are in
//! no file of the node, and come from elsewhere. The three public networks are built in, with the nonces of
//! their epochs.

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
