//! Tests of every engine against curve25519-dalek.

mod halving;
mod multiples;
mod points;
mod ristretto;
mod sums;
mod support;
