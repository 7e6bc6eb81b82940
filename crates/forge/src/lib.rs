#![doc = include_str!("../README.md")]
//!
//! ```text
//! recipe ──► plan (epochs) ──┐
//!        └─► lottery (keys) ─┴─► genesis (file, network) ──► chain (blocks) ──► writer (files)
//!                 kes ──► hot (keys, certificates) ──► wrong ──┘
//!              mutant ──────────────────────────────────┘
//! ```
//!
//! [`Honest`] reads a chain, and [`Database`] damages copies of it.
#![warn(unreachable_pub, unnameable_types)]

mod block;
mod chain;
mod database;
mod error;
mod flip;
mod forged;
mod genesis;
mod hash;
mod honest;
mod hot;
mod kes;
pub mod ledger;
mod lottery;
mod maker;
mod mutant;
mod plan;
mod position;
mod recipe;
mod seed;
mod writer;
mod wrong;

pub use chain::forge;
pub use database::{Database, Extent, Repair, Stored};
pub use error::ForgeError;
pub use flip::Flip;
pub use forged::{Forged, ForgedEpoch, Tip};
pub use honest::Honest;
pub use kes::KesKey;
pub use mutant::Mutant;
pub use position::Position;
pub use recipe::{DijkstraHeaders, Recipe};
pub use writer::{Entry, ImmutableWriter};
