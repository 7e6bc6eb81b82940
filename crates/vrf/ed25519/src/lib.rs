#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

extern crate alloc;

// Reading order: `verify` for the rule, `signed` for bytes, `check` and `product` for the equation.
mod check;
mod claim;
mod invalid;
mod product;
mod signed;
mod verify;

pub use claim::{Claim, Verdict};
pub use invalid::Invalid;
pub use klero_lanes::{Engine, engine, engines};
pub use verify::{verify, verify_many, verify_many_on};
