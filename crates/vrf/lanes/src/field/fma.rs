//! Products by fused multiply-adds, for processors without a 52-bit integer multiplication. Each
//! limb is held as a double. The backends `avx2` and `avx512` supply the vectors.
//!
//! A fused multiply-add rounds only once, so a second multiply-add can recover the part of a product that the
//! first one rounded off. For integers a and b with a·b < 2^103, let C = 2^103 and M = 3·2^51:
//!
//! * h = a·b + C, rounded. The doubles from 2^103 to 2^104 are multiples of 2^51, so the mantissa of h
//!   is a·b / 2^51, rounded.
//! * l = a·b + ((C + M) - h) = M + r, exactly, with the remainder r = a·b - (h - C). The magnitude of r is
//!   less than 2^51, so l is between 2^52 and 2^53, and its mantissa is r + 2^51.
//!
//! This holds in every rounding mode. The exponents of h and l are known. So the bits of h and l are summed
//! as integers modulo 2^64. At the end, the constant `EXPONENTS` removes the bits of C and M, and the
//! mantissas of h and the remainders r are left.
//!
//! The method is from Emmart, Zheng, Weems, "Faster Modular Exponentiation using Double Precision Floating
//! Point Arithmetic on the GPU" (2018). All doubles here are integers below 2^104 in magnitude. So none of
//! them is subnormal, infinite or NaN. Operations on such values could take a different time.
//!
//! A host program may have changed the floating-point environment. Moreover, a rounded product raises the
//! exception *inexact*: the host would find the flag of this exception set, or, if the exception traps, would
//! be killed. AVX-512 F has instructions that specify their rounding mode and raise no exception. AVX2 has no
//! such instructions, so on AVX2 each stage runs in the default environment, and the host's environment is
//! restored afterwards (see `mxcsr`).
//!
//! Tight limbs are below 2^51 + 2^32, so products are below 2^103. Wide limbs are integers below 2^63.
//!
//! The lowest column of a product is the largest. It is one r, plus 19 times the sum of the four r and the
//! five mantissas of h that wrapped around. So its magnitude is at most (1 + 4·19)·2^51 + 5·19·(2^51 + 2^34).
//! Adding 2^7·p, with limbs above 2^58 - 2^12, makes all columns positive. They stay below 3·2^58.

use core::mem::MaybeUninit;

use super::element::{Field, Wide};
use super::limbs::{self, Limbs, TIGHT, check, multiple_of_p};
use super::word::{Fma, Vector};

/// The memory that a product or square of [`Outlined`] fills with its limbs.
pub type Place<V> = MaybeUninit<[V; 5]>;

/// The long functions, compiled with the backend's instruction set and *not* inlined, so
/// that the loops that call them fit the instruction cache.
pub trait Outlined: Fma + Vector {
    /// Writes the [`product`] to `out` and returns a reference to it.
    fn product<'a>(a: &[Self; 5], b: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5];
    /// Writes the [`square`] to `out` and returns a reference to it.
    fn square<'a>(a: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5];
    /// Implements [`Field::product_called`] for [`Doubles`].
    fn product_called(a: Doubles<Self>, b: Doubles<Self>) -> Doubles<Self>;
    /// Implements [`Field::squared_called`] for [`Doubles`].
    fn squared_called(a: Doubles<Self>) -> Doubles<Self>;
    /// Implements [`Field::power_2_250_minus_1`] for [`Doubles`].
    fn power_2_250_minus_1<const N: usize>(a: [Doubles<Self>; N]) -> [Doubles<Self>; N];
}

