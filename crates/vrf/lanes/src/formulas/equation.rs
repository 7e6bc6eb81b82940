//! The test, in each lane, of whether w·B - u·P - v·Q is the identity. u and v have about half the
//! size of w, so the sum takes half as many doublings as with multipliers of full size.
//!
//! w is cut into halves, which multiply B and 2^128·B, so that all four terms share their doublings. Each
//! lane has tables of its own P and Q. The sum is not encoded: only the identity has to be recognized.
//!
//! First, one addition of integers adds half of the radix to every digit of a multiplier. A signed digit is
//! then the number found at the digit's position, minus half of the radix. Each digit is cut out when it is
//! needed. The module [`digits`](super::digits) cuts out all digits in advance, which would take longer here.
//!
//! Variable time.

use core::array;

use crate::field::word::Wide128;
use crate::field::{Cut, Digits, Field, Vector, equal};
use crate::formulas::lanes::Lanes;
use crate::formulas::lattice::Halves;
use crate::formulas::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::formulas::rows::{AffineRow, CachedRows, load, store_mask};
use crate::formulas::straus::base_tables;

/// The number of bits of a digit: `WIDTH` for u and v, and `BASE_WIDTH` for w.
pub const WIDTH: usize = 4;
pub const BASE_WIDTH: usize = 8;

/// A word whose digits are all half of the radix: `OWN_HALVES` for u and v, and `BASE_HALVES` for w.
pub const OWN_HALVES: u64 = 0x8888_8888_8888_8888;
pub const BASE_HALVES: u64 = 0x8080_8080_8080_8080;

/// The number of digits of u or v in a word.
const IN_WORD: usize = 64 / WIDTH;

/// The least number of windows of a sum. Even if u and v are short, each half of w has up to 128 bits.
const AT_LEAST: usize = 128 / WIDTH;

/// The multiples 0 to 8 of P or Q, in each lane.
type Table = [CachedRows; 9];

/// One integer in each lane, as words, the least word first.
type Words = [[u64; 8]; 4];

/// Sets `vanishes` to true for each sum that is the identity, else to false. The points P and Q
/// must have Z = 1. Only the lowest 254 bits of w are used.
#[inline(always)]
pub fn vanishes<F: Lanes>(
    w: &[[u8; 32]],
    halves: &[Halves],
    p: &[Point],
    q: &[Point],
    vanishes: &mut [bool],
) {
    let base = base_tables::<F::One, 2>(F::RADIX);
    let mut tables = [[CachedRows::IDENTITY; 9]; 2];
    for ((((w, halves), p), q), vanishes) in w
        .chunks(F::LANES)
        .zip(halves.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(q.chunks(F::LANES))
        .zip(vanishes.chunks_mut(F::LANES))
    {
        for (table, points) in tables.iter_mut().zip([p, q]) {
            fill::<F>(load(points), table);
        }
        let mut minus = [0, 0xff];
        for (lane, halves) in halves.iter().enumerate() {
            minus[0] |= u8::from(!halves.u_is_negative) << lane;
        }
        let own = [
            with_halves(halves.iter().map(|halves| &halves.u), OWN_HALVES),
            with_halves(halves.iter().map(|halves| &halves.v), OWN_HALVES),
        ];
        let w = with_halves(w.iter(), BASE_HALVES);
        let sum = sum_of_multiples::<F>(&own, &tables, minus, &w, base).called();
        let sum = sum.to_extended();
        store_mask(sum.x.is_zero() & equal(sum.y, sum.z), vanishes);
    }
}

/// The multiples of a point whose Z is 1.
#[inline(always)]
fn fill<F: Field>(point: Extended<F>, table: &mut Table) {
    table[0] = CachedRows::IDENTITY;
    let one = point.to_cached();
    one.store(&mut table[1]);
    let one = AffineNiels {
        y_minus_x: one.y_minus_x,
        y_plus_x: one.y_plus_x,
        xy2d: one.t2d,
    };
    let mut multiple = point.to_double().double();
    for rows in &mut table[2..] {
        let extended = multiple.to_extended();
        extended.to_cached().store(rows);
        multiple = extended.to_add().add_affine(&one, 0);
    }
}

/// Adds `halves` to each word of the integers' lowest 254 bits. Lanes without an integer have the integer 0.
#[inline(always)]
fn with_halves<'a>(integers: impl Iterator<Item = &'a [u8; 32]>, halves: u64) -> Words {
    let mut words = [[halves; 8]; 4];
    for (lane, integer) in integers.enumerate() {
        let (eights, _) = integer.as_chunks();
        let integer = array::from_fn(|i| u64::from_le_bytes(eights[i]));
        for (word, sum) in words.iter_mut().zip(raised(integer, halves)) {
            word[lane] = sum;
        }
    }
    words
}

