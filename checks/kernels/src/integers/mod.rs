//! Integers of a few words: bytes to limbs and back, scalars modulo L, and their digits.
//!
//! What klero-lanes does to integers is written over one-lane words of any kind. Here these are
//! [`Exact`](crate::words::exact::Exact) symbols, over inputs that are any words, or any below a
//! bound. A kernel returns words, each of which stands at a place; together they are an integer:
//!
//! ```text
//! result      Σ 2^(place[i])·out[i], each out[i] from 0 to below its bound
//! claim       the result is D, a polynomial over the inputs: as polynomials they are equal, but for
//!             multiples of 2^n, and both lie from 0 to below 2^n
//! modulo L    D less the claimed polynomial has only coefficients that L divides
//! ```
//!
//! D is what the kernel should compute, not its result modulo L alone: for a fold of x = low + 2^252·high
//! it is low + 4·L - high·δ. That D stays positive, and below what is documented, follows from its
//! ends, since its variables are independent.
//!
//! What compares, and so branches, runs once for each way it can go: see [`comparison`].

pub mod check;
pub mod comparison;
pub mod digits;
pub mod kernel;
mod kernels;
