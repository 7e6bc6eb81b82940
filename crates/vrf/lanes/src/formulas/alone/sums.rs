//! Two sums of scalar multiples side by side, one in each half of the lanes, for few terms.
//!
//! The module uses Straus' method. Both sums have digits of the same widths, so they add at the same steps.
//! Scalars of the base point have wider digits, because its tables are made only once. Their upper halves use
//! a table of multiples of 2^128·B, so that these scalars need half as many doublings.
//!
//! Variable time.

use alloc::vec::Vec;

use super::point::{Cached, Completed, Products};
use crate::formulas::eight::Eight;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;
use crate::formulas::scalar::{SignedDigits, digit_count};
use crate::formulas::straus::{base_tables, slices};

/// The width of the signed digits by which points are multiplied.
const WIDTH: usize = 5;

/// The largest magnitude of a signed digit of `WIDTH` bits.
const LEVELS: usize = 1 << (WIDTH - 1);

/// The width of the signed digits by which the base point is multiplied.
const BASE_WIDTH: usize = 8;

/// The index of the bit at which the highest digit of `BASE_WIDTH` bits begins.
const TOP_OF_BASE: usize = 15 * BASE_WIDTH;

/// The mask of the halves with a negative digit, and the magnitude of each half's digit.
#[inline(always)]
fn signs([first, second]: [i16; 2]) -> (u8, [usize; 2]) {
    let half = |digit: i16, mask: u8| if digit < 0 { mask } else { 0 };
    let negative = half(first, 0x0f) | half(second, 0xf0);
    (
        negative,
        [first, second].map(|digit| usize::from(digit.unsigned_abs())),
    )
}

/// A point in each half, and the digits of its multiplier.
struct Own<E> {
    /// [0]P … [16]P.
    multiples: [Cached<E>; LEVELS + 1],
    digits: [[i16; digit_count(255, WIDTH)]; 2],
}

/// Makes the terms of these points. A term holds two points, one in each half. Only the lowest `bits` bits of
/// the scalars are used.
#[inline(always)]
fn own_terms<E: Eight>(points: &[Point], scalars: &[&[u8]], bits: usize) -> Vec<Own<E>> {
    let signed = SignedDigits::new(bits, WIDTH);
    let identity = Completed::<E>::identity().products().to_add();
    let mut terms = Vec::with_capacity(points.len().div_ceil(2));
    let mut multiples = Vec::with_capacity(terms.capacity());
    for (points, scalars) in points.chunks(2).zip(scalars.chunks(2)) {
        let mut digits = [[0; digit_count(255, WIDTH)]; 2];
        for (digits, scalar) in digits.iter_mut().zip(scalars) {
            signed.of(scalar, &mut digits[..signed.count()]);
        }
        let of = [&points[0], points.get(1).unwrap_or(&Point::IDENTITY)];
        let one = Products::<E>::load(of).to_add();
        terms.push(Own {
            multiples: [identity.to_cached(); LEVELS + 1],
            digits,
        });
        multiples.push(one);
    }
    // A chain of additions computes the multiples of one term. The chains of all terms run side by side.
    for level in 1..=LEVELS {
        for (term, multiple) in terms.iter_mut().zip(&mut multiples) {
            if level > 1 {
                *multiple = multiple.add(&term.multiples[1]).products().to_add();
            }
            term.multiples[level] = multiple.to_cached();
        }
    }
    terms
}

/// The multiples [0]Q … [128]Q for each half, where Q is B or 2^128·B, and the digits of Q's multiplier.
struct OfBase<'a> {
    tables: [&'a [AffineRow]; 2],
    digits: [[i16; 16]; 2],
}

impl OfBase<'_> {
    /// Adds the multiples of Q that the digits with the weight 2^bit need, if there are such digits.
    #[inline(always)]
    fn add<E: Eight>(&self, bit: usize, sum: Completed<E>) -> Completed<E> {
        if !bit.is_multiple_of(BASE_WIDTH) || bit > TOP_OF_BASE {
            return sum;
        }
        let digits = [0, 1].map(|half| self.digits[half][bit / BASE_WIDTH]);
        if digits == [0; 2] {
            return sum;
        }
        let (negative, [first, second]) = signs(digits);
        let multiple = Cached::of_rows([&self.tables[0][first], &self.tables[1][second]]);
        sum.products().to_add().add_signed(&multiple, negative)
    }
}

