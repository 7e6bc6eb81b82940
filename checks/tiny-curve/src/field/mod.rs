//! The module `field` of klero-lanes over a prime q of one byte: the same traits, powers, roots
//! and inversion, with elements of its own.
//!
//! `portable` is that of 2^255-19: inversion computes with it (see [`tiny`]).

// Not every function of a file is needed here.
#![allow(dead_code)]

#[macro_use]
#[path = "../../../../crates/lanes/src/field/unroll.rs"]
mod unroll;
#[path = "../../../../crates/lanes/src/field/called.rs"]
mod called;
#[path = "../../../../crates/lanes/src/field/columns128.rs"]
mod columns128;
#[path = "../../../../crates/lanes/src/field/constants.rs"]
mod constants;
#[path = "../../../../crates/lanes/src/field/element.rs"]
mod element;
#[path = "../../../../crates/lanes/src/field/inverse.rs"]
mod inverse;
#[path = "../../../../crates/lanes/src/field/limbs.rs"]
mod limbs;
#[path = "../../../../crates/lanes/src/field/memory.rs"]
mod memory;
#[path = "../../../../crates/lanes/src/field/multiply.rs"]
mod multiply;
#[path = "../../../../crates/lanes/src/field/portable.rs"]
mod portable;
#[path = "../../../../crates/lanes/src/field/powers.rs"]
mod powers;
#[path = "../../../../crates/lanes/src/field/word.rs"]
mod word;

mod prime;
mod tiny;
mod words;

pub(crate) use called::Called;
pub(crate) use constants::{ONE, SQRT_M1, ZERO};
pub(crate) use element::{Field, Wide};
pub(crate) use inverse::invert_all;
pub(crate) use limbs::{Limbs, from_bytes, from_radix_52, to_bytes, to_radix_52};
pub(crate) use memory::prefetch;
pub(crate) use powers::{add, equal, mul, negate_if, quartic_character, sqrt_ratio, square, sub};
pub(crate) use prime::use_prime;
#[cfg(all(target_arch = "x86_64", debug_assertions))]
pub(crate) use tiny::AvxIfmaTwin;
pub(crate) use tiny::{Avx2, Avx512, Portable, Portable as PortableCalls, long_power};
#[cfg(target_arch = "x86_64")]
pub(crate) use tiny::{AvxIfma, Ifma, Ifma52};
pub(crate) use word::{Vector, Word};
