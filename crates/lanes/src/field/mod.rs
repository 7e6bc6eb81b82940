//! GF(2^255-19) with one element in each lane of a vector register.
//!
//! | file | what it has |
//! |---|---|
//! | `word` | the operations on vectors of 64-bit words that everything below is written over |
//! | `limbs` | elements as five limbs of 51 bits, and the arithmetic that all backends share |
//! | `element` | the trait [`Field`]: what a backend supplies, and what follows from it |
//! | `called` | a field whose products are function calls, for code that a stage runs seldom |
//! | `powers` | carried products and sums, powers, square roots |
//! | `inverse` | inversion |
//! | `portable` | one lane: words of 64 bits |
//! | `multiply` | the trait `Multiply`: how a field of one lane multiplies |
//! | `columns128` | products in columns of 128 bits: on processors |
//! | `columns64` | products in columns of 64 bits: in WebAssembly |
//! | `ifma` | products by the 52-bit multiplier, for `ifma51` (eight lanes) and `avx-ifma` (four) |
//! | `radix52` | such products in limbs of 52 bits, for `ifma52` |
//! | `fma` | products in doubles, for `avx2` (four lanes) and `avx512` (eight) |
//! | `words256` | vectors of four words, for `avx-ifma` and `avx2` |
//! | `words512` | vectors of eight words, for `ifma51`, `ifma52` and `avx512` |
//! | `mxcsr` | the floating-point environment, which `avx2` must set |
//!
//! To add a backend, write a file with its words ([`Word`] and [`Vector`]) and its element ([`Field`]),
//! and a line in the tests of this module. Then add its row in `stages`, with the features that it
//! needs, and a line of `ALL`; its numbers in `tuning`; and in `formulas/lanes` how it holds eight
//! elements. Its name appears in `klero::Backend`, docs/install.md, docs/glossary.md, the help of the
//! command and of `bench`, the list of `bench/measure`, and the lists of `checks/constant-time` if
//! valgrind knows its instructions. `checks/kernels` shows that it is right for all inputs.
//!
//! A processor with AVX-512 IFMA runs both `ifma51` and `ifma52`; its vendor decides which is the
//! default.
//!
//! Everything above this module is written once over [`Field`], in functions marked
//! `#[inline(always)]`. The entry points of the stages are compiled once for each backend
//! with its instruction set switched on (see `stages`), and the formulas are inlined into
//! them. A formula that is not inlined there is compiled without the instruction set and
//! passes every vector through memory.
//!
//! # Tight and wide
//! In memory an element is five limbs of 51 bits, value Σ limb\[i\]·2^(51·i). (Rows that only
//! engines of one radix read are the exception, see [`Field::row`].)
//!
//! Products and sums stay *wide* (not carried) as long as they can; one *carry* makes an
//! element *tight* again. A formula may
//! * multiply tight elements,
//! * add up to three products or widened elements,
//! * subtract one product, one widened element, or the sum of two of them,
//!
//! before it carries. Each backend documents what that means in bits, and asserts it in checked
//! builds, and in every build on words made for checks ([`Word::CHECKED`]).

// The instructions of vectors, under a name that `checks/kernels` gives to its models of them.
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
