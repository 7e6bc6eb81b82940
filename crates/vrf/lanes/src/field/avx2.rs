//! Four lanes of AVX2.

use core::arch::x86_64::*;

use super::fma::{Doubles, Outlined, outlined};
use super::word::Fma;

/// The field on four lanes of AVX2.
pub type Avx2 = Doubles<__m256i>;

// SAFETY of every block here: the backend's code runs only inside the entry points in `stages`, which are
// called only after AVX2, FMA and BMI2 were found on this processor.

impl Fma for __m256i {
    #[inline(always)]
    fn double_mul_add(a: Self, b: Self, c: Self) -> Self {
        unsafe {
            let (a, b) = (_mm256_castsi256_pd(a), _mm256_castsi256_pd(b));
            let c = _mm256_castsi256_pd(c);
            _mm256_castpd_si256(_mm256_fmadd_pd(a, b, c))
        }
    }

    #[inline(always)]
    fn double_add(self, other: Self) -> Self {
        unsafe {
            let (a, b) = (_mm256_castsi256_pd(self), _mm256_castsi256_pd(other));
            _mm256_castpd_si256(_mm256_add_pd(a, b))
        }
    }

    #[inline(always)]
    fn double_sub(self, other: Self) -> Self {
        unsafe {
            let (a, b) = (_mm256_castsi256_pd(self), _mm256_castsi256_pd(other));
            _mm256_castpd_si256(_mm256_sub_pd(a, b))
        }
    }
}

outlined!(__m256i, "avx2,fma", "avx2,fma,bmi2");
