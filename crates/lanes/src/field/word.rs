//! The operations on vectors of 64-bit words, one in each lane, that arithmetic is written over.
//!
//! The kernels (product, square, carry, least residue) use [`Word`] and at most one of `Madd52`,
//! `Fma` and `Wide128`, and nothing else. So any type with these operations can execute them, and
//! the operations are few enough to be modelled. [`Vector`] has the other operations of a register:
//! on memory, between lanes, and for hashing.

/// A word in each lane. Sums, differences and shifts are modulo 2^64.
pub trait Word: Copy {
    /// The number of lanes, at most 8.
    const LANES: usize;

    /// True if bounds are asserted: in checked builds, and in every build on words made for checks.
    const CHECKED: bool = cfg!(debug_assertions);

    /// The same word in every lane.
    fn splat(word: u64) -> Self;

    /// a + b in each lane.
    fn add(self, other: Self) -> Self;

    /// a - b in each lane.
    fn sub(self, other: Self) -> Self;

    /// a & b.
    fn and(self, other: Self) -> Self;

    /// a | b.
    fn or(self, other: Self) -> Self;

    /// a·2^BITS.
    fn shift_left<const BITS: i32>(self) -> Self;

    /// a / 2^BITS, rounded down.
    fn shift_right<const BITS: i32>(self) -> Self;

    /// The product of the low 32 bits of both.
    fn mul32(self, other: Self) -> Self;

    /// 19·a.
    #[inline(always)]
    fn times_19(self) -> Self {
        self.shift_left::<4>().add(self.add(self)).add(self)
    }

    /// In lane l the word of `set` where bit l of the mask is set, else that of `clear`. Constant time.
    fn select(mask: u8, set: Self, clear: Self) -> Self;

    /// A mask, with bit l set if lane l is 0.
    fn is_zero(self) -> u8;

    /// True if every lane is below the bound. Called only if words are [`CHECKED`](Self::CHECKED).
    fn all_below(&self, bound: u64) -> bool;
}

/// The 52-bit multiplier: factors are the low 52 bits of each word. It is a trait apart from [`Word`],
/// since two encodings of its instructions multiply the same vectors of four words.
#[cfg(target_arch = "x86_64")]
pub trait Madd52: Copy {
    /// The words that it multiplies.
    type Word: Vector;

