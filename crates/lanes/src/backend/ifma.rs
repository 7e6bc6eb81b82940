//! Eight lanes of AVX-512 IFMA: `vpmadd52` multiplies 52 by 52 bits and adds the
//! low or the high 52 bits of the product.
//!
//! Tight: limbs below 2^51 + 2^32. Wide: limbs below 2^63; the product of tight elements
//! has limbs below 2^59.1, and a difference adds 2^61.

use core::arch::x86_64::*;

use super::{BIAS, Field, LOW_51, Limbs, TIGHT, words512};

#[derive(Clone, Copy)]
pub(crate) struct Ifma([__m512i; 5]);

#[derive(Clone, Copy)]
pub(crate) struct Wide([__m512i; 5]);

const WIDE: u64 = 1 << 63;

// SAFETY of every block here: values of these types exist only below the entry
// points in `engine`, which are reached only after AVX-512 F, DQ, VL, BW and IFMA
// were found on this processor. Loads and stores go through references to arrays
// of the size that the instruction touches.

#[inline(always)]
fn splat(word: u64) -> __m512i {
    unsafe { _mm512_set1_epi64(word as i64) }
}

#[inline(always)]
fn zero() -> __m512i {
    unsafe { _mm512_setzero_si512() }
}

#[inline(always)]
fn plus(a: __m512i, b: __m512i) -> __m512i {
    unsafe { _mm512_add_epi64(a, b) }
}

#[inline(always)]
fn low_product(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    unsafe { _mm512_madd52lo_epu64(sum, a, b) }
}

#[inline(always)]
fn high_product(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    unsafe { _mm512_madd52hi_epu64(sum, a, b) }
}

#[inline(always)]
fn shift_51(a: __m512i) -> __m512i {
    unsafe { _mm512_srli_epi64::<51>(a) }
}

#[inline(always)]
fn low_51(a: __m512i) -> __m512i {
    unsafe { _mm512_and_si512(a, splat(LOW_51)) }
}

/// Debug builds look at every limb of every lane. Not inlined: there are many
/// calls, and they must stay small.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
fn check(limbs: &[__m512i; 5], bound: u64) {
    if cfg!(debug_assertions) {
        for limb in limbs {
            let words = words512::lanes(limb);
            assert!(
                words.iter().all(|&word| word < bound),
                "a limb is out of bounds"
            );
        }
    }
}

/// Columns 0..10 of a product of two elements to five: 2^255 = 19.
#[inline(always)]
fn fold(z: [__m512i; 10]) -> Wide {
    Wide(five!(I => unsafe {
        _mm512_add_epi64(z[I], _mm512_mullo_epi64(z[I + 5], splat(19)))
    }))
}

impl Field for Ifma {
    const LANES: usize = 8;
    type Wide = Wide;
    type Word = __m512i;

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [__m512i; N] {
        words512::load_words(rows)
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[__m512i; N], rows: &mut [[u64; N]; 8]) {
        words512::store_words(words, rows);
    }

    #[inline(always)]
    fn load_lanes(words: &[u64]) -> __m512i {
        words512::load_lanes(words)
    }

    #[inline(always)]
    fn store_lanes(word: __m512i, words: &mut [u64]) {
        words512::store_lanes(word, words);
    }

    #[inline(always)]
    fn prefetch<const N: usize>(row: &[u64; N]) {
        super::prefetch(row);
    }

    #[inline(always)]
    fn from_tight_words(words: [__m512i; 5]) -> Self {
        check(&words, TIGHT);
        Self(words)
    }

    #[inline(always)]
    fn to_words(self) -> [__m512i; 5] {
        self.0
    }

    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self::from_tight_words(five!(I => splat(limbs[I])))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide {
        check(&self.0, TIGHT);
        check(&other.0, TIGHT);
        let (a, b) = (self.0, other.0);
        let mut z = [zero(); 10];
        // A high half has weight 2^52 above its low half, that is twice the next
        // column: sum the high halves, double, and add the low halves on top.
        for i in 0..5 {
            for j in 0..5 {
                z[i + j + 1] = high_product(z[i + j + 1], a[i], b[j]);
            }
        }
        for column in &mut z[1..] {
            *column = plus(*column, *column);
        }
        for i in 0..5 {
            for j in 0..5 {
                z[i + j] = low_product(z[i + j], a[i], b[j]);
            }
        }
        fold(z)
    }

