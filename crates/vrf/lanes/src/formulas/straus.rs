//! Sums of scalar multiples, one sum in each lane. They are computed by Straus' method with fixed windows of
//! signed digits, so that all lanes do the same steps.
//!
//! Every lane has tables of its own points, as rows in memory. All lanes share the tables of the base point.
//! The memory addresses depend on the scalars (variable time). Proving uses the constant-time `comb`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::slice;

use crate::field::{Called, Digits, Field};
use crate::formulas::digits::digits;
use crate::formulas::encoding::normalize;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::formulas::rows::{AffineRow, CachedRows, load, prepare, store};

/// Little-endian integers by which points are multiplied. Only their lowest `bits` bits, at most
/// 253, are used. The multiples are added to a sum, or subtracted from it.
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

    /// Splits the multipliers into groups, one for each vector of `lanes` lanes.
    fn chunks(self, lanes: usize) -> impl Iterator<Item = Self> {
        let chunks = self.scalars.chunks(lanes);
        chunks.map(move |scalars| Self { scalars, ..self })
    }

    /// The width of the windows. For short integers, a larger table for wider windows is not worthwhile.
    fn width(&self) -> usize {
        if self.bits > 128 && !self.are_sparse() {
            5
        } else {
            4
        }
    }

    /// True if, within each integer, bits 136 to 247 are all 0 or all 1, so that almost all digits there are
    /// 0. This is true of L - c for any c of 128 bits, because L - 2^252 is below 2^125.
    fn are_sparse(&self) -> bool {
        let equal = |scalar: &&[u8]| match scalar.get(17..31) {
            Some(bytes) => bytes == [0; 14] || bytes == [0xff; 14],
            None => true,
        };
        self.scalars.iter().all(equal)
    }
}

/// Borrows each integer as a slice. All integers have the same length.
#[inline(always)]
pub fn slices<const N: usize>(scalars: &[[u8; N]]) -> Vec<&[u8]> {
    scalars.iter().map(|scalar| &scalar[..]).collect()
}

/// A term whose point and multiplier differ from lane to lane.
type OwnTerm<'a> = (&'a [Point], Multipliers<'a>);

/// The windows of a term that are still to be added. The highest window is added first.
struct Pending<'a> {
    left: &'a [Digits],
    width: usize,
}

impl<'a> Pending<'a> {
    fn new(windows: &'a [Digits], width: usize) -> Self {
        Self {
            left: windows,
            width,
        }
    }

    /// The bit at which the next window begins.
    fn next_bit(&self) -> Option<usize> {
        Some(self.left.len().checked_sub(1)? * self.width)
    }

    /// The window that begins at a bit, or `None` if nothing is added there. Bits decrease from call to call.
    #[inline(always)]
    fn at(&mut self, bit: usize) -> Option<&'a Digits> {
        if self.next_bit() != Some(bit) {
            return None;
        }
        let (window, left) = self.left.split_last()?;
        self.left = left;
        Some(window).filter(|window| window.magnitudes != [0; 8])
    }
}

/// Fills a table with `[0]P`, `[1]P` … `[2^(width-1)]P` for the point P of each lane.
#[inline(always)]
pub fn own_table<F: Field>(points: Extended<F>, width: usize, table: &mut Vec<CachedRows>) {
    let one = points.to_cached();
    let mut multiple = points.to_add();
    table.clear();
    table.resize((1 << (width - 1)) + 1, CachedRows::IDENTITY);
    one.store(&mut table[1]);
    for rows in &mut table[2..] {
        multiple = multiple.add(&one).to_add();
        multiple.to_cached().store(rows);
    }
}

/// The sum of the terms of `own` and `shared`. The tables for the terms of `own` are written to `tables`. A
/// shared term is a pair: a table for all lanes, with the multiples 0 to 2^(width-1) of a point, and the
/// windows of each lane's multiplier.
#[inline(always)]
fn sum_of_multiples<F: Field>(
    own: &[OwnTerm<'_>],
    tables: &mut [Vec<CachedRows>; 2],
    shared: &mut [(&[AffineRow], Pending<'_>)],
) -> Completed<F> {
    let widths = [0, 1].map(|term| own.get(term).map_or(1, |(_, by)| by.width()));
    let mut of_own: [Vec<Digits>; 2] = Default::default();
    for (term, (points, by)) in own.iter().enumerate() {
        own_table(load::<F>(points), widths[term], &mut tables[term]);
        of_own[term] = digits::<F>(by.scalars, by.bits, widths[term]);
    }
    let mut own_windows = [0, 1].map(|term| Pending::new(&of_own[term], widths[term]));
    let own_windows = &mut own_windows[..own.len()];
    // The doublings begin at the highest bit at which a term is added.
    let tops = own_windows.iter().map(Pending::next_bit);
    let tops = tops.chain(shared.iter().map(|(_, windows)| windows.next_bit()));
    let top = tops.flatten().max().unwrap_or(0);

    let mut sum = Completed::<F>::identity();
    for bit in (0..=top).rev() {
        sum = sum.to_double().double();
        for ((term, (_, by)), table) in own_windows.iter_mut().zip(own).zip(&*tables) {
            if let Some(window) = term.at(bit) {
                let mut rows = [&table[0].0[0]; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &table[window.magnitudes[lane] as usize].0[lane];
                }
                let cached = Cached::<F>::load(&rows);
                let negative = if by.negative {
                    !window.negative
                } else {
                    window.negative
                };
                sum = sum.to_add().add_signed(&cached, negative);
            }
        }
        for (table, windows) in shared.iter_mut() {
            if let Some(window) = windows.at(bit) {
                let mut rows = [&table[0].0; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &table[window.magnitudes[lane] as usize].0;
                }
                let affine = AffineNiels::<F>::load(&rows);
                sum = sum.to_add().add_affine(&affine, window.negative);
            }
        }
    }
    sum
}

/// N tables for a radix, where N is 2 or 8. Table i has the multiples 0 to 128 of 2^(i·256/N)·B.
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

/// Computes s·H ± m·P, or s·B ± m·P if there is no H. The multipliers m determine the sign.
#[inline(always)]
pub fn mul_two<F: Lanes>(
    s: &[[u8; 32]],
    h: Option<&[Point]>,
    m: Multipliers<'_>,
    p: &[Point],
    out: &mut [Point],
) {
    let tables = base_tables::<F::One, 2>(F::RADIX);
    let mut own_tables = [Vec::new(), Vec::new()];
    let mut of_h = h.map(|h| h.chunks(F::LANES));
    for (((s, m), p), out) in s
        .chunks(F::LANES)
        .zip(m.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let s = slices(s);
        let sum = match of_h.as_mut().and_then(|chunks| chunks.next()) {
            Some(h) => {
                let own = [(p, m), (h, Multipliers::plus(&s, 253))];
                sum_of_multiples::<F>(&own, &mut own_tables, &mut [])
            }
            None => {
                // s = low + 2^128·high. So the multiples of B and 2^128·B are added between doublings of P.
                let digits = digits::<F>(&s, 253, 8);
                let (low, high) = digits.split_at(16);
                let mut shared = [(&*tables[0], low), (&*tables[1], high)]
                    .map(|(table, digits)| (table, Pending::new(digits, 8)));
                sum_of_multiples::<F>(&[(p, m)], &mut own_tables, &mut shared)
            }
        };
        store(sum.called().to_extended(), out);
    }
}
