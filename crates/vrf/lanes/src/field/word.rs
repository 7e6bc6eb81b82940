//! The operations on vectors of 64-bit words that all arithmetic is built on. Each lane has one word.
//!
//! The kernels (product, square, carry, least residue) use [`Word`] and at most one of `Madd52`, `Fma` and
//! `Wide128`, and nothing else. So they can run on any type with these operations, and are few enough for
//! `checks/kernels` to model. [`Vector`] has the other operations of a register, such as loads, stores, moves
//! between lanes, and those for hashing.

/// A word in each lane. Sums, differences and shifts to the left are modulo 2^64.
pub trait Word: Copy {
    /// The number of lanes, at most 8.
    const LANES: usize;

    /// True if bounds are asserted: in checked builds, and always for words that are made for checks.
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

    /// The product of the low 32 bits of both words.
    fn mul32(self, other: Self) -> Self;

    /// 19·a.
    #[inline(always)]
    fn times_19(self) -> Self {
        self.shift_left::<4>().add(self.add(self)).add(self)
    }

    /// Selects in each lane l the word of `set` if bit l of the mask is set, else the word of
    /// `clear`. Constant time.
    fn select(mask: u8, set: Self, clear: Self) -> Self;

    /// A mask, with bit l set if lane l is 0.
    fn is_zero(self) -> u8;

    /// True if every lane is below the bound. Called only if words are [`CHECKED`](Self::CHECKED).
    fn all_below(&self, bound: u64) -> bool;
}

/// The 52-bit multiplier, whose factors are the low 52 bits of each word. It is a separate trait, because
/// vectors of four words have two multipliers: the instruction has two different encodings.
#[cfg(target_arch = "x86_64")]
pub trait Madd52: Copy {
    /// The type of the words that are multiplied.
    type Word: Vector;

    /// sum + the low 52 bits of a·b.
    fn low(sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// sum + a·b / 2^52, rounded down.
    fn high(sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;

    /// 19·a, where a may use all 64 bits of its word.
    fn times_19(a: Self::Word) -> Self::Word;
}

/// Words that hold the bits of doubles. No operation may raise a floating-point exception that the
/// caller of a stage could observe.
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
    /// The type of a sum of products. It consists of two words.
    type Sum: Copy;

    /// a·b, as two words.
    fn product(self, other: Self) -> Self::Sum;

    /// a + b, where both terms and the sum have two words.
    fn add_sums(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// a / 2^BITS, rounded down, as two words.
    fn shift_sum_right<const BITS: i32>(a: Self::Sum) -> Self::Sum;

    /// a, as two words. The high word is 0.
    fn to_sum(self) -> Self::Sum;

    /// The low 64 bits of a sum.
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

/// The position of a signed digit in an integer. `half` was added to the digit beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The index, below 64, of the digit's lowest bit in the word where the digit begins.
    pub shift: u32,
    /// The mask of the digit's bits after a shift to the right by `shift`: 2^width - 1.
    pub mask: u64,
    /// The number that was added to the digit, and that is subtracted again after the cut.
    pub half: u64,
}

/// Cuts the digit at this position out of an integer of two words. The result still includes `half`.
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
    /// The magnitude of each lane's digit. It is 0 in lanes that the vector does not have.
    pub magnitudes: [u64; 8],
}

/// The digits of the first `lanes` lanes. `low` has the words where the digits begin, and `high`
/// has the next words. This is the readable twin of [`Vector::digits`].
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

/// A register of words, with loads, stores, moves between lanes, and operations for hashing.
pub trait Vector: Word {
    /// Loads word i of lane l from `rows[l][i]`.
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N];

    /// Stores word i of lane l to `rows[l][i]`. The rows from index `LANES` on are not changed.
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

    /// The digits at this position: in lane l, of the integer with the words `low[l]` and `high[l]`.
    #[inline(always)]
    fn digits(low: &[u64; 8], high: &[u64; 8], cut: Cut) -> Digits {
        digits_one_by_one(low, high, cut, Self::LANES)
    }

    /// Looks up item Σ 2^j·m_j of each table in each lane, where m_j is the lane's bit of mask j.
    /// Constant time, because the whole tables are read.
    #[inline(always)]
    fn look_up<const N: usize>(tables: &[[u64; 32]; N], masks: [u8; 5]) -> [Self; N] {
        look_up_by_selections(tables, masks)
    }

    /// Moves words within groups of four lanes: lane l of a group gets the word of the group's lane
    /// (ORDER >> 2l) mod 4. A single lane keeps its word.
    fn shuffle<const ORDER: i32>(self) -> Self;

    /// a + b in each lane l where bit l of the mask is set, else a. Constant time.
    fn add_where(mask: u8, a: Self, b: Self) -> Self;

    /// from - a in each lane l where bit l of the mask is set, else a. Constant time.
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self;

    /// The numbers that the bytes of the words in memory represent in big-endian order.
    fn big_endian(self) -> Self;

    /// Rotates each word to the right by BITS, from 1 to 63.
    fn rotate_right<const BITS: i32>(self) -> Self;

    /// a ^ b ^ c.
    fn xor3(a: Self, b: Self, c: Self) -> Self;

    /// Takes each bit from `set` if the same bit of the mask is set, else from `clear`.
    fn choose(mask: Self, set: Self, clear: Self) -> Self;

    /// Gives each bit the value that it has in at least two of the three words.
    fn majority(a: Self, b: Self, c: Self) -> Self;
}
