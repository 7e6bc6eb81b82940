//! Computations that fill a vector with few items, or even with a single one.
//!
//! Here, eight lanes hold the four coordinates of two points. With a point in each lane, few items would
//! leave lanes unused. The module `point` has the formulas; `multiples`, `sums` and `comb` have the stages.

pub mod comb;
pub mod multiples;
pub mod point;
pub mod sums;

pub use comb::{secret_mul_alone, secret_prove_alone};
pub use multiples::{mul_alone, mul_two_by_cofactor};
pub use sums::{horner, mul_base_sub_alone, sum_of_few};
