//! Vectors of four words, for the backends with four lanes.

use super::instructions::*;
use super::word::{Cut, Digits, Vector, Word};

// SAFETY of every block here: the backends' code runs only inside the entry points in `stages`, which are
// called only after AVX2 was found on this processor. Each load or store goes through a slice of at least as
// many words as the instruction accesses.

impl Word for __m256i {
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        unsafe { _mm256_set1_epi64x(word as i64) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_epi64(self, other) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm256_sub_epi64(self, other) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        unsafe { _mm256_and_si256(self, other) }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        unsafe { _mm256_or_si256(self, other) }
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        unsafe { _mm256_slli_epi64::<BITS>(self) }
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        unsafe { _mm256_srli_epi64::<BITS>(self) }
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        unsafe { _mm256_mul_epu32(self, other) }
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        unsafe {
            // Each lane tests its own bit of the mask.
            let bits = _mm256_set_epi64x(8, 4, 2, 1);
            let mine = _mm256_and_si256(_mm256_set1_epi64x(i64::from(mask)), bits);
            let chosen = _mm256_cmpeq_epi64(mine, bits);
            _mm256_blendv_epi8(clear, set, chosen)
        }
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        unsafe {
            let equal = _mm256_cmpeq_epi64(self, _mm256_setzero_si256());
            _mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u8
        }
    }

    fn all_below(&self, bound: u64) -> bool {
        // SAFETY: a vector is four words.
        let words: [u64; 4] = unsafe { core::mem::transmute(*self) };
        words.iter().all(|&word| word < bound)
    }
}

impl Vector for __m256i {
    #[inline(always)]
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        let mut out = [Self::splat(0); N];
        let mut at = 0;
        while at + 4 <= N {
            let mut block = [Self::splat(0); 4];
            for lane in 0..4 {
                let words = &rows[lane][at..at + 4];
                block[lane] = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
            }
            out[at..at + 4].copy_from_slice(&transpose(block));
            at += 4;
        }
        while at < N {
            let word = |lane: usize| rows[lane][at] as i64;
            out[at] = unsafe { _mm256_set_epi64x(word(3), word(2), word(1), word(0)) };
            at += 1;
        }
        out
    }

    #[inline(always)]
    fn store_rows<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        let mut at = 0;
        while at + 4 <= N {
            let block = transpose([words[at], words[at + 1], words[at + 2], words[at + 3]]);
            for lane in 0..4 {
                let words = &mut rows[lane][at..at + 4];
                unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), block[lane]) };
            }
            at += 4;
        }
        while at < N {
            // SAFETY: a vector is four words.
            let lanes: [u64; 4] = unsafe { core::mem::transmute(words[at]) };
            for lane in 0..4 {
                rows[lane][at] = lanes[lane];
            }
            at += 1;
        }
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..4];
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..4];
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn digits(low: &[u64; 8], high: &[u64; 8], cut: Cut) -> Digits {
        let (low, high) = (Self::load(low), Self::load(high));
        let (right, left) = (u64::from(cut.shift), u64::from(64 - cut.shift));
        // A shift by 64 gives 0.
        let bits = unsafe {
            _mm256_or_si256(
                _mm256_srlv_epi64(low, Self::splat(right)),
                _mm256_sllv_epi64(high, Self::splat(left)),
            )
        };
        let raised = bits.and(Self::splat(cut.mask));
        let half = Self::splat(cut.half);
        let mut magnitudes = [0; 8];
        let negative = unsafe {
            let below = _mm256_cmpgt_epi64(half, raised);
            // Negates the difference where it is below 0: the negative is the complement plus 1.
            let difference = _mm256_xor_si256(raised.sub(half), below);
            difference.sub(below).store(&mut magnitudes);
            _mm256_movemask_pd(_mm256_castsi256_pd(below)) as u8
        };
        Digits {
            negative,
            magnitudes,
        }
    }

    #[inline(always)]
    fn look_up<const N: usize>(tables: &[[u64; 32]; N], masks: [u8; 5]) -> [Self; N] {
        // The instruction looks up 32-bit halves of words: word i consists of the halves 2i and 2i + 1.
        let zero = Self::splat(0);
        let halves = |i: u64| Self::splat((2 * i) | ((2 * i) << 32));
        let low =
            Self::select(masks[0], halves(1), zero).or(Self::select(masks[1], halves(2), zero));
        let index = low.add(Self::splat(1 << 32));
        let mut out = [zero; N];
        for (out, table) in out.iter_mut().zip(tables) {
            let mut left = [zero; 8];
            for (left, four) in left.iter_mut().zip(table.chunks_exact(4)) {
                *left = unsafe { _mm256_permutevar8x32_epi32(Self::load(four), index) };
            }
            for j in (2..5).rev() {
                for i in 0..1 << (j - 2) {
                    left[i] = Self::select(masks[j], left[i | 1 << (j - 2)], left[i]);
                }
            }
            *out = left[0];
        }
        out
    }

    #[inline(always)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        unsafe { _mm256_permute4x64_epi64::<ORDER>(self) }
    }

    #[inline(always)]
    fn add_where(mask: u8, a: Self, b: Self) -> Self {
        a.add(Self::select(mask, b, Self::splat(0)))
    }

    #[inline(always)]
    fn subtract_where(mask: u8, from: u64, a: Self) -> Self {
        Self::select(mask, Self::splat(from).sub(a), a)
    }

    #[inline(always)]
    fn big_endian(self) -> Self {
        unsafe {
            let (high, low) = (0x08090a0b0c0d0e0f, 0x0001020304050607);
            _mm256_shuffle_epi8(self, _mm256_set_epi64x(high, low, high, low))
        }
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // The compiler turns the count into an immediate.
        unsafe {
            let around = _mm256_sll_epi64(self, _mm_cvtsi32_si128(64 - BITS));
            self.shift_right::<BITS>().or(around)
        }
    }

    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        unsafe { _mm256_xor_si256(_mm256_xor_si256(a, b), c) }
    }

    #[inline(always)]
    fn choose(mask: Self, set: Self, clear: Self) -> Self {
        unsafe {
            let differ = _mm256_xor_si256(set, clear);
            _mm256_xor_si256(clear, _mm256_and_si256(mask, differ))
        }
    }

    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        // Where a and b differ, c decides.
        unsafe { Self::choose(_mm256_xor_si256(a, b), c, b) }
    }
}

/// Transposes four vectors as a 4×4 matrix of words.
#[inline(always)]
fn transpose(r: [__m256i; 4]) -> [__m256i; 4] {
    unsafe {
        let (a0, a1) = (
            _mm256_unpacklo_epi64(r[0], r[1]),
            _mm256_unpackhi_epi64(r[0], r[1]),
        );
        let (b0, b1) = (
            _mm256_unpacklo_epi64(r[2], r[3]),
            _mm256_unpackhi_epi64(r[2], r[3]),
        );
        [
            _mm256_permute2x128_si256::<0x20>(a0, b0),
            _mm256_permute2x128_si256::<0x20>(a1, b1),
            _mm256_permute2x128_si256::<0x31>(a0, b0),
            _mm256_permute2x128_si256::<0x31>(a1, b1),
        ]
    }
}
