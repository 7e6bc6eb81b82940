//! Vectors of eight words, for the backends that use AVX-512.

use core::arch::asm;

use super::instructions::*;
use super::word::{Cut, Digits, Vector, Word};

// SAFETY of every block here: the backends' code runs only inside the entry points in `stages`, which are
// called only after AVX-512 F was found on this processor. Masks keep accesses to rows within them. Other
// loads and stores go through slices of eight words.

impl Word for __m512i {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        unsafe { _mm512_set1_epi64(word as i64) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm512_add_epi64(self, other) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm512_sub_epi64(self, other) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { _mm512_and_si512(self, other) }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { _mm512_or_si512(self, other) }
    }

    // Intrinsics for shifts by an immediate need a constant `u32`, and `BITS` cannot be converted to one.
    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        unsafe { _mm512_sllv_epi64(self, Self::splat(BITS as u64)) }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        unsafe { _mm512_srlv_epi64(self, Self::splat(BITS as u64)) }
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        unsafe { _mm512_mul_epu32(self, other) }
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        unsafe { _mm512_mask_blend_epi64(mask, clear, set) }
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        unsafe { _mm512_testn_epi64_mask(self, self) }
    }

    fn all_below(&self, bound: u64) -> bool {
        // SAFETY: a vector is eight words.
        let words: [u64; 8] = unsafe { core::mem::transmute(*self) };
        words.iter().all(|&word| word < bound)
    }
}

impl Vector for __m512i {
    #[inline(always)]
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        let mut out = [Self::splat(0); N];
        let mut at = 0;
        while at < N {
            // The last block may be partial.
            let count = if N - at < 8 { N - at } else { 8 };
            let exist = ((1u16 << count) - 1) as u8;
            let mut block = [Self::splat(0); 8];
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
    fn store_rows<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        let mut at = 0;
        while at < N {
            let count = if N - at < 8 { N - at } else { 8 };
            let exist = ((1u16 << count) - 1) as u8;
            let mut block = [Self::splat(0); 8];
            block[..count].copy_from_slice(&words[at..at + count]);
            let block = transpose(block);
            for lane in 0..8 {
                unsafe {
                    let place = rows[lane].as_mut_ptr().add(at).cast();
                    _mm512_mask_storeu_epi64(place, exist, block[lane]);
                }
            }
            at += 8;
        }
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..8];
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..8];
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn digits(low: &[u64; 8], high: &[u64; 8], cut: Cut) -> Digits {
        let (low, high) = (Self::load(low), Self::load(high));
        let (right, left) = (u64::from(cut.shift), u64::from(64 - cut.shift));
        // A shift by 64 gives 0.
        let bits = unsafe {
            _mm512_or_si512(
                _mm512_srlv_epi64(low, Self::splat(right)),
                _mm512_sllv_epi64(high, Self::splat(left)),
            )
        };
        let raised = bits.and(Self::splat(cut.mask));
        let half = Self::splat(cut.half);
        let mut magnitudes = [0; 8];
        let negative = unsafe {
            _mm512_abs_epi64(raised.sub(half)).store(&mut magnitudes);
            _mm512_cmplt_epi64_mask(raised, half)
        };
        Digits {
            negative,
            magnitudes,
        }
    }

    #[inline(always)]
    fn look_up<const N: usize>(tables: &[[u64; 32]; N], masks: [u8; 5]) -> [Self; N] {
        let [a, b, c, d, top] = masks;
        let mut out = [Self::splat(0); N];
        unsafe {
            let low = _mm512_maskz_set1_epi64(a, 1).or(_mm512_maskz_set1_epi64(b, 2));
            let high = _mm512_maskz_set1_epi64(c, 4).or(_mm512_maskz_set1_epi64(d, 8));
            let index = low.or(high);
            for (out, table) in out.iter_mut().zip(tables) {
                let [a, b] = [Self::load(table), Self::load(&table[8..])];
                let [c, d] = [Self::load(&table[16..]), Self::load(&table[24..])];
                // The low bits of the index choose one of the sixteen words in two registers.
                let clear = _mm512_permutex2var_epi64(a, index, b);
                let set = _mm512_permutex2var_epi64(c, index, d);
                *out = Self::select(top, set, clear);
            }
        }
        out
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        unsafe { _mm512_permutex_epi64::<ORDER>(self) }
    }

    #[inline(always)]
    fn add_where(mask: u8, a: Self, b: Self) -> Self {
        unsafe { _mm512_mask_add_epi64(a, unknown(mask), a, b) }
    }

    #[inline(always)]
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self {
        unsafe { _mm512_mask_sub_epi64(a, unknown(mask), Self::splat(from), a) }
    }

    #[inline(always)]
    fn big_endian(self) -> Self {
        // Without AVX-512 BW there is no shuffle of bytes. In each 32-bit half of a word, a rotation by one
        // byte to the left moves two bytes to their final places, and a rotation to the right moves the other
        // two. Finally the halves are swapped.
        unsafe {
            let even = Self::splat(0x00ff00ff00ff00ff);
            let (left, right) = (_mm512_rol_epi32::<8>(self), _mm512_ror_epi32::<8>(self));
            _mm512_ror_epi64::<32>(Self::choose(even, left, right))
        }
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        unsafe { _mm512_ror_epi64::<BITS>(self) }
    }

    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        unsafe { _mm512_ternarylogic_epi64::<0x96>(a, b, c) }
    }

    #[inline(always)]
    fn choose(mask: Self, set: Self, clear: Self) -> Self {
        unsafe { _mm512_ternarylogic_epi64::<0xca>(mask, set, clear) }
    }

    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        unsafe { _mm512_ternarylogic_epi64::<0xe8>(a, b, c) }
    }
}

/// Returns the same mask, but hides its value from the compiler. The compiler would replace a sum under a
/// known mask by a sum in all lanes and then a permutation of lanes, which takes five cycles longer.
#[inline(always)]
fn unknown(mut mask: u8) -> u8 {
    // SAFETY: the assembly has no instruction, only a comment.
    unsafe {
        asm!("/* {0} */", inout(reg_byte) mask, options(pure, nomem, nostack, preserves_flags))
    };
    mask
}

/// Transposes eight vectors as an 8×8 matrix of words.
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
        // Four rows: 0x88 takes even 128-bit blocks (words w and w+4), and 0xdd odd ones (w+2 and w+6).
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
