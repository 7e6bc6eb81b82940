#![cfg_attr(not(feature = "std"), no_std)]
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
pub use key::{PublicKey, SecretKey};
pub use proof::{Output, Proof};
pub use suite::{
    DRAFT10_TAI, DRAFT10_TAI_BC, DRAFT13, DRAFT13_BC, Hash, HashToCurve, PRAOS, PRAOS_ORIGINAL,
    ProofForm, RFC9381_ELL2, RFC9381_ELL2_BC, RFC9381_TAI, RFC9381_TAI_BC, Rules, Suite,
    Transcript,
};
pub use verify::{Claim, Verdict};
