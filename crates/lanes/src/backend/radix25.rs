//! Ten limbs of 26 and 25 bits in turn, for processors that multiply 32 by 32 bits
//! in each lane: the field behind the AVX2 and the AVX-512F backend, which give it
//! their vectors as a [`Vector`].
//!
//! Tight: even limbs below E = 2^26 + 2^14, odd limbs below O = 2^25 + 2^14. Wide:
//! limbs below 2^31; products are carried at once.
//!
//! The largest column of a product is the lowest: the square of the lowest limb and,
//! 19 times for having wrapped around, four products of even limbs and, twice, five
//! of odd ones: (1 + 4·19)·E² + 5·2·19·O² < 124.6·2^52 < 2^59 for tight factors.
//!
//! Factors need no carry: the left one may have limbs of 6 times the tight bound (two
//! terms, and one subtracted, which adds four times p), the right one of 3 times, for
//! 19 times it must fit 32 bits, 19·3·E < 2^32. With sides of 6 and 2 times or of 3 and
//! 3 a column stays below 12·124.6·2^52 < 2^63. A square's factor is a right one.

// The macros below write out constant expressions of the limb's number.
#![allow(clippy::absurd_extreme_comparisons, clippy::manual_is_multiple_of)]

use core::mem::MaybeUninit;

use super::{Field, LOW_51, Limbs, Word};
use crate::octet::Octet;

/// The statement for `i` from 0 to 9. A loop of ten times ten products is not
/// unrolled by the compiler, and its limbs would live in memory.
macro_rules! ten {
    ($i:ident => $statement:expr) => {{
        {
            const $i: usize = 0;
            $statement
        };
        {
            const $i: usize = 1;
            $statement
        };
        {
            const $i: usize = 2;
            $statement
        };
        {
            const $i: usize = 3;
            $statement
        };
        {
            const $i: usize = 4;
            $statement
        };
        {
            const $i: usize = 5;
            $statement
        };
        {
            const $i: usize = 6;
            $statement
        };
        {
            const $i: usize = 7;
            $statement
        };
        {
            const $i: usize = 8;
            $statement
        };
        {
            const $i: usize = 9;
            $statement
        };
    }};
}

/// Where a function that is not inlined leaves ten limbs.
pub(crate) type Place<V> = MaybeUninit<[V; 10]>;

/// What the field does with a vector of words.
pub(crate) trait Vector: Word {
    /// How many lanes.
    const LANES: usize;
    fn sub(self, other: Self) -> Self;
    /// The product of the low 32 bits.
    fn mul32(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn shift_left<const BITS: i32>(self) -> Self;
    /// Whether every lane is below the bound. For debug builds.
    fn all_below(&self, bound: u64) -> bool;
    /// Bit l is set if lane l is 0.
    fn is_zero(self) -> u8;
    /// Lane l of `set` where bit l of the mask is set, else of `clear`.
    fn select(mask: u8, set: Self, clear: Self) -> Self;
    /// In each four lanes, lane l from lane (ORDER >> 2l) mod 4.
    fn shuffle<const ORDER: i32>(self) -> Self;
    /// Eight elements of the field.
    type Octet: Octet;
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N];
    fn store_words<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]);
    fn load_lanes(words: &[u64]) -> Self;
    fn store_lanes(self, words: &mut [u64]);
    /// [`product`], compiled with the instruction set and *not* inlined: it is long,
    /// and the loops above it must fit the instruction cache. Returns `out`.
    fn product<'a>(a: &[Self; 10], b: &[Self; 10], out: &'a mut Place<Self>) -> &'a [Self; 10];
    /// [`square`], likewise.
    fn square<'a>(a: &[Self; 10], out: &'a mut Place<Self>) -> &'a [Self; 10];
    /// As in [`Field`].
    fn power_2_250_minus_1<const N: usize>(a: [Radix25<Self>; N]) -> [[Radix25<Self>; N]; 2];
}

#[derive(Clone, Copy)]
pub(crate) struct Radix25<V>([V; 10]);

const LOW_26: u64 = (1 << 26) - 1;
const LOW_25: u64 = (1 << 25) - 1;

/// Every limb is below its bound plus 2^14, or debug builds stop.
const TIGHT_EXCESS: u64 = 1 << 14;
const WIDE: u64 = 1 << 31;
const COLUMN: u64 = 1 << 63;
/// How many times the tight bound the factors of a product may have.
const LEFT: u64 = 6;
const RIGHT: u64 = 3;

/// 4·p, limb by limb.
const BIAS: [u64; 10] = {
    let mut bias = [0; 10];
    let mut i = 0;
    while i < 10 {
        bias[i] = 4 * if i % 2 == 0 { LOW_26 } else { LOW_25 };
        i += 1;
    }
    bias[0] -= 4 * 18;
    bias
};

impl<V: Vector> Radix25<V> {
    /// Debug builds look at every limb of every lane. Not inlined: there are many
    /// calls, and they must stay small.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline(never))]
    fn check(&self, even: u64, odd: u64) {
        if cfg!(debug_assertions) {
            for (i, limb) in self.0.iter().enumerate() {
                let bound = if i % 2 == 0 { even } else { odd };
                assert!(limb.all_below(bound), "a limb is out of bounds");
            }
        }
    }