/// Implements [`Outlined`] for a vector type. Products are compiled with the first list of features, and
/// powers with the second list.
macro_rules! outlined {
    ($vector:ty, $product:literal, $powers:literal) => {
        impl Outlined for $vector {
            #[inline(always)]
            fn product<'a>(
                a: &[Self; 5],
                b: &[Self; 5],
                out: &'a mut $crate::field::fma::Place<Self>,
            ) -> &'a [Self; 5] {
                #[target_feature(enable = $product)]
                #[inline(never)]
                fn compiled(
                    a: &[$vector; 5],
                    b: &[$vector; 5],
                    out: &mut $crate::field::fma::Place<$vector>,
                ) {
                    $crate::field::fma::align_the_stack::<$vector>();
                    out.write($crate::field::fma::product(a, b));
                }
                // SAFETY: as for every block of the backend; `compiled` has written `out`.
                unsafe {
                    compiled(a, b, out);
                    out.assume_init_ref()
                }
            }

            #[inline(always)]
            fn square<'a>(
                a: &[Self; 5],
                out: &'a mut $crate::field::fma::Place<Self>,
            ) -> &'a [Self; 5] {
                #[target_feature(enable = $product)]
                #[inline(never)]
                fn compiled(a: &[$vector; 5], out: &mut $crate::field::fma::Place<$vector>) {
                    $crate::field::fma::align_the_stack::<$vector>();
                    out.write($crate::field::fma::square(a));
                }
                // SAFETY: as above.
                unsafe {
                    compiled(a, out);
                    out.assume_init_ref()
                }
            }

            #[inline(always)]
            fn product_called(a: Doubles<$vector>, b: Doubles<$vector>) -> Doubles<$vector> {
                #[target_feature(enable = $product)]
                #[inline(never)]
                fn compiled(a: Doubles<$vector>, b: Doubles<$vector>) -> Doubles<$vector> {
                    $crate::field::fma::align_the_stack::<$vector>();
                    a.product_inlined(b)
                }
                // SAFETY: as for every block of the backend.
                unsafe { compiled(a, b) }
            }

            #[inline(always)]
            fn squared_called(a: Doubles<$vector>) -> Doubles<$vector> {
                #[target_feature(enable = $product)]
                #[inline(never)]
                fn compiled(a: Doubles<$vector>) -> Doubles<$vector> {
                    $crate::field::fma::align_the_stack::<$vector>();
                    a.squared_inlined()
                }
                // SAFETY: as for every block of the backend.
                unsafe { compiled(a) }
            }

            #[inline(always)]
            fn power_2_250_minus_1<const N: usize>(
                a: [Doubles<$vector>; N],
            ) -> [Doubles<$vector>; N] {
                #[target_feature(enable = $powers)]
                #[inline(never)]
                fn compiled<const N: usize>(a: [Doubles<$vector>; N]) -> [Doubles<$vector>; N] {
                    $crate::field::powers::power_2_250_minus_1(a)
                }
                // SAFETY: as for every block of the backend.
                unsafe { compiled(a) }
            }
        }
    };
}

pub(super) use outlined;

/// Tight limbs, as doubles.
#[derive(Clone, Copy)]
pub struct Doubles<V>([V; 5]);

/// An exclusive bound on the columns of a product.
const COLUMN: u64 = 3 << 58;

/// The bits of the double 2^52. Adding an integer x below 2^52 to them gives the bits of 2^52 + x.
const TWO_52: u64 = ((1u64 << 52) as f64).to_bits();

/// C = 2^103.
const HIGH: f64 = (1u128 << 103) as f64;

/// C + M, for M = 3·2^51.
const HIGH_AND_LOW: f64 = HIGH + (3u64 << 51) as f64;

/// 2^7·p minus the bits of all C and M that add up in the columns of a product.
const EXPONENTS: Limbs = {
    let mut columns = [0u64; 10];
    let mut i = 0;
    while i < 25 {
        let (low, high) = (i / 5 + i % 5, i / 5 + i % 5 + 1);
        columns[low] = columns[low].wrapping_add(TWO_52 + (1 << 51));
        columns[high] = columns[high].wrapping_add(HIGH.to_bits());
        i += 1;
    }
    let mut out = multiple_of_p(7);
    let mut i = 0;
    while i < 5 {
        let folded = columns[i].wrapping_add(columns[i + 5].wrapping_mul(19));
        out[i] = out[i].wrapping_sub(folded);
        i += 1;
    }
    out
};

/// Copies the array limb by limb. Arguments that are passed by reference live in memory. Assigning
/// the whole array would keep the destination in memory too, and the compiler would call `memcpy`.
#[inline(always)]
fn copy<V: Fma>(limbs: &[V; 5]) -> [V; 5] {
    unroll!(5, I => limbs[I])
}

/// Makes the compiler align the stack frame to the size of a vector, by an aligned local variable. The
/// compiler spills whole vectors, but does not align a frame only for spills. Without alignment, half of the
/// spills could cross cache lines (this depends on the callers), and a product would take twice as long.
#[inline(always)]
pub fn align_the_stack<V>() {
    core::hint::black_box(&MaybeUninit::<V>::uninit());
}

