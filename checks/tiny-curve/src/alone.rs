//! The module `alone` of klero-lanes, whose parts are checked one by one.

#[path = "../../../crates/lanes/src/alone/comb.rs"]
mod comb;
#[path = "../../../crates/lanes/src/alone/eight.rs"]
mod eight;
#[path = "../../../crates/lanes/src/alone/multiples.rs"]
mod multiples;
#[path = "../../../crates/lanes/src/alone/point.rs"]
mod point;
#[path = "../../../crates/lanes/src/alone/sums.rs"]
mod sums;

pub(crate) use comb::{secret_mul_alone, secret_prove_alone};
pub(crate) use eight::InEights;
pub(crate) use multiples::mul_alone;
pub(crate) use point::{Cached, Completed, Products};
pub(crate) use sums::{horner, mul_base_sub_alone, sum_of_few};

// `eight` names backends where the processor can have them.
#[cfg(not(target_arch = "x86_64"))]
impl InEights for crate::field::Avx2 {
    type Eight = [Self; 2];
}

#[cfg(not(target_arch = "x86_64"))]
impl InEights for crate::field::Avx512 {
    type Eight = [Self; 1];
}
