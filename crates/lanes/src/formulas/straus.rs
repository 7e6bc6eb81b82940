//! Sums of scalar multiples, one sum in each lane: Straus' method with fixed windows of
//! signed digits, so that all lanes take the same steps.
//!
//! Every lane has tables for its own points, kept as rows in memory. The base point has
//! one table for all lanes. Variable time in memory addresses; `comb` is the constant-time
//! twin for proving.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::slice;

use crate::field::{Called, Field};
use crate::formulas::encoding::normalize;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::formulas::rows::{AffineRow, CachedRow, load, prepare, store};
use crate::formulas::scalar::SignedDigits;

/// Little-endian integers that points are multiplied by: their lowest `bits` bits, at most
/// 253. The multiples are added to a sum, or subtracted from it.
#[derive(Clone, Copy)]
pub struct Multipliers<'a> {
    scalars: &'a [&'a [u8]],
    bits: usize,
    negative: bool,
}

impl<'a> Multipliers<'a> {
    pub fn plus(scalars: &'a [&'a [u8]], bits: usize) -> Self {
        Self {
            scalars,
            bits,
            negative: false,
        }
    }

    pub fn minus(scalars: &'a [&'a [u8]], bits: usize) -> Self {
        Self {
            negative: true,
            ..Self::plus(scalars, bits)
        }
    }

    /// The integers of one vector after the other.
    fn chunks(self, lanes: usize) -> impl Iterator<Item = Self> {
        let chunks = self.scalars.chunks(lanes);
        chunks.map(move |scalars| Self { scalars, ..self })
    }

    /// The window width: short integers do not repay as large a table.
    fn width(&self) -> usize {
        if self.bits > 128 { 5 } else { 4 }
    }
}

/// Integers of equal length as slices.
#[inline(always)]
pub fn slices<const N: usize>(scalars: &[[u8; N]]) -> Vec<&[u8]> {
    scalars.iter().map(|scalar| &scalar[..]).collect()
}

/// A term whose point and multiplier differ from lane to lane.
type OwnTerm<'a> = (&'a [Point], Multipliers<'a>);

/// A term with the same point in every lane; its table holds 0 to 2^(width-1)
/// times the point.
struct SharedTerm<'a> {
    table: &'a [AffineRow],
    digits: &'a [[i16; 8]],
    width: usize,
}

/// The digits of the lowest `bits` bits of up to 8 scalars: `digits[window][lane]`.
pub fn digits(scalars: &[&[u8]], bits: usize, width: usize) -> Vec<[i16; 8]> {
    let signed = SignedDigits::new(bits, width);
    let windows = signed.count();
    let mut digits = alloc::vec![[0; 8]; windows];
    let mut one_lane = [0; 128];
    for (lane, scalar) in scalars.iter().enumerate() {
        signed.of(scalar, &mut one_lane[..windows]);
        for (all, digit) in digits.iter_mut().zip(one_lane) {
            all[lane] = digit;
        }
    }
    digits
}

/// Signs as a mask, and magnitudes.
#[inline(always)]
pub fn signs(digits: &[i16; 8]) -> (u8, [usize; 8]) {
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
fn sum_of_multiples<F: Field>(own: &[OwnTerm<'_>], shared: &[SharedTerm<'_>]) -> Completed<F> {
    struct Own {
        table: Vec<[CachedRow; 8]>,
        digits: Vec<[i16; 8]>,
        width: usize,
        negative: u8,
    }
    let mut tables = Vec::with_capacity(own.len());
    for (points, by) in own {
        let width = by.width();
        tables.push(Own {
            table: own_table(load::<F>(points), width),
            digits: digits(by.scalars, by.bits, width),
            width,
            negative: if by.negative { 0xff } else { 0 },
        });
    }
    let own = tables;
    // The doublings begin at the highest bit at which a term is added.
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

/// The multiples 0 to 128 of 2^(256/N·i)·B, for i from 0 to N - 1. N is 2 or 8. Each radix has
/// tables of its own.
pub fn base_tables<S: Single, const N: usize>(radix: u32) -> &'static [Vec<AffineRow>] {
    const { assert!(N == 2 || N == 8) };
    let tables = S::tables();
    let tables = if N == 2 { &tables.two } else { &tables.eight };
    tables.get_or_init(radix, || {
        let mut place = load::<Called<S>>(&[Point::BASE]);
        let tables = (0..N).map(|_| {
            let table = multiples(place, radix);
            for _ in 0..256 / N {
                place = place.to_double().double().to_extended();
            }
            table
        });
        Box::new(tables.collect())
    })
}

fn multiples<S: Single>(of: Extended<Called<S>>, radix: u32) -> Vec<AffineRow> {
    let one = of.to_cached();
    let mut multiple = Completed::<Called<S>>::identity().to_extended();
    let mut points = [Point::IDENTITY; 129];
    for point in &mut points {
        store(multiple, slice::from_mut(point));
        multiple = multiple.to_add().add(&one).to_extended();
    }
    normalize::<S>(&mut points);
    let mut rows = alloc::vec![AffineRow::IDENTITY; points.len()];
    prepare::<S>(&points, &mut rows);
    rows.into_iter().map(|row| row.to_radix(radix)).collect()
}

/// s·H + m·P, or s·B + m·P where there is no H.
#[inline(always)]
pub fn mul_two<F: Lanes>(
    s: &[[u8; 32]],
    h: Option<&[Point]>,
    m: Multipliers<'_>,
    p: &[Point],
    out: &mut [Point],
) {
    let tables = base_tables::<F::One, 2>(F::RADIX);
    let mut of_h = h.map(|h| h.chunks(F::LANES));
    for (((s, m), p), out) in s
        .chunks(F::LANES)
        .zip(m.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let s = slices(s);
        let mut own = Vec::with_capacity(2);
        if let Some(h) = of_h.as_mut().and_then(|chunks| chunks.next()) {
            own.push((h, Multipliers::plus(&s, 253)));
        }
        own.push((p, m));
        // s = low + 2^128·high, so that B and 2^128·B share the doublings of P.
        let digits = if h.is_none() {
            digits(&s, 253, 8)
        } else {
            Vec::new()
        };
        let mut shared = Vec::with_capacity(2);
        for (table, digits) in tables.iter().zip(digits.chunks(16)) {
            shared.push(SharedTerm {
                table,
                digits,
                width: 8,
            });
        }
        let sum = sum_of_multiples::<F>(&own, &shared);
        store(sum.called().to_extended(), out);
    }
}