/// The lowest 254 bits of an integer, with `halves` added to each word.
#[inline(always)]
pub fn raised<W: Wide128>(mut words: [W; 4], halves: u64) -> [W; 4] {
    words[3] = words[3].and(W::splat(u64::MAX >> 2));
    let mut carry = W::splat(0).to_sum();
    for word in &mut words {
        let sum = W::add_sums(word.to_sum(), W::splat(halves).to_sum());
        let sum = W::add_sums(sum, carry);
        (*word, carry) = (W::low(sum), W::shift_sum_right::<64>(sum));
    }
    words
}

/// The number of digits of u and v, up to the highest digit that is nonzero in any lane.
#[inline(always)]
fn count(own: &[Words; 2]) -> usize {
    for i in (0..4).rev() {
        let words = own.iter().flat_map(|words| words[i]);
        let any = words.fold(0, |any, word| any | word ^ OWN_HALVES);
        if any != 0 {
            return IN_WORD * (i + 1) - any.leading_zeros() as usize / WIDTH;
        }
    }
    0
}

/// Cuts the signed digits that begin at this bit out of integers to which the halves were added.
#[inline(always)]
fn digits_at<F: Field>(words: &Words, bit: usize, width: usize) -> Digits {
    // No digit extends over two words.
    F::Word::digits(&words[bit / 64], &[0; 8], cut_at(bit, width))
}

/// The position, within a word, of the digit that begins at this bit.
#[inline(always)]
pub fn cut_at(bit: usize, width: usize) -> Cut {
    Cut {
        shift: (bit % 64) as u32,
        mask: (1 << width) - 1,
        half: 1 << (width - 1),
    }
}

/// w·B ± u·P ± v·Q. The two masks `minus` select the lanes where u·P and v·Q are subtracted.
#[inline(always)]
fn sum_of_multiples<F: Field>(
    own: &[Words; 2],
    tables: &[Table; 2],
    minus: [u8; 2],
    w: &Words,
    base: &[alloc::vec::Vec<AffineRow>],
) -> Completed<F> {
    let windows = count(own).max(AT_LEAST);
    let mut sum = Completed::<F>::identity();
    for window in (0..windows).rev() {
        // In a separate loop, the doublings can use more registers.
        for _ in 0..WIDTH {
            sum = sum.to_double().double();
        }
        for ((words, table), minus) in own.iter().zip(tables).zip(minus) {
            let digits = digits_at::<F>(words, WIDTH * window, WIDTH);
            let mut rows = [&table[0].0[0]; 8];
            for lane in 0..F::LANES {
                rows[lane] = &table[digits.magnitudes[lane] as usize].0[lane];
            }
            let multiple = Cached::<F>::load(&rows);
            sum = sum.to_add().add_signed(&multiple, digits.negative ^ minus);
        }
        if (WIDTH * window).is_multiple_of(BASE_WIDTH) && window < AT_LEAST {
            for (half, table) in base.iter().enumerate() {
                let digits = digits_at::<F>(w, 128 * half + WIDTH * window, BASE_WIDTH);
                let mut rows = [&table[0].0; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &table[digits.magnitudes[lane] as usize].0;
                }
                let multiple = AffineNiels::<F>::load(&rows);
                sum = sum.to_add().add_affine(&multiple, digits.negative);
            }
        }
    }
    sum
}
