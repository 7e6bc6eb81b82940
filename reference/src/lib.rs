#![doc = include_str!("../README.md")]

pub mod curve;
mod ecvrf;
pub mod field;
mod hash_to_curve;
pub mod header;
pub mod leader;
mod suite;
pub mod vectors;

pub use ecvrf::{
    Invalid, Key, challenge, evaluate, expand, nonce, output, proof_bytes, proof_to_hash, prove,
    validate_key, verify,
};
pub use hash_to_curve::{ELL2_DST, hash_to_curve, map_to_curve};
pub use num_bigint::BigUint;
pub use suite::{Form, Hash, Map, Rules, SUITES, Suite, Transcript};
