//! The field on one lane of 64-bit words, for every processor. Tests compare the vector backends with it.
//!
//! Outside WebAssembly, this field sums products in columns of 128 bits (`columns128`). In WebAssembly, each
//! product of 128 bits would need a function call, so there the columns have 64 bits (`columns64`). Tests run
//! both kinds of columns on every platform.

use core::marker::PhantomData;

use super::element::{Field, Wide};
use super::limbs::{self, Limbs, TIGHT, check};
use super::multiply::Multiply;
use super::powers::power_2_250_minus_1;
use super::word::{Vector, Word};

/// The field on one lane, with products in columns of 128 bits.
#[cfg(not(target_family = "wasm"))]
pub type Portable = OneLane<super::columns128::Columns128>;

/// The field on one lane, with products in columns of 64 bits.
#[cfg(target_family = "wasm")]
pub type Portable = OneLane<super::columns64::Columns64>;

/// [`Portable`] with products that are called as functions, not inlined. It is for sums of public terms.
//
// It is not for secret terms: a call may leave an operand of a selection in memory, and then the compiler may
// turn the selection into a branch.
pub type PortableCalls = OneLane<Calls<<Portable as Of>::Multiplier>>;

/// Gives access to the multiplier of a field of one lane.
pub trait Of {
    /// The multiplier.
    type Multiplier: Multiply;
}

impl<M: Multiply> Of for OneLane<M> {
    type Multiplier = M;
}

/// Multiplies like M, but in functions that are not inlined.
#[derive(Clone, Copy)]
pub struct Calls<M>(PhantomData<M>);

impl<M: Multiply> Multiply for Calls<M> {
    type Word = M::Word;
    const WIDE: u64 = M::WIDE;
    const BIAS: Limbs = M::BIAS;

    #[inline(never)]
    fn product(a: &[M::Word; 5], b: &[M::Word; 5]) -> [M::Word; 5] {
        M::product(a, b)
    }

    #[inline(never)]
    fn square(a: &[M::Word; 5]) -> [M::Word; 5] {
        M::square(a)
    }

    #[inline(always)]
    fn carry_product(product: [M::Word; 5]) -> [M::Word; 5] {
        M::carry_product(product)
    }
}

/// The field on one lane, with products computed by `M`.
#[derive(Clone, Copy)]
pub struct OneLane<M: Multiply>([M::Word; 5]);

impl<M: Multiply> Field for OneLane<M> {
    type Word = M::Word;
    const WIDE: u64 = M::WIDE;
    const BIAS: Limbs = M::BIAS;

    #[inline(always)]
    fn from_words(words: [M::Word; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(self) -> [M::Word; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [M::Word; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(limbs)
    }

    #[inline(always)]
    fn limbs(self) -> [M::Word; 5] {
        self.0
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<M::Word> {
        self.check_tight();
        other.check_tight();
        Wide(M::product(&self.0, &other.0))
    }

    #[inline(always)]
    fn square(self) -> Wide<M::Word> {
        self.check_tight();
        Wide(M::square(&self.0))
    }

    #[inline(always)]
    fn carry(wide: Wide<M::Word>) -> Self {
        check(&wide.0, Self::WIDE);
        Self::from_limbs(limbs::carry(wide.0))
    }

    #[inline(always)]
    fn carry_product(product: Wide<M::Word>) -> Self {
        Self::from_limbs(M::carry_product(product.0))
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        #[inline(never)]
        fn compiled<M: Multiply, const N: usize>(a: [OneLane<M>; N]) -> [OneLane<M>; N] {
            power_2_250_minus_1(a)
        }
        compiled(a)
    }
}

impl Word for u64 {
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        self << BITS
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        self >> BITS
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        (self & 0xffff_ffff) * (other & 0xffff_ffff)
    }

    #[inline(always)]
    fn times_19(self) -> Self {
        self.wrapping_mul(19)
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        let mask = u64::from(mask & 1).wrapping_neg();
        clear ^ (mask & (set ^ clear))
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        u8::from(self == 0)
    }

    fn all_below(&self, bound: u64) -> bool {
        *self < bound
    }
}

impl Vector for u64 {
    #[inline(always)]
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [u64; N] {
        *rows[0]
    }

    #[inline(always)]
    fn store_rows<const N: usize>(words: &[u64; N], rows: &mut [[u64; N]; 8]) {
        rows[0] = *words;
    }

    #[inline(always)]
    fn load(words: &[u64]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self;
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        self
    }

    #[inline(always)]
    fn look_up<const N: usize>(tables: &[[u64; 32]; N], masks: [u8; 5]) -> [u64; N] {
        let mut index = 0;
        for (j, mask) in masks.into_iter().enumerate() {
            index |= u64::from(mask & 1) << j;
        }
        // Sets word `index` to all ones and the others to 0. `place ^ index` is 0 there, and from 1 to 31
        // elsewhere. Subtracting 1 sets the top bit only of 0.
        let mut chosen = [0; 32];
        for (place, chosen) in (0..).zip(&mut chosen) {
            *chosen = ((place ^ index).wrapping_sub(1) >> 63).wrapping_neg();
        }
        let mut out = [0; N];
        for (out, table) in out.iter_mut().zip(tables) {
            for (word, chosen) in table.iter().zip(&chosen) {
                *out |= word & chosen;
            }
        }
        out
    }

    #[inline(always)]
    fn add_where(mask: u8, a: Self, b: Self) -> Self {
        a.wrapping_add(Self::select(mask, b, 0))
    }

    #[inline(always)]
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self {
        Self::select(mask, from.wrapping_sub(a), a)
    }

    #[inline(always)]
    fn big_endian(self) -> Self {
        Self::from_be(self)
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        self.rotate_right(BITS as u32)
    }

    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        a ^ b ^ c
    }

    #[inline(always)]
    fn choose(mask: Self, set: Self, clear: Self) -> Self {
        clear ^ (mask & (set ^ clear))
    }

    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        (a & b) | (c & (a | b))
    }
}
