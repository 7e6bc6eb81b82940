//! Damaged copies of a Cardano node's database, for tests.
//!
//! [`Honest`] reads a valid chain, forged or real. [`Database`] is a copy of it in which files are cut,
//! bits are [flipped](Flip), and index entries are [repaired](Repair) or not.
#![warn(unreachable_pub, unnameable_types)]

mod database;
mod flip;
mod honest;

pub use database::{Database, Extent, Repair, Stored};
pub use flip::Flip;
pub use honest::Honest;
