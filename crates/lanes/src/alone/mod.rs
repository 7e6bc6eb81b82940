//! One item in the lanes: how a single claim fills vectors.
//!
//! Where there are too few items for a vector, the four coordinates of two points share
//! one. `point` has the formulas, `multiples` and `comb` the stages.

mod comb;
mod eight;
mod multiples;
mod point;

pub(crate) use comb::{secret_mul_alone, secret_prove_alone};
pub(crate) use multiples::{mul_alone, sums_of_few};