    #[inline(always)]
    fn check_tight(&self) {
        self.check_factor(1);
    }

    #[inline(always)]
    fn check_factor(&self, times: u64) {
        self.check(
            times * (LOW_26 + TIGHT_EXCESS),
            times * (LOW_25 + TIGHT_EXCESS),
        );
    }

    /// Moves what limb `i` has above its bits to the next limb.
    #[inline(always)]
    fn carry_limb(z: &mut [V; 10], i: usize) {
        let (carry, low) = if i % 2 == 0 {
            (z[i].shift_right::<26>(), z[i].and(V::splat(LOW_26)))
        } else {
            (z[i].shift_right::<25>(), z[i].and(V::splat(LOW_25)))
        };
        z[i] = low;
        if i == 9 {
            // 19·carry, which may exceed 32 bits.
            let times_19 = carry
                .shift_left::<4>()
                .add(carry.shift_left::<1>())
                .add(carry);
            z[0] = z[0].add(times_19);
        } else {
            z[i + 1] = z[i + 1].add(carry);
        }
    }

    /// Columns of a product to tight limbs: two chains of carries side by side.
    #[inline(always)]
    fn carry_columns(mut z: [V; 10]) -> Self {
        Self(z).check(COLUMN, COLUMN);
        five!(I => {
            Self::carry_limb(&mut z, I);
            Self::carry_limb(&mut z, I + 4);
        });
        Self::carry_limb(&mut z, 9);
        Self::carry_limb(&mut z, 5);
        Self::carry_limb(&mut z, 0);
        Self::carry_limb(&mut z, 1);
        let out = Self(z);
        out.check_tight();
        out
    }
}

/// A copy limb by limb. What a call takes by reference lives in memory; an assignment
/// of the whole would keep all that it is assigned to there as well, and the compiler
/// would call `memcpy` between them, which costs more than the product itself.
#[inline(always)]
fn copy<V: Vector>(limbs: &[V; 10]) -> [V; 10] {
    let mut out = [limbs[0]; 10];
    ten!(I => out[I] = limbs[I]);
    out
}

/// What does not fit the registers is spilled to the stack a vector at a time, but the
/// compiler does not align a stack frame for spills alone: by chance of the callers half
/// of them would cross cache lines, and a product take twice its time. A local variable
/// that is aligned makes it.
#[inline(always)]
pub(crate) fn align_the_stack<V>() {
    core::hint::black_box(&MaybeUninit::<V>::uninit());
}

/// The product of two factors, tight.
#[inline(always)]
pub(crate) fn product<V: Vector>(a: &[V; 10], b: &[V; 10]) -> [V; 10] {
    let mut b19 = *b;
    ten!(I => b19[I] = b[I].mul32(V::splat(19)));
    let mut z = [V::splat(0); 10];
    ten!(I => {
        let (once, twice) = (a[I], a[I].add(a[I]));
        ten!(J => {
            // Limb i has weight 2^⌈25.5·i⌉, so two odd limbs count twice; above
            // the tenth column 2^255 = 19.
            let a = if I % 2 == 1 && J % 2 == 1 { twice } else { once };
            let b = if I + J >= 10 { b19[J] } else { b[J] };
            z[(I + J) % 10] = z[(I + J) % 10].add(a.mul32(b));
        });
    });
    Radix25::carry_columns(z).0
}

/// The square of a right factor, tight.
#[inline(always)]
pub(crate) fn square<V: Vector>(a: &[V; 10]) -> [V; 10] {
    let (mut a2, mut a4, mut a19) = (*a, *a, *a);
    ten!(I => {
        a2[I] = a[I].add(a[I]);
        a4[I] = a2[I].add(a2[I]);
        a19[I] = a[I].mul32(V::splat(19));
    });
    let mut z = [V::splat(0); 10];
    ten!(I => ten!(J => if I <= J {
        let b = if I + J >= 10 { a19[J] } else { a[J] };
        // Twice for i ≠ j, and twice for two odd limbs.
        let product = if I == J && I % 2 == 0 {
            a[I].mul32(b)
        } else if I == J || I % 2 == 0 || J % 2 == 0 {
            a2[I].mul32(b)
        } else {
            a4[I].mul32(b)
        };
        z[(I + J) % 10] = z[(I + J) % 10].add(product);
    }));
    Radix25::carry_columns(z).0
}

impl<V: Vector> Field for Radix25<V> {
    const LANES: usize = V::LANES;
    type Wide = Self;
    type Word = V;

    #[inline(always)]
    fn load_words<const N: usize>(rows: &[&[u64; N]; 8]) -> [V; N] {
        V::load_words(rows)
    }

    #[inline(always)]
    fn store_words<const N: usize>(words: &[V; N], rows: &mut [[u64; N]; 8]) {
        V::store_words(words, rows);
    }

