//! Eight lanes of AVX-512 IFMA: `vpmadd52` multiplies 52 by 52 bits and adds the
//! low or the high 52 bits of the product.
//!
//! Tight: limbs below 2^51 + 2^17. Wide: limbs below 2^63; the product of tight
//! elements has limbs below 2^59.1, and a difference adds 2^61.

use core::arch::x86_64::*;

use super::{Field, LOW_51, Limbs};

#[derive(Clone, Copy)]
pub(crate) struct Ifma([__m512i; 5]);

#[derive(Clone, Copy)]
pub(crate) struct Wide([__m512i; 5]);

const TIGHT: u64 = (1 << 51) + (1 << 17);
const WIDE: u64 = 1 << 63;

/// 2^10·p, limb by limb at least 2^61 - 2^15: keeps differences positive.
const BIAS: Limbs = [
    (LOW_51 - 18) << 10,
    LOW_51 << 10,
    LOW_51 << 10,
    LOW_51 << 10,
    LOW_51 << 10,
];

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
            // SAFETY: a vector is eight words.
            let words: [u64; 8] = unsafe { core::mem::transmute(*limb) };
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

/// Eight vectors, seen as an 8×8 matrix of words, transposed.
#[inline(always)]
fn transpose(r: [__m512i; 8]) -> [__m512i; 8] {
    unsafe {
        // Words w, w+2, w+4, w+6 of two rows, for w = 0 and 1.
        let (a0, a1) = (
            _mm512_unpacklo_epi64(r[0], r[1]),
            _mm512_unpackhi_epi64(r[0], r[1]),
        );
        let (b0, b1) = (
            _mm512_unpacklo_epi64(r[2], r[3]),
            _mm512_unpackhi_epi64(r[2], r[3]),
        );
        let (c0, c1) = (
            _mm512_unpacklo_epi64(r[4], r[5]),
            _mm512_unpackhi_epi64(r[4], r[5]),
        );
        let (d0, d1) = (
            _mm512_unpacklo_epi64(r[6], r[7]),
            _mm512_unpackhi_epi64(r[6], r[7]),
        );
        // Words w and w+4 (0x88: even blocks), w+2 and w+6 (0xdd: odd blocks) of four rows.
        let (ab0, cd0) = (
            _mm512_shuffle_i64x2::<0x88>(a0, b0),
            _mm512_shuffle_i64x2::<0x88>(c0, d0),
        );
        let (ab1, cd1) = (
            _mm512_shuffle_i64x2::<0x88>(a1, b1),
            _mm512_shuffle_i64x2::<0x88>(c1, d1),
        );
        let (ab2, cd2) = (
            _mm512_shuffle_i64x2::<0xdd>(a0, b0),
            _mm512_shuffle_i64x2::<0xdd>(c0, d0),
        );
        let (ab3, cd3) = (
            _mm512_shuffle_i64x2::<0xdd>(a1, b1),
            _mm512_shuffle_i64x2::<0xdd>(c1, d1),
        );
        [
            _mm512_shuffle_i64x2::<0x88>(ab0, cd0),
            _mm512_shuffle_i64x2::<0x88>(ab1, cd1),
            _mm512_shuffle_i64x2::<0x88>(ab2, cd2),
            _mm512_shuffle_i64x2::<0x88>(ab3, cd3),
            _mm512_shuffle_i64x2::<0xdd>(ab0, cd0),
            _mm512_shuffle_i64x2::<0xdd>(ab1, cd1),
            _mm512_shuffle_i64x2::<0xdd>(ab2, cd2),
            _mm512_shuffle_i64x2::<0xdd>(ab3, cd3),
        ]
    }
}

impl Field for Ifma {
    const LANES: usize = 8;
    type Wide = Wide;
    type Word = __m512i;

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [__m512i; N] {
        let mut out = [zero(); N];
        let mut at = 0;
        while at < N {
            // The last block may be partial: load only the words that exist.
            let count = if N - at < 8 { N - at } else { 8 };
            let exist = ((1u16 << count) - 1) as u8;
            let mut block = [zero(); 8];
            for lane in 0..8 {
                block[lane] =
                    unsafe { _mm512_maskz_loadu_epi64(exist, rows[lane].as_ptr().add(at).cast()) };
            }
            let block = transpose(block);
            out[at..at + count].copy_from_slice(&block[..count]);
            at += 8;
        }
        out
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[__m512i; N], rows: &mut [[u64; N]; 8]) {
        let mut at = 0;
        while at < N {
            let count = if N - at < 8 { N - at } else { 8 };
            let exist = ((1u16 << count) - 1) as u8;
            let mut block = [zero(); 8];
            block[..count].copy_from_slice(&words[at..at + count]);
            let block = transpose(block);
            for lane in 0..8 {
                unsafe {
                    _mm512_mask_storeu_epi64(
                        rows[lane].as_mut_ptr().add(at).cast(),
                        exist,
                        block[lane],
                    );
                }
            }
            at += 8;
        }
    }

    #[inline(always)]
    fn prefetch<const N: usize>(row: &[u64; N]) {
        for line in row.chunks(8) {
            // SAFETY: prefetching has no effect but on the cache.
            unsafe { core::arch::x86_64::_mm_prefetch::<3>(line.as_ptr().cast()) };
        }
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
        Self::carry(Wide(five!(I => splat(limbs[I]))))
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
            _mm512_testn_epi64_mask(any, any)
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
}
