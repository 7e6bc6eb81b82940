//! Five limbs of 51 bits, each held as a double: for processors that have no 52-bit
//! integer multiplication but fused multiply-adds, the field behind the AVX2 and the
//! AVX-512 F backend, which give it their vectors as a [`Vector`].
//!
//! A fused multiply-add rounds once, so what the rounding took away can be had by a
//! second one. For integers a and b with a·b < 2^103, C = 2^103 and M = 3·2^51:
//!
//! * h = a·b + C, rounded: doubles from 2^103 to 2^104 are the multiples of 2^51, so
//!   the mantissa of h counts the product's multiples of 2^51;
//! * l = a·b + ((C + M) - h) = M + r, exactly, where r, what h lacks, is less than
//!   2^51 in magnitude: l lies from 2^52 to 2^53, and its mantissa counts r + 2^51.
//!
//! That holds in every rounding mode. The exponents of h and l are known, so both are
//! summed up as they are, as integers modulo 2^64, and a constant takes away in the
//! end what is not mantissa.
//!
//! Emmart, Zheng, Weems, "Faster Modular Exponentiation using Double Precision Floating
//! Point Arithmetic on the GPU" (2018). All doubles here are integers below 2^104 in
//! magnitude: none is subnormal, infinite or NaN, on which time could depend.
//!
//! A host may have changed the floating-point environment, and products that are rounded
//! raise the exception *inexact*: the host would find its flag set, or be killed if the
//! exception traps. AVX-512 F has instructions that name their rounding mode and raise
//! nothing. AVX2 has none; there each stage runs in the default environment, and the host
//! gets its own back (see `mxcsr`).
//!
//! Tight: limbs below 2^51 + 2^32, so that products are below 2^103. Wide: integers
//! below 2^63.
//!
//! Columns of a product: the lowest is one l and, 19 times for having wrapped around,
//! four of them and five h, (1 + 4·19)·2^51 in magnitude and 5·19·(2^51 + 2^34); no
//! other is larger. To keep them positive 2^7·p is added, above 2^58 - 2^12, and they
//! stay below 3·2^58.

use core::mem::MaybeUninit;

use super::{BIAS, Field, LOW_51, Limbs, TIGHT, Word};
use crate::octet::Octet;

