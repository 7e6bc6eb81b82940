//! One lane of 64-bit words: for every processor, and the twin that the vector backends
//! are compared with.
//!
//! Tight: limbs below 2^51 + 2^32. Wide: limbs below 2^56. Products are carried at once
//! (their columns are 128 bits wide), so a later carry moves little.
//!
//! The largest column of a product is the lowest: one product of limbs and 4 times 19 that
//! wrapped around, 77·(2^51 + 2^32)² < 2^109. The highest, which carries into it again, is
//! five products, below 2^105.

use super::element::{Field, Wide};
use super::limbs::{self, LOW_51, Limbs, TIGHT, check, multiple_of_p};
use super::powers::power_2_250_minus_1;
use super::word::{Vector, Wide128, Word};

/// The field on one lane.
#[derive(Clone, Copy)]
pub(crate) struct Portable([u64; 5]);

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

impl Wide128 for u64 {
    type Sum = u128;

    #[inline(always)]
    fn product(self, other: Self) -> u128 {
        u128::from(self) * u128::from(other)
    }

    #[inline(always)]
    fn add_sums(a: u128, b: u128) -> u128 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn shift_sum_right<const BITS: i32>(a: u128) -> u128 {
        a >> BITS
    }

    #[inline(always)]
    fn to_sum(self) -> u128 {
        self.into()
    }

    #[inline(always)]
    fn low(a: u128) -> Self {
        a as u64
    }

    fn sum_below<const BITS: i32>(a: u128) -> bool {
        a >> BITS == 0
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

/// The columns of a product to limbs below 2^51 + 2^13.
#[inline(always)]
fn carry_columns<W: Wide128>(mut c: [W::Sum; 5]) -> [W; 5] {
    debug_assert!(c[..4].iter().all(|&column| W::sum_below::<109>(column)));
    debug_assert!(W::sum_below::<105>(c[4]));
    let mut out = [W::splat(0); 5];
    for i in 0..4 {
        c[i + 1] = W::add_sums(c[i + 1], W::shift_sum_right::<51>(c[i]));
        out[i] = W::low(c[i]).and(W::splat(LOW_51));
    }
    out[4] = W::low(c[4]).and(W::splat(LOW_51));
    // The top carry is below 2^54, 19 times it below 2^59.
    let top = W::low(W::shift_sum_right::<51>(c[4]));
    out[0] = out[0].add(top.times_19());
    out[1] = out[1].add(out[0].shift_right::<51>());
    out[0] = out[0].and(W::splat(LOW_51));
    out
}

/// The product of tight limbs.
#[inline(always)]
fn product<W: Wide128>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    let b19 = unroll!(5, I => b[I].times_19());
    let mut columns = [W::splat(0).to_sum(); 5];
    for i in 0..5 {
        for j in 0..5 {
            // i + j >= 5 wraps around with 2^255 = 19.
            let b = if i + j < 5 { b[j] } else { b19[j] };
            let column = &mut columns[(i + j) % 5];
            *column = W::add_sums(*column, a[i].product(b));
        }
    }
    carry_columns(columns)
}

/// The square of tight limbs.
#[inline(always)]
fn square<W: Wide128>([a0, a1, a2, a3, a4]: [W; 5]) -> [W; 5] {
    let (a3_19, a4_19) = (a3.times_19(), a4.times_19());
    // s + 2·(m + n)
    let column = |s: W::Sum, m: W::Sum, n: W::Sum| {
        let mixed = W::add_sums(m, n);
        W::add_sums(s, W::add_sums(mixed, mixed))
    };
    carry_columns([
        column(a0.product(a0), a1.product(a4_19), a2.product(a3_19)),
        column(a3.product(a3_19), a0.product(a1), a2.product(a4_19)),
        column(a1.product(a1), a0.product(a2), a4.product(a3_19)),
        column(a4.product(a4_19), a0.product(a3), a1.product(a2)),
        column(a2.product(a2), a0.product(a4), a1.product(a3)),
    ])
}

impl Field for Portable {
    type Word = u64;
    const WIDE: u64 = 1 << 56;
    /// At least 2^53 - 2^7.
    const BIAS: Limbs = multiple_of_p(2);

    #[inline(always)]
    fn from_words(words: [u64; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(self) -> [u64; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [u64; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(limbs)
    }

    #[inline(always)]
    fn limbs(self) -> [u64; 5] {
        self.0
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<u64> {
        self.check_tight();
        other.check_tight();
        Wide(product(self.0, other.0))
    }

    #[inline(always)]
    fn square(self) -> Wide<u64> {
        self.check_tight();
        Wide(square(self.0))
    }

    #[inline(always)]
    fn carry_limbs(wide: [u64; 5]) -> [u64; 5] {
        limbs::carry(wide)
    }

    #[inline(always)]
    fn carry_product(product: Wide<u64>) -> Self {
        Self::from_limbs(product.0)
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [[Self; N]; 2] {
        #[inline(never)]
        fn compiled<const N: usize>(a: [Portable; N]) -> [[Portable; N]; 2] {
            power_2_250_minus_1(a)
        }
        compiled(a)
    }
}
