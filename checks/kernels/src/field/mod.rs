//! The field of klero-lanes, its own files, with words of another kind beside them.
//!
//! `model` gives the operations of `word` to what can execute them (see [`crate::words`]), and
//! `backends` puts the kernels over these words together as each backend does over its own.

#[macro_use]
#[path = "../../../../crates/lanes/src/field/unroll.rs"]
mod unroll;
#[path = "../../../../crates/lanes/src/field/avx2.rs"]
mod avx2;
#[path = "../../../../crates/lanes/src/field/avx512.rs"]
mod avx512;
#[path = "../../../../crates/lanes/src/field/called.rs"]
mod called;
#[path = "../../../../crates/lanes/src/field/columns128.rs"]
mod columns128;
#[path = "../../../../crates/lanes/src/field/columns64.rs"]
mod columns64;
#[path = "../../../../crates/lanes/src/field/constants.rs"]
mod constants;
#[path = "../../../../crates/lanes/src/field/element.rs"]
mod element;
#[path = "../../../../crates/lanes/src/field/fma.rs"]
mod fma;
#[path = "../../../../crates/lanes/src/field/ifma.rs"]
mod ifma;
#[path = "../../../../crates/lanes/src/field/inverse.rs"]
mod inverse;
#[path = "../../../../crates/lanes/src/field/limbs.rs"]
mod limbs;
#[allow(dead_code)]
#[path = "../../../../crates/lanes/src/field/memory.rs"]
mod memory;
#[path = "../../../../crates/lanes/src/field/multiply.rs"]
mod multiply;
#[path = "../../../../crates/lanes/src/field/portable.rs"]
mod portable;
#[path = "../../../../crates/lanes/src/field/powers.rs"]
mod powers;
#[path = "../../../../crates/lanes/src/field/radix52.rs"]
mod radix52;
#[allow(dead_code)]
#[path = "../../../../crates/lanes/src/field/word.rs"]
mod word;
#[path = "../../../../crates/lanes/src/field/words256.rs"]
mod words256;
#[path = "../../../../crates/lanes/src/field/words512.rs"]
mod words512;

pub mod any;
pub mod backends;
pub mod doubled;
pub mod kernels;
pub mod model;
pub mod source;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;
pub(crate) use called::Called;
pub(crate) use columns64::Columns64;
pub(crate) use columns128::Columns128;
#[cfg(test)]
pub(crate) use constants::SQRT_M1;
pub(crate) use constants::{ONE, ZERO};
pub(crate) use element::{Field, Wide};
pub(crate) use ifma::{AvxIfma, AvxIfmaTwin, Ifma};
pub(crate) use inverse::invert_all;
pub(crate) use limbs::{Limbs, TIGHT, from_bytes, from_radix_52, to_bytes, to_radix_52};
pub(crate) use memory::prefetch;
pub(crate) use portable::{Portable, PortableCalls};
pub(crate) use powers::{add, equal, mul, negate_if, quartic_character, sqrt_ratio, square, sub};
pub(crate) use radix52::Ifma52;
pub(crate) use word::{Vector, Word};