/// [`Vector::product`] and [`Vector::square`] for a vector, with the attributes that its
/// backend is compiled with.
macro_rules! product_and_square {
    ($vector:ty, $(#[$compile:meta])*) => {
        #[inline(always)]
        fn product<'a>(a: &[Self; 5], b: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5] {
            $(#[$compile])*
            #[inline(never)]
            fn compiled(a: &[$vector; 5], b: &[$vector; 5], out: &mut Place<$vector>) {
                doubles::align_the_stack::<$vector>();
                out.write(doubles::product(a, b));
            }
            // SAFETY: as for every block of the backend; `compiled` has written `out`.
            unsafe {
                compiled(a, b, out);
                out.assume_init_ref()
            }
        }

        #[inline(always)]
        fn square<'a>(a: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5] {
            $(#[$compile])*
            #[inline(never)]
            fn compiled(a: &[$vector; 5], out: &mut Place<$vector>) {
                doubles::align_the_stack::<$vector>();
                out.write(doubles::square(a));
            }
            // SAFETY: as above.
            unsafe {
                compiled(a, out);
                out.assume_init_ref()
            }
        }
    };
}

pub(super) use product_and_square;

/// Where a function that is not inlined leaves five limbs.
pub(super) type Place<V> = MaybeUninit<[V; 5]>;

/// What the field does with a vector of words, which may be those of doubles.
pub(crate) trait Vector: Word {
    /// How many lanes.
    const LANES: usize;
    /// As in [`Field`].
    #[inline(always)]
    fn run(stage: impl FnOnce()) {
        stage();
    }
    fn sub(self, other: Self) -> Self;
    /// The product of the low 32 bits.
    fn mul32(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn shift_left<const BITS: i32>(self) -> Self;
    /// a·b + c of doubles, rounded once. Like the two below it must not raise an exception
    /// that the caller of a stage could see.
    fn double_mul_add(a: Self, b: Self, c: Self) -> Self;
    /// a + b of doubles.
    fn double_add(self, other: Self) -> Self;
    /// a - b of doubles.
    fn double_sub(self, other: Self) -> Self;
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
    fn product<'a>(a: &[Self; 5], b: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5];
    /// [`square`], likewise.
    fn square<'a>(a: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5];
    /// As in [`Field`].
    fn power_2_250_minus_1<const N: usize>(a: [Doubles<Self>; N]) -> [[Doubles<Self>; N]; 2];
}

/// Tight limbs, as doubles.
#[derive(Clone, Copy)]
pub(crate) struct Doubles<V>([V; 5]);

/// Sums of products, as integers.
#[derive(Clone, Copy)]
pub(crate) struct Wide<V>([V; 5]);

const WIDE: u64 = 1 << 63;
/// What a column of a product stays below.
const COLUMN: u64 = 3 << 58;

/// The bits of 2^52: those of 2^52 + x, an integer x below 2^52, are the sum of the two.
const TWO_52: u64 = ((1u64 << 52) as f64).to_bits();

/// C.
const HIGH: f64 = (1u128 << 103) as f64;

/// C + M.
const HIGH_AND_LOW: f64 = HIGH + (3u64 << 51) as f64;

/// 2^7·p, less what is not mantissa in the columns of a product.
const MANTISSAS: Limbs = {
    let mut columns = [0u64; 10];
    let mut i = 0;
    while i < 25 {
        let (low, high) = (i / 5 + i % 5, i / 5 + i % 5 + 1);
        columns[low] = columns[low].wrapping_add(TWO_52 + (1 << 51));
        columns[high] = columns[high].wrapping_add(HIGH.to_bits());
        i += 1;
    }
    let mut out = [0; 5];
    let mut i = 0;
    while i < 5 {
        let folded = columns[i].wrapping_add(columns[i + 5].wrapping_mul(19));
        out[i] = (BIAS[i] >> 3).wrapping_sub(folded);
        i += 1;
    }
    out
};

/// Debug builds look at every limb of every lane. Not inlined: there are many calls,
/// and they must stay small.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
fn check<V: Vector>(limbs: &[V; 5], bound: u64) {
    if cfg!(debug_assertions) {
        for limb in limbs {
            assert!(limb.all_below(bound), "a limb is out of bounds");
        }
    }
}

/// A copy limb by limb. What a call takes by reference lives in memory; an assignment
/// of the whole would keep all that it is assigned to there as well, and the compiler
/// would call `memcpy` between them.
#[inline(always)]
fn copy<V: Vector>(limbs: &[V; 5]) -> [V; 5] {
    five!(I => limbs[I])
}

/// What does not fit the registers is spilled to the stack a vector at a time, but the
/// compiler does not align a stack frame for spills alone: by chance of the callers half
/// of them would cross cache lines, and a product take twice its time. A local variable
/// that is aligned makes it.
#[inline(always)]
pub(super) fn align_the_stack<V>() {
    core::hint::black_box(&MaybeUninit::<V>::uninit());
}

/// Adds the two halves of a·b, l and h, to the column of its weight and to the next.
#[inline(always)]
fn add_product<V: Vector>(columns: &mut [V; 10], at: usize, a: V, b: V) {
    let high = V::double_mul_add(a, b, V::splat(HIGH.to_bits()));
    let rest = V::splat(HIGH_AND_LOW.to_bits()).double_sub(high);
    let low = V::double_mul_add(a, b, rest);
    columns[at] = columns[at].add(low);
    columns[at + 1] = columns[at + 1].add(high);
}

/// Columns to five, 2^255 = 19, as the integers that they count.
#[inline(always)]
fn fold<V: Vector>(columns: [V; 10]) -> [V; 5] {
    let out = five!(I => {
        let upper = columns[I + 5];
        let times_19 = upper.shift_left::<4>().add(upper.add(upper)).add(upper);
        columns[I].add(V::splat(MANTISSAS[I])).add(times_19)
    });
    check(&out, COLUMN);
    out
}

/// The product of tight limbs.
#[inline(always)]
pub(super) fn product<V: Vector>(a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    let mut columns = [V::splat(0); 10];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            add_product(&mut columns, i + j, a, b);
        }
    }
    fold(columns)
}

