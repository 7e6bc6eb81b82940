#![doc = include_str!("../README.md")]
//!
//! ```text
//! recipe ──► plan (epochs) ──┐
//!        └─► lottery (keys) ─┴─► genesis (file, network) ──► chain (blocks) ──► writer (files)
//!                 kes ──► hot (keys, certificates) ──► wrong ──┘
//!              mutant ──────────────────────────────────┘
//! ```
#![warn(unreachable_pub, unnameable_types)]

mod block;
mod chain;
mod error;
mod forged;
mod genesis;
mod hash;
mod hot;
mod kes;
pub mod ledger;
mod lottery;
mod maker;
mod mutant;
mod plan;
mod recipe;
mod seed;
mod writer;
mod wrong;

pub use chain::forge;
pub use error::ForgeError;
pub use forged::{Forged, ForgedEpoch};
pub use kes::KesKey;
pub use mutant::Mutant;
pub use recipe::{DijkstraHeaders, Recipe};
pub use writer::{Entry, ImmutableWriter};