    #[inline(always)]
    fn square(self) -> Wide {
        check(&self.0, TIGHT);
        let a = self.0;
        let mut z = [zero(); 10];
        // 4·(mixed high) + 2·(mixed low) + 2·(square high) + (square low), from
        // the inside out.
        for i in 0..5 {
            for j in i + 1..5 {
                z[i + j + 1] = high_product(z[i + j + 1], a[i], a[j]);
            }
        }
        for column in &mut z[2..9] {
            *column = plus(*column, *column);
        }
        for i in 0..5 {
            for j in i + 1..5 {
                z[i + j] = low_product(z[i + j], a[i], a[j]);
            }
            z[2 * i + 1] = high_product(z[2 * i + 1], a[i], a[i]);
        }
        for column in &mut z[1..] {
            *column = plus(*column, *column);
        }
        for i in 0..5 {
            z[2 * i] = low_product(z[2 * i], a[i], a[i]);
        }
        fold(z)
    }

    power_2_250_minus_1!(
        Ifma,
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,bmi2")]
    );

    #[inline(always)]
    fn widen(self) -> Wide {
        Wide(self.0)
    }

    #[inline(always)]
    fn add(a: Wide, b: Wide) -> Wide {
        Wide(five!(I => plus(a.0[I], b.0[I])))
    }

    #[inline(always)]
    fn sub(a: Wide, b: Wide) -> Wide {
        check(&b.0, BIAS[0]);
        Wide(five!(I => unsafe {
            _mm512_sub_epi64(plus(a.0[I], splat(BIAS[I])), b.0[I])
        }))
    }

    #[inline(always)]
    fn carry(wide: Wide) -> Self {
        check(&wide.0, WIDE);
        let z = wide.0;
        let out = Self([
            low_product(low_51(z[0]), shift_51(z[4]), splat(19)),
            plus(low_51(z[1]), shift_51(z[0])),
            plus(low_51(z[2]), shift_51(z[1])),
            plus(low_51(z[3]), shift_51(z[2])),
            plus(low_51(z[4]), shift_51(z[3])),
        ]);
        check(&out.0, TIGHT);
        out
    }

    #[inline(always)]
    fn carry_product(product: Wide) -> Self {
        Self::carry(product)
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // Once around, so that every limb is below 2^51 + 2^5.
        let mut limbs = Self::carry(Wide(self.0)).0;
        // q = 1 if the value is p or more: the carry out of value + 19.
        let mut q = shift_51(plus(limbs[0], splat(19)));
        for limb in &limbs[1..] {
            q = shift_51(plus(*limb, q));
        }
        limbs[0] = low_product(limbs[0], q, splat(19));
        for i in 0..4 {
            limbs[i + 1] = plus(limbs[i + 1], shift_51(limbs[i]));
            limbs[i] = low_51(limbs[i]);
        }
        limbs[4] = low_51(limbs[4]);
        Self(limbs)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        let limbs = self.canonical().0;
        unsafe {
            let mut any = limbs[0];
            for limb in &limbs[1..] {
                any = _mm512_or_si512(any, *limb);
            }
            words512::is_zero(any)
        }
    }

    #[inline(always)]
    fn is_odd(self) -> u8 {
        unsafe { _mm512_test_epi64_mask(self.canonical().0[0], splat(1)) }
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self(five!(I => unsafe {
            _mm512_mask_blend_epi64(mask, clear.0[I], set.0[I])
        }))
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Wide, clear: Wide) -> Wide {
        Wide(five!(I => unsafe {
            _mm512_mask_blend_epi64(mask, clear.0[I], set.0[I])
        }))
    }

    type Octet = [Self; 1];

    #[inline(always)]
    fn shuffle<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N] {
        let mut out = octet;
        for out in &mut out {
            *out = Self(five!(I => unsafe { _mm512_permutex_epi64::<ORDER>(out.0[I]) }));
        }
        out
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32, const N: usize>(octet: [Wide; N]) -> [Wide; N] {
        let mut out = octet;
        for out in &mut out {
            *out = Wide(five!(I => unsafe { _mm512_permutex_epi64::<ORDER>(out.0[I]) }));
        }
        out
    }
}
