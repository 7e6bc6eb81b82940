//! Products by the 52-bit multiplier: the instruction `vpmadd52` multiplies 52 by 52 bits and adds the low or
//! the high 52 bits of the product to a sum.
//!
//! The backend `ifma51` uses this instruction for eight lanes (AVX-512 IFMA). The backend `avx-ifma` uses it
//! for four lanes (AVX-IFMA), on processors without AVX-512. AVX-512 also has the instruction for four lanes,
//! but encodes it differently. Checked builds contain a twin of `avx-ifma` with that encoding, so that tests
//! of `avx-ifma` can run on more processors. Other builds do not need the twin, because eight lanes are
//! faster: even on Zen 4, which executes instructions for eight lanes at half the rate, the twin takes 1.2
//! times as long as `ifma51` to verify many proofs.
//!
//! Limbs have 51 bits here. Limbs of 52 bits (see `radix52`) need fewer instructions but more
//! multiplications. The module `detect` records which size is faster on which processors.
//!
//! Tight limbs are below 2^51 + 2^32. Wide limbs are below 2^63: the product of tight elements has limbs
//! below 2^59.1, and a difference adds the bias, with limbs below 2^61.

use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::element::{Field, Wide};
use super::limbs::{LOW_51, Limbs, TIGHT, check, multiple_of_p};
use super::powers::power_2_250_minus_1;
use super::word::{Madd52, Word};

/// An element with tight integer limbs in each lane. `M` multiplies them, and `S` sums the products.
#[derive(Clone, Copy)]
pub struct Integers<M: Madd52, S = Throughput>([M::Word; 5], PhantomData<S>);

/// The field on eight lanes of AVX-512 IFMA.
pub type Ifma = Integers<Zmm>;

/// The field of [`Ifma`], for work on a single vector, where each operation waits for the one before.
pub type IfmaAlone = Integers<Zmm, Latency>;

/// The field on four lanes of AVX-IFMA.
pub type AvxIfma = Integers<VexYmm>;

/// The twin of [`AvxIfma`] for tests on processors that have the instructions only in AVX-512's encoding.
#[cfg(debug_assertions)]
pub type AvxIfmaTwin = Integers<EvexYmm>;

/// The functions that are compiled with a multiplier's instruction set, and *not* inlined.
pub trait Outlined: Madd52 {
    /// The function that [`Field::product_called`] calls.
    fn product_called<F: Field>(a: F, b: F) -> F;
    /// The function that [`Field::squared_called`] calls.
    fn squared_called<F: Field>(a: F) -> F;
    /// The function that [`Field::power_2_250_minus_1`] calls.
    fn power_2_250_minus_1<F: Field, const N: usize>(a: [F; N]) -> [F; N];
}

// SAFETY of every block here: a backend's code runs only inside the entry points in `stages`, which
// are called only after its instruction set was found on this processor.

/// Declares a multiplier. The arguments are its name, its type of words, its instructions for the low and the
/// high halves of products, its function for 19·a, and the features that its functions are compiled with.
macro_rules! multiplier {
    (
        $(#[$doc:meta])*
        $name:ident: $word:ty, $low:ident, $high:ident, $times_19:path, $features:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name;

        impl Madd52 for $name {
            type Word = $word;

            #[inline(always)]
            fn low(sum: $word, a: $word, b: $word) -> $word {
                unsafe { $low(sum, a, b) }
            }

            #[inline(always)]
            fn high(sum: $word, a: $word, b: $word) -> $word {
                unsafe { $high(sum, a, b) }
            }

            #[inline(always)]
            fn times_19(a: $word) -> $word {
                $times_19(a)
            }
        }

        impl Outlined for $name {
            #[inline(always)]
            fn product_called<F: Field>(a: F, b: F) -> F {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn compiled<F: Field>(a: F, b: F) -> F {
                    a.product(b)
                }
                unsafe { compiled(a, b) }
            }

            #[inline(always)]
            fn squared_called<F: Field>(a: F) -> F {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn compiled<F: Field>(a: F) -> F {
                    a.squared()
                }
                unsafe { compiled(a) }
            }

            #[inline(always)]
            fn power_2_250_minus_1<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn compiled<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
                    power_2_250_minus_1(a)
                }
                unsafe { compiled(a) }
            }
        }
    };
}

multiplier! {
    /// AVX-512 IFMA on eight words.
    Zmm: __m512i, _mm512_madd52lo_epu64, _mm512_madd52hi_epu64, multiply_by_19,
    "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma,bmi2"
}

multiplier! {
    /// AVX-IFMA on four words, in the encoding VEX with 16 registers.
    VexYmm: __m256i, _mm256_madd52lo_avx_epu64, _mm256_madd52hi_avx_epu64, Word::times_19,
    "avx2,avxifma,bmi2"
}

