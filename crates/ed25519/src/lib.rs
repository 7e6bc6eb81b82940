#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

extern crate alloc;

mod check;
mod claim;
mod encoding;
mod invalid;
mod product;
mod rules;
mod signed;
mod verify;

pub use claim::{Claim, Verdict};
pub use invalid::Invalid;
pub use klero_lanes::{Engine, engine, engines};
pub use rules::Rules;

/// A verdict that nobody looks at is a warning of the compiler.
///
/// ```
/// let _ = klero_ed25519::Rules::STRICT.verify_many(&[]);
/// ```
/// ```compile_fail
/// #![deny(unused_must_use)]
/// klero_ed25519::Rules::STRICT.verify_many(&[]);
/// ```
#[cfg(doctest)]
struct Unused;
