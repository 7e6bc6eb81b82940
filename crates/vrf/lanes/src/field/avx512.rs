//! Eight lanes of AVX-512 F, for processors without IFMA.

use core::arch::x86_64::*;

use super::fma::{Doubles, Outlined, outlined};
use super::word::Fma;

/// The field on eight lanes of AVX-512 F.
pub type Avx512 = Doubles<__m512i>;

/// The mode that every instruction on doubles specifies. Results are rounded to nearest, even if the host has
/// set another rounding mode, and no exception is raised.
const ROUNDING: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

// SAFETY of every block here: the backend's code runs only inside the entry points in `stages`, which are
// called only after AVX-512 F and BMI2 were found on this processor.

impl Fma for __m512i {
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
}

outlined!(__m512i, "avx512f", "avx512f,bmi2");
