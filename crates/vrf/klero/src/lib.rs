#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

extern crate alloc;

// Read `suite`, `claim` and `verifier` first, then the modules of `batch` in the order of `batch/mod.rs`.
// `prove` and `prover` make proofs. `forms`, `encoded` and `envelope` read and write text.
mod backend;
mod batch;
mod bytes;
mod claim;
mod decode;
#[cfg(feature = "encoded")]
mod encoded;
#[cfg(feature = "encoded")]
mod envelope;
mod error;
#[cfg(feature = "encoded")]
mod forms;
mod hash_to_curve;
mod key;
mod output;
mod proof;
mod prove;
mod prover;
mod reuse;
mod scalar;
mod stage;
mod suite;
mod suites;
mod threads;
mod transcript;
mod tuning;
mod verifier;

pub use backend::Backend;
pub use batch::weights::Weights;
pub use claim::{Claim, Report, Verdict};
pub use error::{Error, Invalid};
#[cfg(feature = "encoded")]
pub use forms::Encoded;
pub use key::{PublicKey, SecretKey};
pub use output::Output;
pub use proof::Proof;
pub use prover::Prover;
pub use reuse::ReuseCheck;
pub use stage::Stage;
pub use suite::Suite;
pub use suites::experimental;
pub use verifier::{Method, Verifier};
