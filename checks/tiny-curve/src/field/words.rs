//! Words in lanes, as arrays.

use std::array::from_fn;

use klero_lanes::unstable::field::{Vector, Word};

/// A word in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Words<const LANES: usize>(pub(crate) [u64; LANES]);

impl<const LANES: usize> Words<LANES> {
    /// The same of both words in each lane.
    #[inline(always)]
    pub(crate) fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(from_fn(|lane| f(self.0[lane], other.0[lane])))
    }

    /// The first where the mask is set, else the second.
    #[inline(always)]
    fn where_set(mask: u8, set: Self, clear: Self) -> Self {
        Self(from_fn(|lane| {
            if mask >> lane & 1 == 1 {
                set.0[lane]
            } else {
                clear.0[lane]
            }
        }))
    }
}

impl<const LANES: usize> Word for Words<LANES> {
    const LANES: usize = LANES;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self([word; LANES])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        Self(self.0.map(|word| word << BITS))
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Self(self.0.map(|word| word >> BITS))
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        self.zip(other, |a, b| u64::from(a as u32) * u64::from(b as u32))
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self::where_set(mask, set, clear)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        let lanes = self.0.iter().enumerate();
        lanes.fold(0, |mask, (lane, word)| mask | u8::from(*word == 0) << lane)
    }

    fn all_below(&self, bound: u64) -> bool {
        self.0.iter().all(|word| *word < bound)
    }
}

impl<const LANES: usize> Vector for Words<LANES> {
    #[inline(always)]
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        from_fn(|i| Self(from_fn(|lane| rows[lane][i])))
    }

    #[inline(always)]
    fn store_rows<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        for (lane, row) in rows.iter_mut().enumerate().take(LANES) {
            *row = words.map(|word| word.0[lane]);
        }
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self(from_fn(|lane| words[lane]))
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[..LANES].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        if LANES == 1 {
            return self;
        }
        let from = |lane: usize| lane / 4 * 4 + (ORDER >> (2 * (lane % 4)) & 3) as usize;
        Self(from_fn(|lane| self.0[from(lane)]))
    }

    #[inline(always)]
    fn add_where(mask: u8, a: Self, b: Self) -> Self {
        Self::where_set(mask, a.add(b), a)
    }

    #[inline(always)]
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self {
        Self::where_set(mask, Self::splat(from).sub(a), a)
    }

    fn big_endian(self) -> Self {
        unimplemented!("only hashes need it")
    }

    fn rotate_right<const BITS: i32>(self) -> Self {
        unimplemented!("only hashes need it")
    }

    fn xor3(_: Self, _: Self, _: Self) -> Self {
        unimplemented!("only hashes need it")
    }

    fn choose(_: Self, _: Self, _: Self) -> Self {
        unimplemented!("only hashes need it")
    }

    fn majority(_: Self, _: Self, _: Self) -> Self {
        unimplemented!("only hashes need it")
    }
}