#[cfg(debug_assertions)]
multiplier! {
    /// AVX-512 IFMA on four words, in the encoding EVEX with 32 registers.
    EvexYmm: __m256i, _mm256_madd52lo_epu64, _mm256_madd52hi_epu64, Word::times_19,
    "avx2,avx512f,avx512vl,avx512ifma,bmi2"
}

/// 19·a by a single multiplication, for which AVX2 has no instruction.
#[inline(always)]
fn multiply_by_19(a: __m512i) -> __m512i {
    unsafe { _mm512_mullo_epi64(a, __m512i::splat(19)) }
}

/// Folds the ten columns of a product into five, since 2^255 = 19 mod p.
#[inline(always)]
fn fold<M: Madd52>(z: [M::Word; 10]) -> [M::Word; 5] {
    unroll!(5, I => z[I].add(M::times_19(z[I + 5])))
}

/// Initial columns of a product that is to include the bias, if column i is later doubled `doubled[i]` times.
const fn bias_before(doubled: [u32; 5]) -> Limbs {
    let mut out = [0; 5];
    let mut i = 0;
    while i < 5 {
        out[i] = multiple_of_p(BIAS_SHIFT - doubled[i])[i];
        i += 1;
    }
    out
}

/// The bias is p shifted left by this number of bits.
const BIAS_SHIFT: u32 = 10;

/// The initial columns of a product that is to include the bias.
const PRODUCT_ABOVE: Limbs = bias_before([0, 1, 1, 1, 1]);

/// The initial columns of a square that is to include the bias.
const SQUARE_ABOVE: Limbs = bias_before([0, 1, 2, 2, 2]);

/// Ten columns. Every lane of column i is `start[i]` for i below 5, and the upper five columns are zero.
#[inline(always)]
pub fn columns<W: Word>(start: Limbs) -> [W; 10] {
    let mut z = [W::splat(0); 10];
    for i in 0..5 {
        z[i] = W::splat(start[i]);
    }
    z
}

/// The product of tight limbs, summed in columns that begin with `start`.
#[inline(always)]
fn product<M: Madd52>(start: Limbs, a: [M::Word; 5], b: [M::Word; 5]) -> [M::Word; 5] {
    let mut z = columns::<M::Word>(start);
    // A column has 2^51 times the weight of the column below, but a high half has 2^52 times the weight of
    // its low half. So high halves are summed one column up and doubled, and then the low halves are added.
    for i in 0..5 {
        for j in 0..5 {
            z[i + j + 1] = M::high(z[i + j + 1], a[i], b[j]);
        }
    }
    for column in &mut z[1..] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        for j in 0..5 {
            z[i + j] = M::low(z[i + j], a[i], b[j]);
        }
    }
    fold::<M>(z)
}

/// The square of tight limbs, summed in columns that begin with `start`: 4·(mixed high) + 2·(mixed low) +
/// 2·(square high) + (square low). A mixed product has two different limbs. Terms with larger factors are
/// added earlier, because each doubling applies to all terms added before it.
#[inline(always)]
fn square<M: Madd52>(start: Limbs, a: [M::Word; 5]) -> [M::Word; 5] {
    let mut z = columns::<M::Word>(start);
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j + 1] = M::high(z[i + j + 1], a[i], a[j]);
        }
    }
    for column in &mut z[2..9] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j] = M::low(z[i + j], a[i], a[j]);
        }
        z[2 * i + 1] = M::high(z[2 * i + 1], a[i], a[i]);
    }
    for column in &mut z[1..] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        z[2 * i] = M::low(z[2 * i], a[i], a[i]);
    }
    fold::<M>(z)
}

/// A way of summing the halves of products in columns.
pub trait Sums: Copy {
    /// a·b, of tight limbs.
    fn product<M: Madd52>(a: [M::Word; 5], b: [M::Word; 5]) -> [M::Word; 5];

    /// a², of tight limbs.
    fn square<M: Madd52>(a: [M::Word; 5]) -> [M::Word; 5];
}

/// Sums each column in one chain of additions, with as few operations and registers as possible. It suits
/// field operations that do not wait for each other.
#[derive(Clone, Copy)]
pub struct Throughput;

impl Sums for Throughput {
    #[inline(always)]
    fn product<M: Madd52>(a: [M::Word; 5], b: [M::Word; 5]) -> [M::Word; 5] {
        product::<M>([0; 5], a, b)
    }

    #[inline(always)]
    fn square<M: Madd52>(a: [M::Word; 5]) -> [M::Word; 5] {
        square::<M>([0; 5], a)
    }
}

/// Sums low and high halves in separate columns, so that chains of additions are half as long and run side by
/// side. The highest columns are summed first, because the lower columns wait for them in the fold.
#[derive(Clone, Copy)]
pub struct Latency;

