#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

extern crate alloc;

mod backend;
mod batch;
mod coefficients;
#[cfg(feature = "envelope")]
mod envelope;
mod error;
pub mod experimental;
mod hash_to_curve;
mod key;
mod point;
mod proof;
mod prove;
mod suite;
mod threads;
mod transcript;
mod verify;

pub use backend::{Backend, UnknownBackend};
pub use batch::Batch;
pub use coefficients::Coefficients;
pub use error::{Invalid, KeyError};
pub use key::{PublicKey, ReuseCheck, ReusedKey, SecretKey};
pub use proof::{Output, Proof};
pub use prove::{FaultyProof, MixedSuites, prove_many, prove_many_on};
pub use suite::{Hash, HashToCurve, ProofForm, Rules, Suite, Transcript, UnknownSuite};
pub use verify::{Claim, Verdict};
