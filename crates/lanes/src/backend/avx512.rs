//! Eight lanes of AVX-512 F, for the processors that have no IFMA.

use core::arch::x86_64::*;

use super::radix25::{self, Place, Radix25, Vector, align_the_stack};
use super::words512;

/// The field on eight lanes of AVX-512 F.
pub(crate) type Avx512 = Radix25<Lanes>;

#[derive(Clone, Copy)]
pub(crate) struct Lanes(__m512i);

// SAFETY of every block here: values of this type exist only below the entry points
// in `engine`, which are reached only after AVX-512 F was found on this processor. Loads
// and stores go through references to arrays of the size that the instruction
// touches; what `compiled` was given to write it has written.

impl Vector for Lanes {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        unsafe { Self(_mm512_set1_epi64(word as i64)) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm512_sub_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        unsafe { Self(_mm512_mul_epu32(self.0, other.0)) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { Self(_mm512_and_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { Self(_mm512_or_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        unsafe { Self(_mm512_srlv_epi64(self.0, Self::splat(BITS as u64).0)) }
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        unsafe { Self(_mm512_sllv_epi64(self.0, Self::splat(BITS as u64).0)) }
    }

    fn all_below(&self, bound: u64) -> bool {
        words512::lanes(&self.0).iter().all(|&word| word < bound)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        words512::is_zero(self.0)
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        unsafe { Self(_mm512_mask_blend_epi64(mask, clear.0, set.0)) }
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        unsafe { Self(_mm512_permutex_epi64::<ORDER>(self.0)) }
    }

    type Octet = [Radix25<Self>; 1];

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        let words = words512::load_words(rows);
        let mut out = [Self(words[0]); N];
        for (out, word) in out.iter_mut().zip(words) {
            out.0 = word;
        }
        out
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        let mut vectors = [words[0].0; N];
        for (vector, word) in vectors.iter_mut().zip(words) {
            *vector = word.0;
        }
        words512::store_words(&vectors, rows);
    }

    #[inline(always)]
    fn load_lanes(words: &[u64]) -> Self {
        Self(words512::load_lanes(words))
    }

    #[inline(always)]
    fn store_lanes(self, words: &mut [u64]) {
        words512::store_lanes(self.0, words);
    }

    #[inline(always)]
    fn product<'a>(a: &[Self; 10], b: &[Self; 10], out: &'a mut Place<Self>) -> &'a [Self; 10] {
        #[target_feature(enable = "avx512f")]
        #[inline(never)]
        fn compiled(a: &[Lanes; 10], b: &[Lanes; 10], out: &mut Place<Lanes>) {
            align_the_stack::<Lanes>();
            out.write(radix25::product(a, b));
        }
        unsafe {
            compiled(a, b, out);
            out.assume_init_ref()
        }
    }

    #[inline(always)]
    fn square<'a>(a: &[Self; 10], out: &'a mut Place<Self>) -> &'a [Self; 10] {
        #[target_feature(enable = "avx512f")]
        #[inline(never)]
        fn compiled(a: &[Lanes; 10], out: &mut Place<Lanes>) {
            align_the_stack::<Lanes>();
            out.write(radix25::square(a));
        }
        unsafe {
            compiled(a, out);
            out.assume_init_ref()
        }
    }
}
