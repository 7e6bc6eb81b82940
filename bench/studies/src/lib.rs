//! Four schemes for tokens that can be attenuated offline, which the biscuit project tried
//! before it settled on chained signatures: two that aggregate the proofs of a verifiable
//! random function ([`vrf1`], [`vrf2`]), one that adds up BLS signatures ([`pairing`]), and one
//! that chains signatures and answers a challenge with the last key ([`challenge`]). Beside them
//! stands a sound scheme with pairings ([`bls`]), to compare with, and a model of klero-token's
//! scheme [`aggregate`] that can be weakened, to see what each part of it is for.
//!
//! **The four are forgeable. Do not use them.** The two VRF schemes check one hash, that of
//! the last block, over an equation that contains a free point: whoever knows the root's
//! *public* key can make any token of two blocks or more. The pairing scheme hashes messages
//! without their keys, so a key can be chosen to cancel the root's. The challenge scheme
//! compares neither the root key nor the challenge, and its hashes contain neither the signer
//! nor the length of a message. The schemes are here to compare their sizes and times, and
//! because an executable attack is the clearest reason not to use a scheme: see the tests in
//! `tests/attacks`.
//!
//! All fields of tokens are public, since an attacker can choose them. Verification returns
//! `true` or `false`, as in the original code.
//!
//! # Encoding
//! That of the four; [`bls`] has that of klero-token, and [`aggregate`] has none.
//!
//! ```text
//! token   = count (u32, little-endian) ‖ block × count ‖ what follows the blocks
//! message = length in bytes (u32, little-endian) ‖ that many bytes
//! ```
//!
//! Each scheme's page gives its block and what follows. Points are compressed, scalars
//! are 32 bytes little-endian below the group order; other forms are refused. The length of a
//! message of 4 GiB or more does not fit, and the encoding of such a token is wrong.

#![forbid(unsafe_code)]

pub mod aggregate;
pub mod bls;
pub mod challenge;
mod encoding;
pub mod pairing;
pub mod ristretto;
pub mod vrf1;
pub mod vrf2;

pub use encoding::{Error, Place};