impl Sums for Latency {
    #[inline(always)]
    fn product<M: Madd52>(a: [M::Word; 5], b: [M::Word; 5]) -> [M::Word; 5] {
        let (mut low, mut high) = (columns::<M::Word>([0; 5]), columns::<M::Word>([0; 5]));
        for column in (0..9).rev() {
            for i in 0..5 {
                if i <= column && column - i < 5 {
                    let (a, b) = (a[i], b[column - i]);
                    high[column + 1] = M::high(high[column + 1], a, b);
                    low[column] = M::low(low[column], a, b);
                }
            }
        }
        for (low, high) in low.iter_mut().zip(high) {
            *low = low.add(high.add(high));
        }
        fold::<M>(low)
    }

    /// 2·(2·(mixed high) + (mixed low) + (square high)) + (square low).
    #[inline(always)]
    fn square<M: Madd52>(a: [M::Word; 5]) -> [M::Word; 5] {
        let [mut mixed_high, mut twice, mut low] = [columns::<M::Word>([0; 5]); 3];
        for column in (0..9).rev() {
            for i in 0..5 {
                if i <= column && i < column - i && column - i < 5 {
                    let (a, b) = (a[i], a[column - i]);
                    mixed_high[column + 1] = M::high(mixed_high[column + 1], a, b);
                    twice[column] = M::low(twice[column], a, b);
                }
            }
            if column % 2 == 0 {
                let a = a[column / 2];
                twice[column + 1] = M::high(twice[column + 1], a, a);
                low[column] = M::low(low[column], a, a);
            }
        }
        for ((low, twice), mixed_high) in low.iter_mut().zip(twice).zip(mixed_high) {
            let half = twice.add(mixed_high.add(mixed_high));
            *low = low.add(half.add(half));
        }
        fold::<M>(low)
    }
}

/// Does the same as `limbs::carry`, but adds 19 times the highest carry by one instruction.
#[inline(always)]
fn carry<M: Madd52>(wide: [M::Word; 5]) -> [M::Word; 5] {
    unroll!(5, I => {
        const BELOW: usize = (I + 4) % 5;
        let (low, carry) = (wide[I].and(M::Word::splat(LOW_51)), wide[BELOW].shift_right::<51>());
        if I == 0 { M::low(low, carry, M::Word::splat(19)) } else { low.add(carry) }
    })
}

/// The same element, in the type whose products are summed by [`Latency`].
#[inline(always)]
fn alone<M: Madd52, S>(a: Integers<M, S>) -> Integers<M, Latency> {
    Integers(a.0, PhantomData)
}

impl<M: Outlined, S: Sums> Field for Integers<M, S> {
    type Word = M::Word;
    const WIDE: u64 = 1 << 63;
    /// Each limb of the bias is at least 2^61 - 2^15.
    const BIAS: Limbs = multiple_of_p(BIAS_SHIFT);

    #[inline(always)]
    fn from_words(words: [M::Word; 5]) -> Self {
        Self(words, PhantomData)
    }

    #[inline(always)]
    fn words(self) -> [M::Word; 5] {
        self.0
    }

    #[inline(always)]
    fn from_limbs(limbs: [M::Word; 5]) -> Self {
        check(&limbs, TIGHT);
        Self(limbs, PhantomData)
    }

    #[inline(always)]
    fn limbs(self) -> [M::Word; 5] {
        self.0
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<M::Word> {
        self.check_tight();
        other.check_tight();
        Wide(S::product::<M>(self.0, other.0))
    }

    #[inline(always)]
    fn square(self) -> Wide<M::Word> {
        self.check_tight();
        Wide(S::square::<M>(self.0))
    }

    #[inline(always)]
    fn product_called(self, other: Self) -> Self {
        Self(M::product_called(alone(self), alone(other)).0, PhantomData)
    }

    #[inline(always)]
    fn squared_called(self) -> Self {
        Self(M::squared_called(alone(self)).0, PhantomData)
    }

    #[inline(always)]
    fn mul_above(self, other: Self) -> Wide<M::Word> {
        self.check_tight();
        other.check_tight();
        Wide(product::<M>(PRODUCT_ABOVE, self.0, other.0))
    }

    #[inline(always)]
    fn square_above(self) -> Wide<M::Word> {
        self.check_tight();
        Wide(square::<M>(SQUARE_ABOVE, self.0))
    }

    #[inline(always)]
    fn carry(wide: Wide<M::Word>) -> Self {
        check(&wide.0, Self::WIDE);
        Self::from_limbs(carry::<M>(wide.0))
    }

    #[inline(always)]
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        if N > 1 {
            return M::power_2_250_minus_1(a);
        }
        let power = M::power_2_250_minus_1(unroll!(N, i => alone(a[i])));
        unroll!(N, i => Self(power[i].0, PhantomData))
    }
}
