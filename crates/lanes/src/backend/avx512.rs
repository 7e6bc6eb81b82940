//! Eight lanes of AVX-512 F, for the processors that have no IFMA.

use core::arch::x86_64::*;

use super::doubles::{self, Doubles, Place, Vector, product_and_square};
use super::{Word, words512};

/// The field on eight lanes of AVX-512 F.
pub(crate) type Avx512 = Doubles<__m512i>;

/// The mode of every instruction on doubles: it rounds to nearest, whatever the rounding
/// mode of the host, and raises no exception.
const ROUNDING: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

// SAFETY of every block here: the backend's code runs only below the entry points
// in `engine`, which are reached only after AVX-512 F was found on this processor. Loads
// and stores go through references to arrays of the size that the instruction
// touches.

impl Vector for __m512i {
    const LANES: usize = 8;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm512_sub_epi64(self, other) }
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        unsafe { _mm512_mul_epu32(self, other) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { _mm512_and_si512(self, other) }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { _mm512_or_si512(self, other) }
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        unsafe { _mm512_sllv_epi64(self, Self::splat(BITS as u64)) }
    }

    #[inline(always)]
    fn double_mul_add(a: Self, b: Self, c: Self) -> Self {
        unsafe {
            let (a, b) = (_mm512_castsi512_pd(a), _mm512_castsi512_pd(b));
            let c = _mm512_castsi512_pd(c);
            _mm512_castpd_si512(_mm512_fmadd_round_pd::<ROUNDING>(a, b, c))
        }
    }

    #[inline(always)]
    fn double_add(self, other: Self) -> Self {
        unsafe {
            let (a, b) = (_mm512_castsi512_pd(self), _mm512_castsi512_pd(other));
            _mm512_castpd_si512(_mm512_add_round_pd::<ROUNDING>(a, b))
        }
    }

    #[inline(always)]
    fn double_sub(self, other: Self) -> Self {
        unsafe {
            let (a, b) = (_mm512_castsi512_pd(self), _mm512_castsi512_pd(other));
            _mm512_castpd_si512(_mm512_sub_round_pd::<ROUNDING>(a, b))
        }
    }

    fn all_below(&self, bound: u64) -> bool {
        words512::lanes(self).iter().all(|&word| word < bound)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        words512::is_zero(self)
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        unsafe { _mm512_mask_blend_epi64(mask, clear, set) }
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        unsafe { _mm512_permutex_epi64::<ORDER>(self) }
    }

    type Octet = [Doubles<Self>; 1];

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        words512::load_words(rows)
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        words512::store_words(words, rows);
    }

    #[inline(always)]
    fn load_lanes(words: &[u64]) -> Self {
        words512::load_lanes(words)
    }

    #[inline(always)]
    fn store_lanes(self, words: &mut [u64]) {
        words512::store_lanes(self, words);
    }

    product_and_square!(
        __m512i,
        #[target_feature(enable = "avx512f")]
    );

    power_2_250_minus_1!(
        Doubles<__m512i>,
        #[target_feature(enable = "avx512f,bmi2")]
    );
}
