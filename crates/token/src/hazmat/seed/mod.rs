//! Four schemes for tokens that can be attenuated offline, as the biscuit project tried
//! them before it settled on chained signatures: two that aggregate the proofs of a
//! verifiable random function ([`vrf1`], [`vrf2`]), one that adds up BLS signatures
//! ([`pairing`]), one that chains signatures and answers a challenge with the last key
//! ([`challenge`]).
//!
//! **None of them may protect anything.** The two VRF schemes check one hash, that of the
//! last block, over an equation with a free point in it: whoever knows the root's
//! *public* key writes any token of two blocks or more. The pairing scheme hashes
//! messages without their keys, so keys chosen to cancel the root's do. The challenge
//! scheme does not compare the root key, nor the challenge, and its hashes say neither
//! who signs nor where a message ends. They are here because their sizes and times are
//! worth comparing, and because an attack that runs is the shortest way to say why a
//! scheme is not used; the tests in `tests/attacks` are those attacks.
//!
//! What goes into the equations is open: every field of a token that an attacker may
//! choose is public. Verification answers with `true` or `false`, as it did there.
//!
//! # Encoding
//!
//! ```text
//! token   = count (u32, little-endian) ‖ block × count ‖ what follows the blocks
//! message = length in bytes (u32, little-endian) ‖ that many bytes
//! ```
//!
//! Each scheme's page gives its block and what follows. Points are compressed, scalars
//! are 32 bytes little-endian below the group order, other forms are refused. A message
//! of 4 GiB or more does not fit its length: what is encoded then is not that token.

pub mod challenge;
mod encoding;
pub mod pairing;
pub mod ristretto;
pub mod vrf1;
pub mod vrf2;

pub use encoding::{Error, Place};
