//! Sums of scalar multiples, one sum in each lane: Straus' method with fixed
//! windows of signed digits, so that all lanes take the same steps.
//!
//! Every lane has tables of its own for its own points, kept as rows in memory;
//! a step loads one row for each lane and transposes, which costs less than a
//! gather. The base point has one table for all lanes. Variable time in memory
//! addresses; the constant-time twin for proving is in `comb`.

use alloc::vec::Vec;

use crate::backend::Field;
use crate::point::{AffineNiels, Cached, Completed, Extended};
use crate::rows::{AffineRow, CachedRow};
use crate::scalar::{digit_count, signed_digits};

/// Little-endian integers to multiply points by: the lowest `bits` bits count, at most
/// 253. The multiples are added to something, or subtracted.
#[derive(Clone, Copy)]
pub struct Multipliers<'a> {
    scalars: &'a [&'a [u8]],
    bits: usize,
    negative: bool,
}

impl<'a> Multipliers<'a> {
    pub(crate) fn plus(scalars: &'a [&'a [u8]], bits: usize) -> Self {
        Self {
            scalars,
            bits,
            negative: false,
        }
    }

    pub(crate) fn minus(scalars: &'a [&'a [u8]], bits: usize) -> Self {
        Self {
            negative: true,
            ..Self::plus(scalars, bits)
        }
    }

    /// As many at a time as fill a vector.
    pub(crate) fn chunks(self, lanes: usize) -> impl Iterator<Item = Self> {
        let chunks = self.scalars.chunks(lanes);
        chunks.map(move |scalars| Self { scalars, ..self })
    }

    /// Half as long, they are not worth as large a table.
    fn width(&self) -> usize {
        if self.bits > 128 { 5 } else { 4 }
    }
}

/// Integers of equal length as slices.
#[inline(always)]
pub(crate) fn slices<const N: usize>(scalars: &[[u8; N]]) -> Vec<&[u8]> {
    scalars.iter().map(|scalar| &scalar[..]).collect()
}

/// One term of the sum: in each lane a scalar times that lane's point.
pub(crate) struct OwnTerm<'a, F> {
    pub(crate) points: Extended<F>,
    /// One for each lane.
    pub(crate) by: Multipliers<'a>,
}

/// A term with the same point in every lane; its table holds 0 to 2^(width-1)
/// times the point.
pub(crate) struct SharedTerm<'a> {
    pub(crate) table: &'a [AffineRow],
    pub(crate) digits: &'a [[i16; 8]],
    pub(crate) width: usize,
}

/// The digits of up to 8 scalars, whose bits from `bits` on are left out:
/// `digits[window][lane]`.
pub(crate) fn digits(scalars: &[&[u8]], bits: usize, width: usize) -> Vec<[i16; 8]> {
    let windows = digit_count(bits, width);
    let mut digits = alloc::vec![[0; 8]; windows];
    let mut one_lane = [0; 128];
    for (lane, scalar) in scalars.iter().enumerate() {
        signed_digits(scalar, bits, width, &mut one_lane[..windows]);
        for (all, digit) in digits.iter_mut().zip(one_lane) {
            all[lane] = digit;
        }
    }
    digits
}

/// Signs as a mask, and magnitudes.
#[inline(always)]
fn signs(digits: &[i16; 8]) -> (u8, [usize; 8]) {
    let mut mask = 0;
    for (lane, digit) in digits.iter().enumerate() {
        mask |= u8::from(*digit < 0) << lane;
    }
    (mask, digits.map(|digit| usize::from(digit.unsigned_abs())))
}

/// [0]P, [1]P … [2^(width-1)]P of every lane: `rows[multiple][lane]`.
#[inline(always)]
fn own_table<F: Field>(points: Extended<F>, width: usize) -> Vec<[CachedRow; 8]> {
    let multiples = 1 << (width - 1);
    let mut rows = Vec::with_capacity(multiples + 1);
    let one = points.to_cached();
    let mut multiple = Completed::<F>::identity();
    for _ in 0..=multiples {
        let extended = multiple.to_extended();
        let mut row = [CachedRow([0; 24]); 8];
        extended.to_cached().store(&mut row);
        rows.push(row);
        multiple = extended.to_add().add(&one);
    }
    rows
}

/// Σ of all terms, in each lane.
#[inline(always)]
pub(crate) fn sum_of_multiples<F: Field>(
    own: &[OwnTerm<'_, F>],
    shared: &[SharedTerm<'_>],
) -> Completed<F> {
    struct Own {
        table: Vec<[CachedRow; 8]>,
        digits: Vec<[i16; 8]>,
        width: usize,
        negative: u8,
    }
    let mut tables = Vec::with_capacity(own.len());
    for term in own {
        tables.push(Own {
            table: own_table(term.points, term.by.width()),
            digits: digits(term.by.scalars, term.by.bits, term.by.width()),
            width: term.by.width(),
            negative: if term.by.negative { 0xff } else { 0 },
        });
    }
    let own = tables;
    // The highest bit at which something is added: there the doublings begin.
    let windows = own.iter().map(|term| (term.digits.len(), term.width));
    let top = windows
        .chain(shared.iter().map(|term| (term.digits.len(), term.width)))
        .map(|(windows, width)| windows.saturating_sub(1) * width)
        .max()
        .unwrap_or(0);

    let mut sum = Completed::<F>::identity();
    for bit in (0..=top).rev() {
        sum = sum.to_double().double();
        for term in &own {
            if bit % term.width == 0
                && let Some(digits) = term.digits.get(bit / term.width)
            {
                let (negative, magnitudes) = signs(digits);
                let mut rows = [&term.table[0][0].0; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &term.table[magnitudes[lane]][lane].0;
                }
                let cached = Cached::<F>::load(&rows);
                sum = sum.to_add().add_signed(&cached, negative ^ term.negative);
            }
        }
        for term in shared {
            if bit % term.width == 0
                && let Some(digits) = term.digits.get(bit / term.width)
            {
                let (negative, magnitudes) = signs(digits);
                let mut rows = [&term.table[0].0; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &term.table[magnitudes[lane]].0;
                }
                let affine = AffineNiels::<F>::load(&rows);
                sum = sum.to_add().add_affine(&affine, negative);
            }
        }
    }
    sum
}
