#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

extern crate alloc;

mod claim;
mod invalid;
mod recompute;
mod rules;
mod signed;
mod small_order;
mod verify;

pub use claim::{Claim, Verdict};
pub use invalid::Invalid;
pub use klero_lanes::{Engine, engine, engines};
pub use rules::Rules;
