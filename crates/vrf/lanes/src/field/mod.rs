//! GF(2^255-19) with one element in each lane of a vector register.
//!
//! | file | what it has |
//! |---|---|
//! | `word` | the operations on vectors of 64-bit words, on which all other files are built |
//! | `limbs` | elements as five limbs of 51 bits, and the arithmetic that all backends share |
//! | `element` | the trait [`Field`]: the operations that a backend supplies, and others built from them |
//! | `called` | a field whose products are function calls, for code that a stage rarely runs |
//! | `powers` | carried products and sums, powers, square roots |
//! | `inverse` | inversion |
//! | `portable` | the field on one lane, in words of 64 bits |
//! | `multiply` | the trait `Multiply`: how a field of one lane multiplies |
//! | `columns128` | products in columns of 128 bits, used everywhere except in WebAssembly |
//! | `columns64` | products in columns of 64 bits, used in WebAssembly |
//! | `ifma` | products by the 52-bit multiplier, for `ifma51` (eight lanes) and `avx-ifma` (four) |
//! | `radix52` | products by the 52-bit multiplier in limbs of 52 bits, for `ifma52` |
//! | `fma` | products in doubles, for `avx2` (four lanes) and `avx512` (eight) |
//! | `words256` | vectors of four words, for `avx-ifma` and `avx2` |
//! | `words512` | vectors of eight words, for `ifma51`, `ifma52` and `avx512` |
//! | `mxcsr` | the floating-point environment, which `avx2` must set |
//!
//! To add a backend, write a file with its words ([`Word`] and [`Vector`]) and its element ([`Field`]), and
//! add a line to the tests of this module. In `stages`, add a row with the features that the backend needs,
//! and a line in `ALL`. Add its numbers to `tuning`, and define in `formulas/lanes` how the backend holds
//! eight elements. Add its name to `klero::Backend`, docs/install.md, docs/glossary.md, the help of the
//! command and of `bench`, and the list of `bench/measure`. If valgrind knows its instructions, add it to the
//! lists of `checks/constant-time`. Check with `checks/kernels` that the backend is correct for all inputs.
//!
//! A processor with AVX-512 IFMA can run both `ifma51` and `ifma52`. The processor's vendor
//! determines which of the two is the default.
//!
//! The modules that use this one are written once over [`Field`], in functions marked `#[inline(always)]`.
//! These functions are inlined into the entry points of the stages, which are compiled once for each backend,
//! with its instruction set enabled (see `stages`). A function that was not inlined would be compiled without
//! the instruction set, and would pass every vector through memory.
//!
//! # Tight and wide
//! In memory, an element is five limbs of 51 bits with the value Σ limb\[i\]·2^(51·i). The only exceptions
//! are rows that only engines of one radix read (see [`Field::row`]).
//!
//! Products and sums stay *wide* (not carried) as long as possible. One *carry* makes an element
//! *tight* again. Before it carries, a formula may
//! * multiply tight elements,
//! * add at most three products or widened elements,
//! * subtract one product, one widened element, or the sum of two of them.
//!
//! Each backend documents the resulting bounds in bits. The backend asserts these bounds in checked builds
//! and, for words made for checks ([`Word::CHECKED`]), in every build.

// The vector instructions. `checks/kernels` defines the same name for its models of the instructions.
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as instructions;

#[macro_use]
mod unroll;
mod called;
pub mod columns128;
pub mod columns64;
mod constants;
mod element;
mod inverse;
pub mod limbs;
mod memory;
pub mod multiply;
pub mod portable;
pub mod powers;
pub mod word;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod fma;
#[cfg(target_arch = "x86_64")]
pub mod ifma;
#[cfg(target_arch = "x86_64")]
mod mxcsr;
#[cfg(target_arch = "x86_64")]
pub mod radix52;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod words256;
#[cfg(target_arch = "x86_64")]
mod words512;

pub use called::Called;
pub use constants::{ONE, SQRT_M1, ZERO};
pub use element::{Field, Wide};
pub use inverse::{DIVISION_STEPS, STEPS_PER_MATRIX, invert_all};
pub use limbs::{Limbs, from_bytes, from_radix_52, to_bytes, to_radix_52};
pub use memory::{bytes_of, prefetch};
pub use portable::{Portable, PortableCalls};
pub use powers::{add, equal, mul, negate_if, quartic_character, sqrt_ratio, square, sub};
pub use word::{Cut, Digits, Vector, Word};

#[cfg(all(target_arch = "x86_64", debug_assertions))]
pub use ifma::AvxIfmaTwin;
#[cfg(target_arch = "x86_64")]
pub use {
    avx2::Avx2, avx512::Avx512, ifma::AvxIfma, ifma::Ifma, ifma::IfmaAlone,
    mxcsr::with_default_environment, radix52::Ifma52,
};
