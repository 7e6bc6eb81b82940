//! Multiples of two points side by side. The functions take variable time unless stated otherwise.
//!
//! The two points go through the same steps, because their scalars are the same. For example, U = s·B + m·Y
//! and V = s·H + m·Γ of an ECVRF verification have the same scalars.

use super::point::{Cached, Completed, Products};
use crate::formulas::eight::Eight;
use crate::formulas::lanes::Lanes;
use crate::formulas::point::Point;
use crate::formulas::scalar::{NAF_WIDTH, naf};

/// The number of odd multiples of a point: one for each odd magnitude of a digit of `naf`.
pub const ODD: usize = 1 << (NAF_WIDTH - 2);

/// P, 3P, 5P, … for each P in N pairs of points. Constant time. A chain of additions computes the multiples
/// of one pair. The chains of several pairs run side by side, which takes hardly more time than one chain.
#[inline(always)]
pub fn odd_multiples<E: Eight, const N: usize>(of: [[&Point; 2]; N]) -> [[Cached<E>; ODD]; N] {
    let one = unroll!(N, i => Products::<E>::load(of[i]));
    let two = unroll!(N, i => one[i].to_double().double().products().to_add().to_cached());
    let mut multiple = unroll!(N, i => one[i].to_add());
    let mut tables = unroll!(N, i => [multiple[i].to_cached(); ODD]);
    for place in 1..ODD {
        for (i, table) in tables.iter_mut().enumerate() {
            multiple[i] = multiple[i].add(&two[i]).products().to_add();
            table[place] = multiple[i].to_cached();
        }
    }
    tables
}

/// 8·P for two points P. Constant time.
#[inline(always)]
pub fn mul_two_by_cofactor<E: Eight>(points: [&Point; 2]) -> [Point; 2] {
    let mut multiple = Products::<E>::load(points);
    for _ in 0..3 {
        multiple = multiple.to_double().double().products();
    }
    multiple.store()
}

/// Adds a term to the sum: `digit`, which is odd or 0, times the point whose odd multiples are given.
#[inline(always)]
fn add_multiple<E: Eight>(sum: Completed<E>, odd: &[Cached<E>; ODD], digit: i8) -> Completed<E> {
    if digit == 0 {
        return sum;
    }
    let multiple = &odd[usize::from(digit.unsigned_abs() / 2)];
    let negative = if digit < 0 { 0xff } else { 0 };
    sum.products().to_add().add_signed(multiple, negative)
}

/// s·A + m·B, or s·A - m·B if `subtract` is true, where A is `a[i]` and B is `b[i]`, for i = 0 and i = 1.
/// Only the lowest 253 bits of the integers are used. Variable time.
#[inline(always)]
fn sum_of_two<E: Eight>(
    s: &[u8; 32],
    a: [&Point; 2],
    m: &[u8; 32],
    b: [&Point; 2],
    subtract: bool,
) -> [Point; 2] {
    let (s, m) = (naf(s), naf(m));
    let [a, b] = odd_multiples::<E, 2>([a, b]);
    let top = (0..s.len()).rfind(|&bit| s[bit] != 0 || m[bit] != 0);
    let mut sum = Completed::<E>::identity();
    for bit in (0..=top.unwrap_or(0)).rev() {
        sum = sum.products().to_double().double();
        sum = add_multiple(sum, &a, s[bit]);
        sum = add_multiple(sum, &b, if subtract { -m[bit] } else { m[bit] });
    }
    sum.products().store()
}

#[inline(always)]
pub fn mul_alone<F: Lanes>(
    s: &[[u8; 32]],
    a: &[[Point; 2]],
    m: &[[u8; 32]],
    b: &[[Point; 2]],
    subtract: bool,
    out: &mut [[Point; 2]],
) {
    for ((((s, a), m), b), out) in s.iter().zip(a).zip(m).zip(b).zip(out) {
        *out = sum_of_two::<F::Eight>(s, a.each_ref(), m, b.each_ref(), subtract);
    }
}