/// The sum of all terms in each half. In `own`, all digits from index `count` on are 0.
#[inline(always)]
fn sums<E: Eight>(own: &[Own<E>], count: usize, of_base: &[OfBase<'_>]) -> [Point; 2] {
    let top = (count.saturating_sub(1) * WIDTH).max(TOP_OF_BASE);
    let mut sum = Completed::<E>::identity();
    for bit in (0..=top).rev() {
        sum = sum.products().to_double().double();
        if bit.is_multiple_of(WIDTH) && bit / WIDTH < count {
            for Own { multiples, digits } in own {
                let digits = [0, 1].map(|half| digits[half][bit / WIDTH]);
                if digits != [0; 2] {
                    let (negative, [first, second]) = signs(digits);
                    let multiple = Cached::select(0xf0, multiples[second], multiples[first]);
                    sum = sum.products().to_add().add_signed(&multiple, negative);
                }
            }
        }
        for of_base in of_base {
            sum = of_base.add(bit, sum);
        }
    }
    sum.products().store()
}

/// [0]Q … [128]Q for Q = B and Q = 2^128·B. The rows are limbs of 51 bits on every engine: a sum reads so few
/// rows that converting them costs little.
fn tables<S: Single>() -> &'static [Vec<AffineRow>] {
    base_tables::<S, 2>(S::RADIX)
}

/// The digits of a multiplier of the base point. The first list multiplies B, and the second multiplies
/// 2^128·B. Only the lowest `bits` bits are used, where `bits` is from 248 to 255.
fn base_digits(s: &[u8; 32], bits: usize) -> [[i16; 16]; 2] {
    let mut digits = [[0; 16]; 2];
    SignedDigits::new(bits, BASE_WIDTH).of(s, digits.as_flattened_mut());
    digits
}

/// The term s·B, for the lowest 255 bits of s. The lower half of s is in the first half of the lanes, and its
/// upper half is in the second.
fn in_halves<S: Single>(s: &[u8; 32]) -> OfBase<'static> {
    let tables = tables::<S>();
    OfBase {
        tables: [&tables[0], &tables[1]],
        digits: base_digits(s, 255),
    }
}

/// Computes two points whose sum is s·B + Σ scalar·point. Only the lowest `bits` bits of the
/// scalars (at most 255) and the lowest 255 bits of s are used.
#[inline(always)]
pub fn sum_of_few<F: Lanes>(
    s: &[u8; 32],
    scalars: &[&[u8]],
    bits: usize,
    points: &[Point],
    halves: &mut [Point; 2],
) {
    let own = own_terms::<F::Eight>(points, scalars, bits);
    *halves = sums(&own, digit_count(bits, WIDTH), &[in_halves::<F::One>(s)]);
}

/// Computes two points whose sum is s·B + Σ 2^(width·i)·windows\[i\], by Horner's rule. Only the
/// lowest 255 bits of s are used.
#[inline(always)]
pub fn horner<F: Lanes>(s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]) {
    let of_base = in_halves::<F::One>(s);
    let top = (windows.len().saturating_sub(1) * width).max(TOP_OF_BASE);
    let mut sum = Completed::<F::Eight>::identity();
    for bit in (0..=top).rev() {
        sum = sum.products().to_double().double();
        if bit.is_multiple_of(width)
            && let Some(window) = windows.get(bit / width)
        {
            let window = Products::load([window, &Point::IDENTITY]);
            sum = sum.products().to_add().add(&window.to_add().to_cached());
        }
        sum = of_base.add(bit, sum);
    }
    *halves = sum.products().store();
}

/// Computes s·B - m·P for each item, two items at a time. Only the lowest 253 bits of s and m are used.
#[inline(always)]
pub fn mul_base_sub_alone<F: Lanes>(
    s: &[[u8; 32]],
    m: &[[u8; 32]],
    p: &[Point],
    out: &mut [Point],
) {
    let tables = tables::<F::One>();
    for (((s, m), p), out) in s
        .chunks(2)
        .zip(m.chunks(2))
        .zip(p.chunks(2))
        .zip(out.chunks_mut(2))
    {
        let mut own = own_terms::<F::Eight>(p, &slices(m), 253);
        for term in &mut own {
            for digit in term.digits.as_flattened_mut() {
                *digit = -*digit;
            }
        }
        // If the last item has no partner, it fills both halves.
        let [first, second] = [&s[0], &s[s.len() - 1]].map(|s| base_digits(s, 253));
        let of_base = [0, 1].map(|part| OfBase {
            tables: [&tables[part]; 2],
            digits: [first[part], second[part]],
        });
        let both = sums(&own, digit_count(253, WIDTH), &of_base);
        out.copy_from_slice(&both[..out.len()]);
    }
}