/// Adds the two halves of a·b: l to column `at`, and h to the next one.
#[inline(always)]
fn add_product<V: Fma>(columns: &mut [V; 10], at: usize, a: V, b: V) {
    let high = V::double_mul_add(a, b, V::splat(HIGH.to_bits()));
    let rest = V::splat(HIGH_AND_LOW.to_bits()).double_sub(high);
    let low = V::double_mul_add(a, b, rest);
    columns[at] = columns[at].add(low);
    columns[at + 1] = columns[at + 1].add(high);
}

/// Folds the integer columns 0 to 9 into five, since 2^255 = 19 mod p.
#[inline(always)]
fn fold<V: Fma>(columns: [V; 10]) -> [V; 5] {
    let out = unroll!(5, I => {
        columns[I].add(V::splat(EXPONENTS[I])).add(columns[I + 5].times_19())
    });
    check(&out, COLUMN);
    out
}

/// The product of tight limbs, by fused multiply-adds.
#[inline(always)]
pub fn product<V: Fma>(a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    let mut columns = [V::splat(0); 10];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            add_product(&mut columns, i + j, a, b);
        }
    }
    fold(columns)
}

/// The square of tight limbs, by fused multiply-adds.
#[inline(always)]
pub fn square<V: Fma>(limbs: &[V; 5]) -> [V; 5] {
    let mut columns = [V::splat(0); 10];
    for (i, &a) in limbs.iter().enumerate() {
        for (j, &b) in limbs.iter().enumerate().skip(i + 1) {
            add_product(&mut columns, i + j, a, b);
        }
    }
    for column in &mut columns[1..9] {
        *column = column.add(*column);
    }
    for (i, &a) in limbs.iter().enumerate() {
        add_product(&mut columns, 2 * i, a, a);
    }
    fold(columns)
}

/// Converts integers below 2^52 to doubles.
#[inline(always)]
fn to_doubles<V: Fma>(limbs: [V; 5]) -> [V; 5] {
    unroll!(5, I => {
        let two_52 = V::splat(TWO_52);
        limbs[I].or(two_52).double_sub(two_52)
    })
}

/// Converts doubles below 2^52 to integers.
#[inline(always)]
fn to_integers<V: Fma>(limbs: [V; 5]) -> [V; 5] {
    unroll!(5, I => {
        let two_52 = V::splat(TWO_52);
        limbs[I].double_add(two_52).sub(two_52)
    })
}

impl<V: Outlined> Doubles<V> {
    /// The carried product, inlined. The methods of [`Field`] call a function instead.
    #[inline(always)]
    pub fn product_inlined(self, other: Self) -> Self {
        self.check_tight();
        other.check_tight();
        Self::carry_product(Wide(product(&self.0, &other.0)))
    }

    /// The carried square, inlined.
    #[inline(always)]
    pub fn squared_inlined(self) -> Self {
        self.check_tight();
        Self::carry_product(Wide(square(&self.0)))
    }
}

impl<V: Outlined> Field for Doubles<V> {
    type Word = V;
    const WIDE: u64 = 1 << 63;
    /// The limbs of the bias are at least 2^61 - 2^15.
    const BIAS: Limbs = multiple_of_p(10);

    #[inline(always)]
    fn from_words(words: [V; 5]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn words(self) -> [V; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [V; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(to_doubles(limbs))
    }

    #[inline(always)]
    fn limbs(self) -> [V; 5] {
        to_integers(self.0)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<V> {
        self.check_tight();
        other.check_tight();
        let (a, b, mut out) = (copy(&self.0), copy(&other.0), MaybeUninit::uninit());
        Wide(copy(V::product(&a, &b, &mut out)))
    }

    #[inline(always)]
    fn square(self) -> Wide<V> {
        self.check_tight();
        let (a, mut out) = (copy(&self.0), MaybeUninit::uninit());
        Wide(copy(V::square(&a, &mut out)))
    }

    #[inline(always)]
    fn product_called(self, other: Self) -> Self {
        V::product_called(self, other)
    }

    #[inline(always)]
    fn squared_called(self) -> Self {
        V::squared_called(self)
    }

    #[inline(always)]
    fn carry(wide: Wide<V>) -> Self {
        check(&wide.0, Self::WIDE);
        Self::from_limbs(limbs::carry(wide.0))
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        V::power_2_250_minus_1(a)
    }
}
