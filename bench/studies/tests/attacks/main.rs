//! Attacks on the schemes of the studies, one to a module.
//!
//! Each test is an attack that works: at its end stands a token that nobody was entitled to, and
//! it verifies. Where the schemes are sound the same attacks fail: on that of [`bls`], and in the
//! tests of klero-token, under the same names, on the schemes to use.

mod aggregate;
mod bls;
mod framing;
mod key_recovery;
mod key_substitution;
mod laundering;
mod phantom_blocks;
mod reordering;
mod replay;
mod rewriting;
mod rogue_key;
mod self_made_root;
mod stripping;
mod subgroup;
mod universal_forgery;
mod zero_blocks;
