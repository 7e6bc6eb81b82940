//! A field whose products are function calls, for code that a stage rarely runs.
//!
//! Each inlined product adds a few hundred bytes of code, which take time to compile. Inlining is worthwhile
//! in a loop that runs hundreds of times for each item. Elsewhere, calling a function that is compiled once
//! for each backend is hardly slower.

use super::constants::ZERO;
use super::element::{Field, Wide};
use super::limbs::Limbs;

/// The field F, with products as function calls.
#[derive(Clone, Copy)]
pub struct Called<F>(pub F);

impl<F: Field> Field for Called<F> {
    type Word = F::Word;
    const RADIX: u32 = F::RADIX;
    const WIDE: u64 = F::WIDE;
    const BIAS: Limbs = F::BIAS;

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<F::Word> {
        self.product(other).widen()
    }

    #[inline(always)]
    fn square(self) -> Wide<F::Word> {
        self.squared().widen()
    }

    #[inline(always)]
    fn product(self, other: Self) -> Self {
        Self(self.0.product_called(other.0))
    }

    #[inline(always)]
    fn squared(self) -> Self {
        Self(self.0.squared_called())
    }

    // Each method below calls the same method of F.

    #[inline(always)]
    fn from_words(words: [F::Word; 5]) -> Self {
        Self(F::from_words(words))
    }

    #[inline(always)]
    fn words(self) -> [F::Word; 5] {
        self.0.words()
    }

    #[inline(always)]
    fn from_limbs(limbs: [F::Word; 5]) -> Self {
        Self(F::from_limbs(limbs))
    }

    #[inline(always)]
    fn limbs(self) -> [F::Word; 5] {
        self.0.limbs()
    }

    #[inline(always)]
    fn from_row(row: [F::Word; 5]) -> Self {
        Self(F::from_row(row))
    }

    #[inline(always)]
    fn row(self) -> [F::Word; 5] {
        self.0.row()
    }

    #[inline(always)]
    fn carry(wide: Wide<F::Word>) -> Self {
        Self(F::carry(wide))
    }

    #[inline(always)]
    fn carry_product(product: Wide<F::Word>) -> Self {
        Self(F::carry_product(product))
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        let (mut bases, mut powers) = ([F::splat(ZERO); N], a);
        for i in 0..N {
            bases[i] = a[i].0;
        }
        bases = F::power_2_250_minus_1(bases);
        for i in 0..N {
            powers[i] = Self(bases[i]);
        }
        powers
    }

    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self(F::splat(limbs))
    }

    #[inline(always)]
    fn widen(self) -> Wide<F::Word> {
        self.0.widen()
    }

    #[inline(always)]
    fn add(a: Wide<F::Word>, b: Wide<F::Word>) -> Wide<F::Word> {
        F::add(a, b)
    }

    #[inline(always)]
    fn above(a: Wide<F::Word>) -> Wide<F::Word> {
        F::above(a)
    }

    #[inline(always)]
    fn difference(a: Wide<F::Word>, b: Wide<F::Word>) -> Wide<F::Word> {
        F::difference(a, b)
    }

    #[inline(always)]
    fn negate_where(mask: u8, a: Wide<F::Word>) -> Wide<F::Word> {
        F::negate_where(mask, a)
    }

    #[inline(always)]
    fn canonical(self) -> [F::Word; 5] {
        self.0.canonical()
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        self.0.is_zero()
    }

    #[inline(always)]
    fn is_odd(self) -> u8 {
        self.0.is_odd()
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self(F::select(mask, set.0, clear.0))
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Wide<F::Word>, clear: Wide<F::Word>) -> Wide<F::Word> {
        F::select_wide(mask, set, clear)
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        Self(self.0.shuffle::<ORDER>())
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32>(wide: Wide<F::Word>) -> Wide<F::Word> {
        F::shuffle_wide::<ORDER>(wide)
    }

    #[inline(always)]
    fn check_tight(self) {
        self.0.check_tight();
    }
}
