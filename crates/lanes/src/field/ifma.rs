//! Eight lanes of AVX-512 IFMA: `vpmadd52` multiplies 52 by 52 bits and adds the
//! low or the high 52 bits of the product.
//!
//! Tight: limbs below 2^51 + 2^32. Wide: limbs below 2^63; the product of tight elements
//! has limbs below 2^59.1, and a difference adds 2^61.

use core::arch::x86_64::*;

use super::element::{Field, Wide};
use super::limbs::{LOW_51, Limbs, TIGHT, check, multiple_of_p};
use super::powers::power_2_250_minus_1;
use super::word::Madd52;

/// The field on eight lanes of AVX-512 IFMA.
#[derive(Clone, Copy)]
pub(crate) struct Ifma([__m512i; 5]);

// SAFETY of every block here: the backend's code runs only below the entry points in
// `engine`, which are reached only after AVX-512 F, DQ, VL, BW and IFMA were found on
// this processor.

impl Madd52 for __m512i {
    #[inline(always)]
    fn madd52_low(sum: Self, a: Self, b: Self) -> Self {
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn madd52_high(sum: Self, a: Self, b: Self) -> Self {
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn mul64(self, other: Self) -> Self {
        unsafe { _mm512_mullo_epi64(self, other) }
    }
}

/// Columns 0 to 9 of a product of two elements to five: 2^255 = 19.
#[inline(always)]
fn fold<W: Madd52>(z: [W; 10]) -> [W; 5] {
    unroll!(5, I => z[I].add(z[I + 5].mul64(W::splat(19))))
}

/// The product of tight limbs.
#[inline(always)]
fn product<W: Madd52>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    let mut z = [W::splat(0); 10];
    // A high half has weight 2^52 above its low half, that is twice the next
    // column: sum the high halves, double, and add the low halves on top.
    for i in 0..5 {
        for j in 0..5 {
            z[i + j + 1] = W::madd52_high(z[i + j + 1], a[i], b[j]);
        }
    }
    for column in &mut z[1..] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        for j in 0..5 {
            z[i + j] = W::madd52_low(z[i + j], a[i], b[j]);
        }
    }
    fold(z)
}

/// The square of tight limbs: 4·(mixed high) + 2·(mixed low) + 2·(square high) +
/// (square low), from the inside out.
#[inline(always)]
fn square<W: Madd52>(a: [W; 5]) -> [W; 5] {
    let mut z = [W::splat(0); 10];
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j + 1] = W::madd52_high(z[i + j + 1], a[i], a[j]);
        }
    }
    for column in &mut z[2..9] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j] = W::madd52_low(z[i + j], a[i], a[j]);
        }
        z[2 * i + 1] = W::madd52_high(z[2 * i + 1], a[i], a[i]);
    }
    for column in &mut z[1..] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        z[2 * i] = W::madd52_low(z[2 * i], a[i], a[i]);
    }
    fold(z)
}

/// As `limbs::carry`, with 19 times the highest carry added by one instruction.
#[inline(always)]
fn carry<W: Madd52>(wide: [W; 5]) -> [W; 5] {
    unroll!(5, I => {
        const BELOW: usize = (I + 4) % 5;
        let (low, carry) = (wide[I].and(W::splat(LOW_51)), wide[BELOW].shift_right::<51>());
        if I == 0 { W::madd52_low(low, carry, W::splat(19)) } else { low.add(carry) }
    })
}

impl Field for Ifma {
    type Word = __m512i;
    const WIDE: u64 = 1 << 63;
    /// At least 2^61 - 2^15.
    const BIAS: Limbs = multiple_of_p(10);

    #[inline(always)]
    fn from_words(words: [__m512i; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(self) -> [__m512i; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [__m512i; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(limbs)
    }

    #[inline(always)]
    fn limbs(self) -> [__m512i; 5] {
        self.0
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<__m512i> {
        self.check_tight();
        other.check_tight();
        Wide(product(self.0, other.0))
    }

    #[inline(always)]
    fn square(self) -> Wide<__m512i> {
        self.check_tight();
        Wide(square(self.0))
    }

    #[inline(always)]
    fn carry_limbs(wide: [__m512i; 5]) -> [__m512i; 5] {
        carry(wide)
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [[Self; N]; 2] {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,bmi2")]
        #[inline(never)]
        fn compiled<const N: usize>(a: [Ifma; N]) -> [[Ifma; N]; 2] {
            power_2_250_minus_1(a)
        }
        unsafe { compiled(a) }
    }
}
