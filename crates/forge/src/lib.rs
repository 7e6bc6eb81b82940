#![doc = include_str!("../README.md")]
//!
//! ```text
//! recipe ──► plan (epochs) ──┐
//!        └─► lottery (keys) ─┴─► genesis (file, network) ──► chain (blocks) ──► writer (files)
//!                 kes ──► hot (keys, certificates) ──► wrong ──┘
//!              mutant ──────────────────────────────────┘
//! ```

mod block;
mod chain;
mod error;
mod genesis;
mod hash;
mod hot;
mod kes;
mod lottery;
mod mutant;
mod plan;
mod position;
mod recipe;
mod seed;
mod writer;
mod wrong;

pub use chain::{Forged, ForgedEpoch, Tip, forge};
pub use error::ForgeError;
pub use kes::KesKey;
pub use mutant::Mutant;
pub use position::Position;
pub use recipe::Recipe;
pub use writer::{Entry, ImmutableWriter};
