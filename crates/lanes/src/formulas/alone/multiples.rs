//! Variable-time multiples of two points side by side.
//!
//! The two points share only the steps: U = s·B + m·Y and V = s·H + m·Γ of a verification
//! have the same scalars.

use super::point::{Cached, Completed, Products};
use crate::formulas::eight::Eight;
use crate::formulas::lanes::Lanes;
use crate::formulas::point::Point;
use crate::formulas::scalar::{NAF_WIDTH, naf};

/// The number of odd multiples for the digits ±1, ±3, … of a non-adjacent form.
pub const ODD: usize = 1 << (NAF_WIDTH - 2);

/// P, 3P, 5P, …, of N pairs of points; constant time. Multiples of one point are a chain of
/// additions, so several points take hardly more time than one.
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

/// 8·P of two points, constant time.
#[inline(always)]
pub fn mul_two_by_cofactor<E: Eight>(points: [&Point; 2]) -> [Point; 2] {
    let mut multiple = Products::<E>::load(points);
    for _ in 0..3 {
        multiple = multiple.to_double().double().products();
    }
    multiple.store()
}

/// The sum plus another term: a digit, odd or 0, times the point with these odd multiples.
#[inline(always)]
fn add_multiple<E: Eight>(sum: Completed<E>, odd: &[Cached<E>; ODD], digit: i8) -> Completed<E> {
    if digit == 0 {
        return sum;
    }
    let multiple = &odd[usize::from(digit.unsigned_abs() / 2)];
    let negative = if digit < 0 { 0xff } else { 0 };
    sum.products().to_add().add_signed(multiple, negative)
}

/// s·A + m·B for two pairs of points A and B, or s·A - m·B; the lowest 253 bits of the integers
/// count. Variable time.
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
