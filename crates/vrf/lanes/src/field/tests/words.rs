//! Tests of every operation that the kernels use, on every type of words. Each lane is compared with a result
//! computed in integers. The operands are near bounds that occur in the kernels, or random.
//!
//! `checks/kernels` shows that the kernels are right for all inputs if each operation does what its
//! name says. This file tests the operations.

use super::*;
use crate::field::word::{Cut, Wide128, digits_one_by_one, look_up_by_selections};
#[cfg(target_arch = "x86_64")]
use crate::field::word::{Fma, Madd52};

/// Small words, words near powers of 2 and near the bound on tight limbs, and random words.
fn edges_and_random() -> Vec<u64> {
    let mut words = vec![0, 1, 2, 18, 19, 20, 607, 608, u64::MAX, u64::MAX - 1];
    for bit in [25, 26, 31, 32, 47, 50, 51, 52, 53, 59, 63] {
        let power = 1u64 << bit;
        words.extend([power - 1, power, power + 1]);
    }
    words.extend([TIGHT - 1, TIGHT]);
    let mut dice = Dice(0x303d);
    words.extend((0..60).map(|i| dice.word() >> (i % 64)));
    words
}

/// Pairs of vectors. Each pair of words from `edges_and_random` is in the same lane of some pair.
fn vectors<W: Vector>() -> Vec<[[u64; 8]; 2]> {
    let words = edges_and_random();
    let mut pairs = Vec::new();
    for a in &words {
        pairs.extend(words.iter().map(|b| [*a, *b]));
    }
    if cfg!(miri) {
        pairs.truncate(16);
    }
    let chunks = pairs.chunks(W::LANES);
    let lane = |chunk: &[[u64; 2]], lane: usize, i: usize| chunk[lane % chunk.len()][i];
    let vector = |chunk, i| std::array::from_fn(|l| lane(chunk, l, i));
    chunks
        .map(|chunk| [vector(chunk, 0), vector(chunk, 1)])
        .collect()
}

/// Panics unless each lane has the expected word.
fn assert_lanes<W: Vector>(name: &str, actual: W, expected: impl Fn(usize) -> u64) {
    let mut out = [0; 8];
    actual.store(&mut out);
    for (lane, word) in out[..W::LANES].iter().enumerate() {
        assert_eq!(*word, expected(lane), "{name}, lane {lane}");
    }
}

/// A mask, with bit l set if the condition holds for lane l.
fn mask_where<W: Vector>(condition: impl Fn(usize) -> bool) -> u8 {
    (0..W::LANES).fold(0, |mask, lane| mask | u8::from(condition(lane)) << lane)
}

/// Tests the operations of `Word`, and these of `Vector`: moves, masked sums and differences, digits.
fn words<W: Vector>() {
    for word in edges_and_random() {
        assert_lanes("splat", W::splat(word), |_| word);
    }
    let mut dice = Dice(0x77);
    for [a, b] in vectors::<W>() {
        let (x, y) = (W::load(&a), W::load(&b));
        assert_lanes("add", x.add(y), |l| a[l].wrapping_add(b[l]));
        assert_lanes("sub", x.sub(y), |l| a[l].wrapping_sub(b[l]));
        assert_lanes("and", x.and(y), |l| a[l] & b[l]);
        assert_lanes("or", x.or(y), |l| a[l] | b[l]);
        let low = |word: u64| word & 0xffff_ffff;
        assert_lanes("mul32", x.mul32(y), |l| low(a[l]) * low(b[l]));
        assert_lanes("times_19", x.times_19(), |l| a[l].wrapping_mul(19));
        macro_rules! shifts {
            ($($bits:literal)*) => {$(
                assert_lanes("shift_left", x.shift_left::<$bits>(), |l| a[l] << $bits);
                assert_lanes("shift_right", x.shift_right::<$bits>(), |l| a[l] >> $bits);
            )*};
        }
        shifts!(1 2 3 4 25 26 47 48 49 50 51 52 63);
        assert_eq!(x.is_zero(), mask_where::<W>(|l| a[l] == 0));
        let bound = b[0];
        let all_below = a[..W::LANES].iter().all(|&word| word < bound);
        assert_eq!(x.all_below(bound), all_below);
        let (mask, from) = (dice.word() as u8, b[0]);
        let set = |l: usize| mask >> l & 1 == 1;
        assert_lanes("select", W::select(mask, x, y), |l| {
            if set(l) { a[l] } else { b[l] }
        });
        assert_lanes("add_where", W::add_where(mask, x, y), |l| {
            if set(l) {
                a[l].wrapping_add(b[l])
            } else {
                a[l]
            }
        });
        assert_lanes("subtract_where", W::subtract_where(mask, from, x), |l| {
            if set(l) {
                from.wrapping_sub(a[l])
            } else {
                a[l]
            }
        });
        // Moves words within each group of four lanes, from lanes 1, 3, 0 and 2 to lanes 0, 1, 2 and 3.
        let moved = |l: usize| {
            if W::LANES == 1 {
                0
            } else {
                l / 4 * 4 + [1, 3, 0, 2][l % 4]
            }
        };
        assert_lanes("shuffle", x.shuffle::<0b10_00_11_01>(), |l| a[moved(l)]);
        let shift = (a[0] ^ b[0]) as u32 % 64;
        for width in [2, 5, 8, 11] {
            for half in [0, 1 << (width - 1)] {
                let mask = (1 << width) - 1;
                let cut = Cut { shift, mask, half };
                let twin = digits_one_by_one(&a, &b, cut, W::LANES);
                assert_eq!(W::digits(&a, &b, cut), twin, "{cut:?}");
            }
        }
    }
}