    #[inline(always)]
    fn load_lanes(words: &[u64]) -> V {
        V::load_lanes(words)
    }

    #[inline(always)]
    fn store_lanes(word: V, words: &mut [u64]) {
        V::store_lanes(word, words);
    }

    #[inline(always)]
    fn prefetch<const N: usize>(row: &[u64; N]) {
        for line in row.chunks(8) {
            // SAFETY: prefetching has no effect but on the cache.
            unsafe { core::arch::x86_64::_mm_prefetch::<3>(line.as_ptr().cast()) };
        }
    }

    #[inline(always)]
    fn from_tight_words(words: [V; 5]) -> Self {
        let mut limbs = [V::splat(0); 10];
        five!(I => {
            limbs[2 * I] = words[I].and(V::splat(LOW_26));
            limbs[2 * I + 1] = words[I].shift_right::<26>();
        });
        let out = Self(limbs);
        out.check_tight();
        out
    }

    #[inline(always)]
    fn to_words(self) -> [V; 5] {
        five!(I => self.0[2 * I].add(self.0[2 * I + 1].shift_left::<26>()))
    }

    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        let mut out = [V::splat(0); 10];
        for i in 0..5 {
            debug_assert!(limbs[i] <= LOW_51);
            out[2 * i] = V::splat(limbs[i] & LOW_26);
            out[2 * i + 1] = V::splat(limbs[i] >> 26);
        }
        Self(out)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.check_factor(LEFT);
        other.check_factor(RIGHT);
        let (a, b, mut out) = (copy(&self.0), copy(&other.0), MaybeUninit::uninit());
        Self(copy(V::product(&a, &b, &mut out)))
    }

    #[inline(always)]
    fn square(self) -> Self {
        self.check_factor(RIGHT);
        let (a, mut out) = (copy(&self.0), MaybeUninit::uninit());
        Self(copy(V::square(&a, &mut out)))
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [[Self; N]; 2] {
        V::power_2_250_minus_1(a)
    }

    #[inline(always)]
    fn widen(self) -> Self {
        self
    }

    #[inline(always)]
    fn add(a: Self, b: Self) -> Self {
        let mut out = a.0;
        ten!(I => out[I] = a.0[I].add(b.0[I]));
        Self(out)
    }

    #[inline(always)]
    fn sub(a: Self, b: Self) -> Self {
        b.check(BIAS[0], BIAS[1]);
        let mut out = a.0;
        ten!(I => out[I] = a.0[I].add(V::splat(BIAS[I])).sub(b.0[I]));
        Self(out)
    }

    #[inline(always)]
    fn carry(wide: Self) -> Self {
        wide.check(WIDE, WIDE);
        let z = wide.0;
        let mut out = z;
        ten!(I => {
            const BEFORE: usize = (I + 9) % 10;
            out[I] = if I == 0 {
                let carry = z[BEFORE].shift_right::<25>();
                z[I].and(V::splat(LOW_26)).add(carry.mul32(V::splat(19)))
            } else if I % 2 == 0 {
                z[I].and(V::splat(LOW_26)).add(z[BEFORE].shift_right::<25>())
            } else {
                z[I].and(V::splat(LOW_25)).add(z[BEFORE].shift_right::<26>())
            };
        });
        let out = Self(out);
        out.check_tight();
        out
    }

    #[inline(always)]
    fn factor(wide: Self) -> Self {
        wide
    }

    #[inline(always)]
    fn carry_product(product: Self) -> Self {
        product.check_tight();
        product
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        // Once around, so that every limb exceeds its bits by little.
        let mut limbs = Self::carry(self).0;
        // q = 1 if the value is p or more: the carry out of value + 19.
        let mut q = limbs[0].add(V::splat(19)).shift_right::<26>();
        ten!(I => if I > 0 {
            q = limbs[I].add(q);
            q = if I % 2 == 0 {
                q.shift_right::<26>()
            } else {
                q.shift_right::<25>()
            };
        });
        limbs[0] = limbs[0].add(q.mul32(V::splat(19)));
        for i in 0..9 {
            Self::carry_limb(&mut limbs, i);
        }
        limbs[9] = limbs[9].and(V::splat(LOW_25));
        Self(limbs)
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        let limbs = self.canonical().0;
        let mut any = limbs[0];
        for limb in &limbs[1..] {
            any = any.or(*limb);
        }
        any.is_zero()
    }

    #[inline(always)]
    fn is_odd(self) -> u8 {
        let even = self.canonical().0[0].and(V::splat(1)).is_zero();
        !even & ((1u16 << V::LANES) - 1) as u8
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        let mut out = clear.0;
        ten!(I => out[I] = V::select(mask, set.0[I], clear.0[I]));
        Self(out)
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Self, clear: Self) -> Self {
        Self::select(mask, set, clear)
    }

    type Octet = V::Octet;

    #[inline(always)]
    fn shuffle<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N] {
        let mut out = octet;
        for out in &mut out {
            ten!(I => out.0[I] = out.0[I].shuffle::<ORDER>());
        }
        out
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N] {
        Self::shuffle::<ORDER, N>(octet)
    }
}
