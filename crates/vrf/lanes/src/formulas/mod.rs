//! The formulas: points, tables, and all computations with them. They are generic over
//! [`Field`](crate::field::Field), so each formula is written only once for all backends.
//!
//! | file | what it has |
//! |---|---|
//! | `constants` | the constants of the curve |
//! | `point` | points in lanes, doubled and added |
//! | `rows` | points in memory, loaded into lanes and stored from them |
//! | `encoding`, `ristretto`, `elligator2` | points from bytes, and to bytes |
//! | `torsion` | the test of whether a point has a small-order component |
//! | `scalar`, `digits` | the conversion of integers to signed digits, in one lane and in all lanes |
//! | `straus`, `known`, `comb`, `base_comb`, `small_multiples` | multiples of points, one in each lane |
//! | `lattice`, `equation` | equations checked with multipliers of half the size |
//! | `alone` | multiples and sums for few items: the coordinates of two points in eight lanes |
//! | `msm`, `sums` | one sum of many terms |
//! | `eight` | eight elements of a field, in as many vectors as a backend needs |
//! | `comb_shape`, `tables` | the way the base point's combs are cut, and memory for its tables |
//! | `lanes` | the parts of a backend that the formulas need besides its field |
//!
//! The functions that `stages` lists are compiled for each backend. Only `lanes` (all backends) and `rows`
//! (`Portable`) name backends. So `checks/kernels` can run the formulas on symbols in place of numbers,
//! and `checks/tiny-curve` can run them over a prime of one byte.

// The module is public only for `checks`, and is not part of the crate's interface.
#![allow(
    missing_docs,
    clippy::new_without_default,
    clippy::should_implement_trait
)]

pub mod alone;
pub mod base_comb;
pub mod comb;
pub mod comb_shape;
pub mod constants;
pub mod digits;
pub mod eight;
pub mod elligator2;
pub mod encoding;
pub mod equation;
pub mod known;
pub mod lanes;
pub mod lattice;
pub mod msm;
pub mod point;
pub mod ristretto;
pub mod rows;
pub mod scalar;
pub mod small_multiples;
pub mod straus;
pub mod sums;
pub mod tables;
pub mod torsion;

pub use lanes::{Lanes, Single};