    /// sum + the low 52 bits of a·b.
    fn low(sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// sum + a·b / 2^52, rounded down.
    fn high(sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// 19·a, for all 64 bits of a.
    fn times_19(a: Self::Word) -> Self::Word;
}

/// Words that hold the bits of doubles. No operation may raise a floating-point exception
/// that the caller of a stage could see.
#[cfg(target_arch = "x86_64")]
pub trait Fma: Word {
    /// a·b + c, rounded once.
    fn double_mul_add(a: Self, b: Self, c: Self) -> Self;

    /// a + b, as doubles.
    fn double_add(self, other: Self) -> Self;

    /// a - b, as doubles.
    fn double_sub(self, other: Self) -> Self;
}

/// Words whose products are twice as wide.
pub trait Wide128: Word {
    /// A sum of products: two words.
    type Sum: Copy;

    /// a·b, two words.
    fn product(self, other: Self) -> Self::Sum;

    /// a + b, two words each.
    fn add_sums(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// a / 2^BITS, rounded down, as two words.
    fn shift_sum_right<const BITS: i32>(a: Self::Sum) -> Self::Sum;

    /// a as the low half of a sum.
    fn to_sum(self) -> Self::Sum;

    /// The low 64 bits.
    fn low(a: Self::Sum) -> Self;

    /// True if a is below 2^BITS. Called only if words are checked.
    fn sum_below<const BITS: i32>(a: Self::Sum) -> bool;
}

/// Words of one lane, which can be shifted by counts that are not constants.
pub trait OneWord: Wide128 {
    /// a·2^count, for a count below 64.
    fn shift_left_by(self, count: u32) -> Self;

    /// a / 2^count, rounded down, for a count below 64.
    fn shift_right_by(self, count: u32) -> Self;
}

impl OneWord for u64 {
    #[inline(always)]
    fn shift_left_by(self, count: u32) -> Self {
        self << count
    }

    #[inline(always)]
    fn shift_right_by(self, count: u32) -> Self {
        self >> count
    }
}

/// The place of a signed digit, in integers with `half` added to each digit.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The digit's lowest bit in the word where it begins, below 64.
    pub shift: u32,
    /// The mask of the digit's bits after that shift: 2^width - 1.
    pub mask: u64,
    /// The number that was added to the digit.
    pub half: u64,
}

/// The digit at this place in an integer of two words, with `half` added.
#[inline(always)]
pub fn cut_out<W: OneWord>(low: W, high: W, cut: Cut) -> W {
    let low = low.shift_right_by(cut.shift);
    let high = high.shift_left::<1>().shift_left_by(63 - cut.shift);
    low.or(high).and(W::splat(cut.mask))
}

/// A signed digit of each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// A mask, with bit l set if the digit of lane l is negative.
    pub negative: u8,
    /// The magnitudes; 0 in lanes that a vector does not have.
    pub magnitudes: [u64; 8],
}

/// The digits of the first lanes, from the words that they begin in and the words after these: the
/// readable twin of [`Vector::digits`].
#[inline(always)]
pub fn digits_one_by_one(low: &[u64; 8], high: &[u64; 8], cut: Cut, lanes: usize) -> Digits {
    let mut digits = Digits {
        negative: 0,
        magnitudes: [0; 8],
    };
    for lane in 0..lanes {
        let raised = cut_out(low[lane], high[lane], cut);
        digits.negative |= u8::from(raised < cut.half) << lane;
        digits.magnitudes[lane] = raised.abs_diff(cut.half);
    }
    digits
}

/// The readable twin of [`Vector::look_up`].
#[inline(always)]
pub fn look_up_by_selections<W: Word, const N: usize>(
    tables: &[[u64; 32]; N],
    masks: [u8; 5],
) -> [W; N] {
    let mut out = [W::splat(0); N];
    for (out, table) in out.iter_mut().zip(tables) {
        let mut left = [W::splat(0); 32];
        for (left, word) in left.iter_mut().zip(table) {
            *left = W::splat(*word);
        }
        for (j, mask) in masks.into_iter().enumerate().rev() {
            for i in 0..1 << j {
                left[i] = W::select(mask, left[i | 1 << j], left[i]);
            }
        }
        *out = left[0];
    }
    out
}

/// A register: words that are loaded, stored, moved between lanes and hashed.
pub trait Vector: Word {
    /// Loads word i of lane l from `rows[l][i]`.
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N];

    /// Stores word i of lane l to `rows[l][i]`; the rows from number `LANES` on stay as they are.
    fn store_rows<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]);

    /// Loads lane l from `words[l]`.
    ///
    /// # Panics
    /// If there are fewer words than `LANES`.
    fn load(words: &[u64]) -> Self;

    /// Stores lane l to `words[l]`.
    ///
    /// # Panics
    /// If there are fewer words than `LANES`.
    fn store(self, words: &mut [u64]);

    /// The digits at this place in integers of two words, `low[l]` and `high[l]`.
    #[inline(always)]
    fn digits(low: &[u64; 8], high: &[u64; 8], cut: Cut) -> Digits {
        digits_one_by_one(low, high, cut, Self::LANES)
    }

    /// Item Σ 2^j·m_j of each table in each lane, where m_j is the lane's bit of mask j. Constant
    /// time: the whole tables are read.
    #[inline(always)]
    fn look_up<const N: usize>(tables: &[[u64; 32]; N], masks: [u8; 5]) -> [Self; N] {
        look_up_by_selections(tables, masks)
    }

    /// Moves words within groups of four lanes: lane l of a group gets the word of the group's lane
    /// (ORDER >> 2l) mod 4. A single lane keeps its word.
    fn shuffle<const ORDER: i32>(self) -> Self;

    /// a + b where bit l of the mask is set, else a. Constant time.
    fn add_where(mask: u8, a: Self, b: Self) -> Self;

    /// from - a where bit l of the mask is set, else a. Constant time.
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self;

    /// The words as if loaded with the highest byte first, not in the processor's byte order.
    fn big_endian(self) -> Self;

    /// Rotates all bits to the right; BITS from 1 to 63.
    fn rotate_right<const BITS: i32>(self) -> Self;

    /// a ^ b ^ c.
    fn xor3(a: Self, b: Self, c: Self) -> Self;

    /// Each bit from `set` where the mask's bit is set, else from `clear`.
    fn choose(mask: Self, set: Self, clear: Self) -> Self;

    /// Each bit as in at least two of the three words.
    fn majority(a: Self, b: Self, c: Self) -> Self;
}
