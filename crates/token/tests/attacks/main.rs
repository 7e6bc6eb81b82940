//! Attacks on tokens, one to a module.
//!
//! Each test whose name begins with `seed_` is an attack that works: at its end stands a
//! token that nobody was entitled to, and it verifies. Behind it the same is tried on the
//! schemes to use, and refused.

#[path = "../twin/encoding.rs"]
mod encoding;
#[path = "../twin/equations.rs"]
mod equations;
mod sound;

mod framing;
mod key_recovery;
mod key_substitution;
mod laundering;
mod phantom_blocks;
mod reordering;
mod replay;
mod rewriting;
mod rogue_key;
mod second_look;
mod self_made_root;
mod stripping;
mod subgroup;
mod universal_forgery;
mod zero_blocks;