/// Looks up each item in each lane. First all lanes look up the same item, and then different items.
fn look_ups<W: Vector>() {
    let mut dice = Dice(0x1007);
    let tables: [[u64; 32]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| dice.word()));
    for item in 0..64 {
        let items: [usize; 8] = std::array::from_fn(|lane| (item + lane * (item / 32)) % 32);
        let masks = std::array::from_fn(|j| mask_where::<W>(|lane| items[lane] >> j & 1 == 1));
        let found: [W; 3] = W::look_up(&tables, masks);
        let twin: [W; 3] = look_up_by_selections(&tables, masks);
        for ((table, found), twin) in tables.iter().zip(found).zip(twin) {
            assert_lanes("look_up", found, |lane| table[items[lane]]);
            assert_lanes("look_up_by_selections", twin, |lane| table[items[lane]]);
        }
    }
}

/// Tests the 52-bit multiplier.
#[cfg(target_arch = "x86_64")]
fn multiplier<M: Madd52>() {
    let low = |word: u64| u128::from(word & ((1 << 52) - 1));
    for (i, [a, b]) in vectors::<M::Word>().into_iter().enumerate() {
        let sum = if i % 2 == 0 { [u64::MAX; 8] } else { b };
        let [x, y, z] = [a, b, sum].map(|words| M::Word::load(&words));
        let product = |l: usize| low(a[l]) * low(b[l]);
        let low_half = |l: usize| product(l) as u64 & ((1 << 52) - 1);
        let high_half = |l: usize| (product(l) >> 52) as u64;
        assert_lanes("low", M::low(z, x, y), |l| sum[l].wrapping_add(low_half(l)));
        assert_lanes("high", M::high(z, x, y), |l| {
            sum[l].wrapping_add(high_half(l))
        });
        assert_lanes("times_19", M::times_19(x), |l| a[l].wrapping_mul(19));
    }
}

/// Tests operations on doubles that hold integers. The expected results are computed as `i128` and then
/// converted. This conversion rounds to nearest, with ties to even.
#[cfg(target_arch = "x86_64")]
fn doubles<W: Vector + Fma>() {
    let integers = |words: [u64; 8]| words.map(|word| i128::from(word & ((1 << 52) - 1)));
    let load = |integers: [i128; 8]| W::load(&integers.map(|i| (i as f64).to_bits()));
    for (i, [a, b]) in vectors::<W>().into_iter().enumerate() {
        let (a, b) = (integers(a), integers(b));
        let c = match i % 4 {
            0 => [0; 8],
            1 => [1 << 103; 8],
            2 => a.map(|a| -(a << 51)),
            _ => [3 << 51; 8],
        };
        let (x, y, z) = (load(a), load(b), load(c));
        let bits = |integer: i128| (integer as f64).to_bits();
        assert_lanes("double_mul_add", W::double_mul_add(x, y, z), |l| {
            bits(a[l] * b[l] + c[l])
        });
        assert_lanes("double_add", x.double_add(z), |l| bits(a[l] + c[l]));
        assert_lanes("double_sub", z.double_sub(x), |l| bits(c[l] - a[l]));
    }
}

/// Tests sums that consist of two words.
fn sums<W: Vector + Wide128<Sum = u128>>() {
    for [[a, ..], [b, ..]] in vectors::<W>() {
        let product = u128::from(a) * u128::from(b);
        let sum = W::product(W::splat(a), W::splat(b));
        assert_eq!(sum, product);
        assert_eq!(
            W::add_sums(sum, W::splat(a).to_sum()),
            product.wrapping_add(a.into())
        );
        assert_eq!(W::shift_sum_right::<51>(sum), product >> 51);
        assert_lanes("low", W::low(sum), |_| product as u64);
        assert_eq!(W::sum_below::<105>(sum), product < 1 << 105);
    }
}

#[test]
fn one_lane() {
    words::<u64>();
    look_ups::<u64>();
    sums::<u64>();
}

/// Defines tests of words. They are skipped if the processor lacks the instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! vectors {
    ($($name:ident, [$($feature:tt),*]: $($test:expr),*;)*) => {$(
        #[test]
        fn $name() {
            if true $(&& std::arch::is_x86_feature_detected!($feature))* {
                $($test();)*
            } else {
                eprintln!("!!! SKIPPED: this processor lacks the instruction set");
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod of_x86 {
    use core::arch::x86_64::{__m256i, __m512i};

    use super::*;
    use crate::field::ifma::{VexYmm, Zmm};

    vectors! {
        four_lanes, ["avx2", "fma"]: words::<__m256i>, look_ups::<__m256i>, doubles::<__m256i>;
        eight_lanes, ["avx512f"]: words::<__m512i>, look_ups::<__m512i>, doubles::<__m512i>;
        multiplier_of_eight, ["avx512f", "avx512dq", "avx512ifma"]: multiplier::<Zmm>;
        multiplier_of_four, ["avx2", "avxifma"]: multiplier::<VexYmm>;
    }

    #[cfg(debug_assertions)]
    vectors! {
        multiplier_of_the_twin, ["avx2", "avx512vl", "avx512ifma"]:
            multiplier::<crate::field::ifma::EvexYmm>;
    }
}
