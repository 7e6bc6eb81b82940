//! Points that are known in advance, such as the public keys of a chain. A multiplier c is cut into four
//! parts of 32 bits: c = Σ 2^(32j)·c_j. Let P_j = 2^(32j)·P. Then c·P = Σ c_j·P_j. Small multiples of P_j,
//! at each of these four places j, are computed once. After that, s·B - c·P takes 32 doublings, not 128.
//!
//! In the same way, s is cut into eight parts. The terms of c·P and of s·B share their doublings. c and s
//! are not reduced modulo L, so that a component of small order is multiplied by c as well.
//!
//! Variable time.

use alloc::boxed::Box;
use core::fmt;

use crate::field::{Called, Digits, Field};
use crate::formulas::digits::digits;
use crate::formulas::lanes::Lanes;
use crate::formulas::point::{AffineNiels, Completed, Point};
use crate::formulas::rows::{AffineRow, load, store};
use crate::formulas::straus::{base_tables, slices};

/// The number of bits of a multiplier that one place covers.
const PLACE_BITS: usize = 32;

/// The number of places of a multiplier of 128 bits.
const PLACES: usize = 4;

/// The width of the signed digits that P is multiplied by.
const WIDTH: usize = 4;

/// The number of multiples at each place. The multiples are 1 to 2^(WIDTH-1).
const LEVELS: usize = 1 << (WIDTH - 1);

/// The number of multiples of one point. They are 1 to 8 times 2^(32·place)·P, in the order of the places.
pub const MULTIPLES: usize = PLACES * LEVELS;

/// The number of places of s, which has 253 bits and multiplies B, and the width of its digits.
const BASE_PLACES: usize = 8;
const BASE_WIDTH: usize = 8;

/// A point with its multiples, in 4 KiB. Every engine can use the multiples that another engine computed.
///
/// ```
/// use klero_lanes::{Point, engine};
/// let known = engine().know(&[Point::BASE]);
/// // 5·B - 5·B
/// let (mut s, mut c) = ([0; 32], [0; 16]);
/// (s[0], c[0]) = (5, 5);
/// let mut out = [Point::BASE];
/// engine().mul_base_sub_known(&[s], &[c], &[&known[0]], &mut out);
/// assert!(out[0].is_small_order());
/// ```
#[derive(Clone)]
pub struct KnownPoint(Box<[AffineRow; MULTIPLES]>);

impl fmt::Debug for KnownPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownPoint")
    }
}

impl KnownPoint {
    /// Makes a known point from the rows of all its multiples, which an engine of this radix has computed.
    #[doc(hidden)]
    pub fn from_rows(rows: &[AffineRow; MULTIPLES], radix: u32) -> Self {
        Self(Box::new(rows.map(|row| row.to_limbs(radix))))
    }
}

/// Computes the multiples of each point at all places.
#[inline(always)]
pub fn multiples<F: Field>(points: &[Point], out: &mut [[Point; MULTIPLES]]) {
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        let mut first = load::<Called<F>>(points);
        for place in 0..PLACES {
            let one = first.to_cached();
            let mut multiple = first;
            for level in 0..LEVELS {
                if level > 0 {
                    multiple = multiple.to_add().add(&one).to_extended();
                }
                let mut rows = [Point::IDENTITY; 8];
                store(multiple, &mut rows);
                for (out, row) in out.iter_mut().zip(rows) {
                    out[place * LEVELS + level] = row;
                }
            }
            // The last multiple is 2^(WIDTH-1) times the first.
            let mut doubled = multiple.to_double();
            for _ in WIDTH..PLACE_BITS {
                doubled = doubled.double().to_double();
            }
            first = doubled.double().to_extended();
        }
    }
}

#[inline(always)]
pub fn mul_base_and_known<F: Lanes>(
    s: &[[u8; 32]],
    c: &[[u8; 16]],
    p: &[&KnownPoint],
    out: &mut [Point],
) {
    let base = base_tables::<F::One, BASE_PLACES>(F::RADIX);
    for (((s, c), p), out) in s
        .chunks(F::LANES)
        .zip(c.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let s = digits::<F>(&slices(s), 253, BASE_WIDTH);
        let c = digits::<F>(&slices(c), 128, WIDTH);
        let mut sum = Completed::<F>::identity();
        // The carry out of 128 bits becomes one more digit at the end of the last place.
        for bit in (0..=PLACE_BITS).rev() {
            sum = sum.to_double().double();
            for place in 0..PLACES {
                let Some(window) = window_at(&c, place, bit, WIDTH) else {
                    continue;
                };
                let mut rows = [&AffineRow::IDENTITY.0; 8];
                for (lane, known) in p.iter().enumerate() {
                    if let Some(level) = window.magnitudes[lane].checked_sub(1) {
                        rows[lane] = &known.0[place * LEVELS + level as usize].0;
                    }
                }
                let multiple = AffineNiels::<F>::load_limbs(&rows);
                sum = sum.to_add().add_affine(&multiple, !window.negative);
            }
            for (place, table) in base.iter().enumerate() {
                let Some(window) = window_at(&s, place, bit, BASE_WIDTH) else {
                    continue;
                };
                let mut rows = [&AffineRow::IDENTITY.0; 8];
                for lane in 0..F::LANES {
                    rows[lane] = &table[window.magnitudes[lane] as usize].0;
                }
                let multiple = AffineNiels::<F>::load(&rows);
                sum = sum.to_add().add_affine(&multiple, window.negative);
            }
        }
        store(sum.called().to_extended(), out);
    }
}

/// The window that begins at this bit of a place, if any. At the bit `PLACE_BITS`, only the last place can
/// have a window. This window holds the carry out of all bits.
#[inline(always)]
fn window_at(windows: &[Digits], place: usize, bit: usize, width: usize) -> Option<&Digits> {
    let index = (place * PLACE_BITS + bit) / width;
    let in_place = bit < PLACE_BITS || index + 1 == windows.len();
    let begins = bit.is_multiple_of(width) && in_place;
    windows.get(index).filter(|_| begins)
}