/// The square of tight limbs.
#[inline(always)]
pub(super) fn square<V: Vector>(limbs: &[V; 5]) -> [V; 5] {
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

impl<V: Vector> Doubles<V> {
    /// From integers below 2^52.
    #[inline(always)]
    fn from_integers(limbs: [V; 5]) -> Self {
        Self(five!(I => {
            let two_52 = V::splat(TWO_52);
            limbs[I].or(two_52).double_sub(two_52)
        }))
    }

    /// The limbs as integers.
    #[inline(always)]
    fn integers(self) -> [V; 5] {
        five!(I => {
            let two_52 = V::splat(TWO_52);
            self.0[I].double_add(two_52).sub(two_52)
        })
    }

    #[inline(always)]
    fn check_tight(&self) {
        if cfg!(debug_assertions) {
            check(&self.integers(), TIGHT);
        }
    }

    /// The limbs of the least residue, as integers.
    #[inline(always)]
    fn canonical_integers(self) -> [V; 5] {
        // Once around, so that every limb is below 2^51 + 2^5.
        let mut limbs = Self::carry(self.widen()).integers();
        // q = 1 if the value is p or more: the carry out of value + 19.
        let mut q = limbs[0].add(V::splat(19)).shift_right::<51>();
        for limb in &limbs[1..] {
            q = limb.add(q).shift_right::<51>();
        }
        limbs[0] = limbs[0].add(q.mul32(V::splat(19)));
        for i in 0..4 {
            limbs[i + 1] = limbs[i + 1].add(limbs[i].shift_right::<51>());
            limbs[i] = limbs[i].and(V::splat(LOW_51));
        }
        limbs[4] = limbs[4].and(V::splat(LOW_51));
        limbs
    }
}

impl<V: Vector> Field for Doubles<V> {
    const LANES: usize = V::LANES;
    type Wide = Wide<V>;
    type Word = V;

    #[inline(always)]
    fn run(stage: impl FnOnce()) {
        V::run(stage);
    }

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
        super::prefetch(row);
    }

    #[inline(always)]
    fn from_tight_words(words: [V; 5]) -> Self {
        check(&words, TIGHT);
        Self::from_integers(words)
    }

    #[inline(always)]
    fn to_words(self) -> [V; 5] {
        self.integers()
    }

    #[inline(always)]
    fn splat(limbs: Limbs) -> Self {
        Self::from_tight_words(five!(I => V::splat(limbs[I])))
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
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [[Self; N]; 2] {
        V::power_2_250_minus_1(a)
    }

    #[inline(always)]
    fn widen(self) -> Wide<V> {
        Wide(self.integers())
    }

    #[inline(always)]
    fn add(a: Wide<V>, b: Wide<V>) -> Wide<V> {
        Wide(five!(I => a.0[I].add(b.0[I])))
    }

    #[inline(always)]
    fn sub(a: Wide<V>, b: Wide<V>) -> Wide<V> {
        check(&b.0, BIAS[0]);
        Wide(five!(I => a.0[I].add(V::splat(BIAS[I])).sub(b.0[I])))
    }

    #[inline(always)]
    fn carry(wide: Wide<V>) -> Self {
        check(&wide.0, WIDE);
        let z = wide.0;
        // The carries are below 2^12, and 19 times that is little.
        let out = Self::from_integers(five!(I => {
            const BEFORE: usize = (I + 4) % 5;
            let carry = z[BEFORE].shift_right::<51>();
            let carry = if I == 0 { carry.mul32(V::splat(19)) } else { carry };
            z[I].and(V::splat(LOW_51)).add(carry)
        }));
        out.check_tight();
        out
    }

    #[inline(always)]
    fn carry_product(product: Wide<V>) -> Self {
        Self::carry(product)
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        Self::from_integers(self.canonical_integers())
    }

    #[inline(always)]
    fn is_zero(self) -> u8 {
        let limbs = self.canonical_integers();
        let mut any = limbs[0];
        for limb in &limbs[1..] {
            any = any.or(*limb);
        }
        any.is_zero()
    }

    #[inline(always)]
    fn is_odd(self) -> u8 {
        let even = self.canonical_integers()[0].and(V::splat(1)).is_zero();
        !even & ((1u16 << V::LANES) - 1) as u8
    }

    #[inline(always)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self(five!(I => V::select(mask, set.0[I], clear.0[I])))
    }

    #[inline(always)]
    fn select_wide(mask: u8, set: Wide<V>, clear: Wide<V>) -> Wide<V> {
        Wide(five!(I => V::select(mask, set.0[I], clear.0[I])))
    }

    type Octet = V::Octet;

    #[inline(always)]
    fn shuffle<const ORDER: i32, const N: usize>(octet: [Self; N]) -> [Self; N] {
        let mut out = octet;
        for out in &mut out {
            *out = Self(five!(I => out.0[I].shuffle::<ORDER>()));
        }
        out
    }

    #[inline(always)]
    fn shuffle_wide<const ORDER: i32, const N: usize>(octet: [Wide<V>; N]) -> [Wide<V>; N] {
        let mut out = octet;
        for out in &mut out {
            *out = Wide(five!(I => out.0[I].shuffle::<ORDER>()));
        }
        out
    }
}
