//! Every engine against curve25519-dalek.

mod multiples;
mod points;
mod ristretto;
mod sums;
mod support;
