//! One item in all lanes: how a single claim fills vectors.
//!
//! Where there are too few items for a vector, the four coordinates of two points share
//! one. `point` has the formulas, `multiples`, `sums` and `comb` the stages.

pub mod comb;
pub mod multiples;
pub mod point;
pub mod sums;

pub use comb::{secret_mul_alone, secret_prove_alone};
pub use multiples::{mul_alone, mul_two_by_cofactor};
pub use sums::{horner, mul_base_sub_alone, sum_of_few};
