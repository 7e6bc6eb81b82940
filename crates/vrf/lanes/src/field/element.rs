//! An element of GF(2^255-19) in each lane: operations of each backend, and operations built from them.

use super::constants::ZERO;
use super::limbs::{self, Limbs, TIGHT, check};
use super::word::{Vector, Word};

/// A sum or difference of products and widened elements. Its limbs are integers that may need a carry.
#[derive(Clone, Copy)]
pub struct Wide<W>(pub [W; 5]);

/// An element with tight limbs in each lane.
///
/// A backend supplies the product, the square, the carry and conversions of its limbs. The other methods are
/// built from these. Values of a backend's type exist only inside the entry points in `stages`, which are
/// called only after the instructions that the methods use were detected.
pub trait Field: Copy {
    /// The words that hold limbs.
    type Word: Vector;

    /// The number of elements in one value, at most 8.
    const LANES: usize = Self::Word::LANES;

    /// The exponent of the radix, 51 or 52: wide limb i has the weight 2^(RADIX·i).
    const RADIX: u32 = 51;

    /// An exclusive bound on wide limbs.
    const WIDE: u64;

    /// A multiple of p that is added to a minuend to keep the difference positive. No limb of the subtrahend
    /// may exceed the corresponding limb of the bias.
    const BIAS: Limbs;

    /// Makes an element from limbs in the backend's own representation.
    fn from_words(words: [Self::Word; 5]) -> Self;

    /// The limbs in the backend's own representation.
    fn words(self) -> [Self::Word; 5];

    /// Makes an element from tight integer limbs.
    fn from_limbs(limbs: [Self::Word; 5]) -> Self;

    /// The limbs as tight integers.
    fn limbs(self) -> [Self::Word; 5];

    /// Makes an element from its [`row`](Self::row).
    #[inline(always)]
    fn from_row(row: [Self::Word; 5]) -> Self {
        Self::from_limbs(row)
    }

    /// The words to store in a row that only engines of this radix will load. In radix 52, these words are
    /// cheaper to compute than [`limbs`](Self::limbs).
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

    /// a·b, carried, computed by a function call. The function is compiled once, with the backend's
    /// instruction set (see [`Called`](super::Called)).
    #[inline(always)]
    fn product_called(self, other: Self) -> Self {
        self.product(other)
    }

    /// a², carried, computed by a function call.
    #[inline(always)]
    fn squared_called(self) -> Self {
        self.squared()
    }

    /// a·b + [`BIAS`](Self::BIAS), as the minuend of a [`difference`](Self::difference). If a backend adds
    /// its products to a sum, the sum can start from the bias, which then costs nothing.
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

    /// Carries one product or one widened element. This is free on backends with carried products.
    #[inline(always)]
    fn carry_product(product: Wide<Self::Word>) -> Self {
        Self::carry(product)
    }

    /// a^(2^250 - 1) for N values side by side. Each backend compiles `powers::power_2_250_minus_1` with its
    /// instruction set and does *not* inline it, because that function is long and every root needs it.
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N];

    /// The same element in every lane, from tight limbs.
    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self::from_limbs(limbs::splat(limbs))
    }

    /// The element as a term of a sum.
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

    /// a + [`BIAS`](Self::BIAS). The bias is 0 mod p.
    #[inline(always)]
    fn above(a: Wide<Self::Word>) -> Wide<Self::Word> {
        Self::add(a, Wide(limbs::splat(Self::BIAS)))
    }

    /// a - b, for an a that already includes the bias.
    #[inline(always)]
    fn difference(a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        check(&b.0, Self::BIAS[0] + 1);
        Wide(limbs::sub(a.0, b.0))
    }

    /// The empty sum, which is 0.
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

    /// The limbs of the least residue. Each limb is below 2^51, and the value is below p.
    #[inline(always)]
    fn canonical(self) -> [Self::Word; 5] {
        // After one carry, the value is below 2p.
        limbs::canonical(Self::carry(self.widen()).limbs())
    }

    /// A mask, with bit l set if lane l is 0 mod p.
    #[inline(always)]
    fn is_zero(self) -> u8 {
        limbs::are_zero(self.canonical())
    }

    /// A mask, with bit l set if lane l's least residue is odd. RFC 8032 calls such an element "negative".
    #[inline(always)]
    fn is_odd(self) -> u8 {
        limbs::lowest_bit(self.canonical()[0])
    }

    /// Selects lane by lane: lane l gets the element of `set` if bit l of the mask is set, else the element
    /// of `clear`. Constant time.
    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self::from_words(limbs::select(mask, set.words(), clear.words()))
    }

    /// [`select`](Self::select) for sums.
    #[inline(always)]
    fn select_wide(mask: u8, set: Wide<Self::Word>, clear: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide(limbs::select(mask, set.0, clear.0))
    }

    /// Permutes the elements in each group of four lanes: lane l of a group gets the element of lane (ORDER
    /// >> 2l) mod 4 of the same group.
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

    /// Asserts, if words are checked, that the limbs are tight.
    #[inline(always)]
    fn check_tight(self) {
        if Self::Word::CHECKED {
            check(&self.limbs(), TIGHT);
        }
    }
}
