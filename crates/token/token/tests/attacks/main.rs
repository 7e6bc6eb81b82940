//! Attacks on tokens, one attack per module.
//!
//! Every attack is refused. The package `klero-studies` (`bench/studies`) has broken schemes on which the
//! same attacks work. Its modules have the same names.

#[path = "../twin/encoding.rs"]
mod encoding;
#[path = "../twin/equations/mod.rs"]
mod equations;
mod sound;
#[path = "../support/mod.rs"]
mod support;

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
