//! One item in the lanes, as in klero-lanes: its own files.

#[path = "../../../../crates/lanes/src/alone/comb.rs"]
pub mod comb;
#[path = "../../../../crates/lanes/src/alone/eight.rs"]
pub mod eight;
#[path = "../../../../crates/lanes/src/alone/multiples.rs"]
pub mod multiples;
#[path = "../../../../crates/lanes/src/alone/point.rs"]
pub mod point;
#[path = "../../../../crates/lanes/src/alone/sums.rs"]
pub mod sums;

pub(crate) use comb::{secret_mul_alone, secret_prove_alone};
pub(crate) use multiples::mul_alone;
pub(crate) use sums::{horner, mul_base_sub_alone, sum_of_few};
