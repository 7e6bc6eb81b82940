//! An element of GF(2^255-19) in each lane: the operations that a backend supplies, and those
//! written once for all.

use super::constants::ZERO;
use super::limbs::{self, Limbs, TIGHT, check};
use super::word::{Vector, Word};

/// Sums and differences of products: limbs as integers, not carried.
#[derive(Clone, Copy)]
pub struct Wide<W>(pub [W; 5]);

/// An element in each lane, its limbs tight.
///
/// A backend supplies product, square, carry and the conversion of its limbs; the rest
/// follows. The methods use instructions that the processor must have: values of a
/// backend's type exist only below the entry points in `stages`, which are reached after
/// detection.
pub trait Field: Copy {
    /// The words that hold limbs.
    type Word: Vector;

    /// The number of elements in one value, at most 8.
    const LANES: usize = Self::Word::LANES;

    /// The radix as a power of 2, 51 or 52: wide limb i has the weight 2^(RADIX·i).
    const RADIX: u32 = 51;

    /// An exclusive bound on wide limbs.
    const WIDE: u64;

    /// A multiple of p that is added to a difference to keep it positive: no limb of a subtrahend
    /// may exceed the same limb of the bias.
    const BIAS: Limbs;

    /// The element with these limbs, as the backend holds them.
    fn from_words(words: [Self::Word; 5]) -> Self;

    /// The limbs as the backend holds them.
    fn words(self) -> [Self::Word; 5];

    /// The element with these limbs, as tight integers.
    fn from_limbs(limbs: [Self::Word; 5]) -> Self;

    /// The limbs, as tight integers.
    fn limbs(self) -> [Self::Word; 5];

    /// The element from its [`row`](Self::row).
    #[inline(always)]
    fn from_row(row: [Self::Word; 5]) -> Self {
        Self::from_limbs(row)
    }

    /// The words for rows that only engines of this radix read: cheaper than limbs if the radix is
    /// not 51.
    #[inline(always)]
    fn row(self) -> [Self::Word; 5] {
        self.limbs()
    }

    /// a·b, as wide limbs.
    fn mul(self, other: Self) -> Wide<Self::Word>;

    /// a², as wide limbs.
    fn square(self) -> Wide<Self::Word>;

    /// a·b, carried.
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        Self::carry_product(self.mul(other))
    }

    /// a², carried.
    #[inline(always)]
    fn squared(self) -> Self {
        Self::carry_product(self.square())
    }

    /// a·b, carried, by a call of a function that is compiled once, with the backend's
    /// instruction set: see [`Called`](super::Called).
    #[inline(always)]
    fn product_called(self, other: Self) -> Self {
        self.product(other)
    }

    /// a², carried, by a call.
    #[inline(always)]
    fn squared_called(self) -> Self {
        self.squared()
    }

    /// a·b + [`BIAS`](Self::BIAS): the minuend of a [`difference`](Self::difference). A multiplier
    /// that adds can begin with the bias, at no cost.
    #[inline(always)]
    fn mul_above(self, other: Self) -> Wide<Self::Word> {
        Self::above(self.mul(other))
    }

    /// a² + [`BIAS`](Self::BIAS).
    #[inline(always)]
    fn square_above(self) -> Wide<Self::Word> {
        Self::above(self.square())
    }

    /// Carries wide limbs to tight limbs of the same element.
    fn carry(wide: Wide<Self::Word>) -> Self;

    /// The carry of one product or one widened element alone: free on a backend whose
    /// products are carried already.
    #[inline(always)]
    fn carry_product(product: Wide<Self::Word>) -> Self {
        Self::carry(product)
    }

    /// a^(2^250 - 1) of N values side by side: `powers::power_2_250_minus_1`,
    /// compiled with the backend's instruction set and *not* inlined. It is long, and every
    /// root needs it.
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N];

    /// The same element in every lane; its limbs are tight.
    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self::from_limbs(limbs::splat(limbs))
    }

    /// The element itself, as a term of sums.
    #[inline(always)]
    fn widen(self) -> Wide<Self::Word> {
        Wide(self.limbs())
    }

    /// a + b, not carried.
    #[inline(always)]
    fn add(a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide(limbs::add(a.0, b.0))
    }

    /// a - b, not carried.
    #[inline(always)]
    fn sub(a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        Self::difference(Self::above(a), b)
    }

    /// a + [`BIAS`](Self::BIAS), which is 0 mod p.
    #[inline(always)]
    fn above(a: Wide<Self::Word>) -> Wide<Self::Word> {
        Self::add(a, Wide(limbs::splat(Self::BIAS)))
    }

    /// a - b, where one of the terms of a includes the bias.
    #[inline(always)]
    fn difference(a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        check(&b.0, Self::BIAS[0] + 1);
        Wide(limbs::sub(a.0, b.0))
    }

    /// The sum of no terms.
    #[inline(always)]
    fn zero() -> Wide<Self::Word> {
        Wide(limbs::splat(ZERO))
    }

    /// a + b where the mask is set, else a. Constant time.
    #[inline(always)]
    fn add_where(mask: u8, a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide(unroll!(5, I => Self::Word::add_where(mask, a.0[I], b.0[I])))
    }

    /// -a where the mask is set, else a. Constant time.
    #[inline(always)]
    fn negate_where(mask: u8, a: Wide<Self::Word>) -> Wide<Self::Word> {
        check(&a.0, Self::BIAS[0] + 1);
        Wide(unroll!(5, I => Self::Word::subtract_where(mask, Self::BIAS[I], a.0[I])))
    }

    /// The limbs of the least residue: each below 2^51, the value below p.
    #[inline(always)]
    fn canonical(self) -> [Self::Word; 5] {
        // One carry, so that the value is below 2p.
        limbs::canonical(Self::carry(self.widen()).limbs())
    }

    /// A mask, with bit l set if lane l is 0 mod p.
    #[inline(always)]
    fn is_zero(self) -> u8 {
        limbs::are_zero(self.canonical())
    }

    /// A mask, with bit l set if lane l's least residue is odd: "negative" in RFC 8032.
    #[inline(always)]
    fn is_odd(self) -> u8 {
        limbs::lowest_bit(self.canonical()[0])
    }

    /// In lane l the element of `set` where bit l of the mask is set, else that of `clear`. Constant time.
    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self::from_words(limbs::select(mask, set.words(), clear.words()))
    }

    /// [`select`](Self::select) for sums.
    #[inline(always)]
    fn select_wide(mask: u8, set: Wide<Self::Word>, clear: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide(limbs::select(mask, set.0, clear.0))
    }

    /// Moves elements within groups of four: element l becomes the group's element (ORDER >> 2l) mod 4.
    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        let words = self.words();
        Self::from_words(unroll!(5, I => words[I].shuffle::<ORDER>()))
    }

    /// [`shuffle`](Self::shuffle) for sums.
    #[inline(always)]
    fn shuffle_wide<const ORDER: i32>(wide: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide(unroll!(5, I => wide.0[I].shuffle::<ORDER>()))
    }

    /// Asserts that the limbs are tight, if words are checked.
    #[inline(always)]
    fn check_tight(self) {
        if Self::Word::CHECKED {
            check(&self.limbs(), TIGHT);
        }
    }
}
