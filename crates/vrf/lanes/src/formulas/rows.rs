//! Rows: points in memory, one after the other, which are loaded into lanes and stored from lanes.
//!
//! Whole rows are loaded and then transposed into lanes, which costs less than a gather.

use core::slice;

use crate::field::{
    Called, Field, Limbs, Portable, Vector, Word, ZERO, add, equal, from_bytes, from_radix_52, mul,
    sub, to_radix_52,
};
use crate::formulas::constants::TWO_D;
use crate::formulas::point::{AffineNiels, Cached, Extended, Point};

/// A prepared point for each lane: Y - X, Y + X, 2Z and 2d·T, of five words each (see
/// [`Field::row`]), and padding. Only the engine that stored the point can load it.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct CachedRows(pub [[u64; 24]; 8]);

impl CachedRows {
    /// The identity in every lane. Its words are the same in every radix.
    pub const IDENTITY: Self = {
        let mut row = [0; 24];
        (row[0], row[5], row[10]) = (1, 1, 2);
        Self([row; 8])
    };
}

/// A prepared point with Z = 1: y - x, y + x and 2d·xy, of five words each, and padding. In a row for engines
/// of one radix, the words have the form of [`Field::row`]. In a row for all engines, they are tight limbs.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct AffineRow(pub [u64; 16]);

impl AffineRow {
    /// The identity: x = 0, y = 1. Its words are the same in every radix.
    pub const IDENTITY: Self = {
        let mut limbs = [0; 16];
        limbs[0] = 1;
        limbs[5] = 1;
        Self(limbs)
    };

    /// Converts a row of tight limbs to a row for engines of this radix.
    pub fn to_radix(self, radix: u32) -> Self {
        self.convert(radix, to_radix_52)
    }

    /// Converts a row for engines of this radix to a row of tight limbs.
    pub fn to_limbs(self, radix: u32) -> Self {
        self.convert(radix, from_radix_52)
    }

    fn convert(mut self, radix: u32, element: fn(Limbs) -> Limbs) -> Self {
        if radix == 52 {
            for words in self.0.as_chunks_mut::<5>().0 {
                *words = element(*words);
            }
        }
        self
    }
}

impl<F: Field> AffineNiels<F> {
    /// Loads a row for each lane. The rows must be for engines of the field's radix.
    #[inline(always)]
    pub fn load(rows: &[&[u64; 16]; 8]) -> Self {
        let w = F::Word::load_rows(rows);
        Self {
            y_minus_x: F::from_row(unroll!(5, I => w[I])),
            y_plus_x: F::from_row(unroll!(5, I => w[5 + I])),
            xy2d: F::from_row(unroll!(5, I => w[10 + I])),
        }
    }

    /// Loads one row of tight limbs for each lane. Any engine may have stored the rows.
    #[inline(always)]
    pub fn load_limbs(rows: &[&[u64; 16]; 8]) -> Self {
        let w = F::Word::load_rows(rows);
        Self {
            y_minus_x: F::from_limbs(unroll!(5, I => w[I])),
            y_plus_x: F::from_limbs(unroll!(5, I => w[5 + I])),
            xy2d: F::from_limbs(unroll!(5, I => w[10 + I])),
        }
    }
}

impl<F: Field> Cached<F> {
    /// Loads one prepared point for each lane.
    #[inline(always)]
    pub fn load(rows: &[&[u64; 24]; 8]) -> Self {
        let w = F::Word::load_rows(rows);
        Self {
            y_minus_x: F::from_row(unroll!(5, I => w[I])),
            y_plus_x: F::from_row(unroll!(5, I => w[5 + I])),
            z2: F::from_row(unroll!(5, I => w[10 + I])),
            t2d: F::from_row(unroll!(5, I => w[15 + I])),
        }
    }

    /// Stores one prepared point from each lane.
    #[inline(always)]
    pub fn store(self, rows: &mut CachedRows) {
        let parts = [self.y_minus_x, self.y_plus_x, self.z2, self.t2d];
        let mut words = [F::Word::splat(0); 24];
        for i in 0..4 {
            words[5 * i..5 * i + 5].copy_from_slice(&parts[i].row());
        }
        F::Word::store_rows(&words, &mut rows.0);
    }
}

/// Loads a point into each lane. Lanes without a point get the identity.
#[inline(always)]
pub fn load<F: Field>(points: &[Point]) -> Extended<F> {
    let mut rows = [&Point::IDENTITY.0; 8];
    for (row, point) in rows.iter_mut().zip(points) {
        *row = &point.0;
    }
    let w = F::Word::load_rows(&rows);
    Extended {
        x: F::from_limbs(unroll!(5, I => w[I])),
        y: F::from_limbs(unroll!(5, I => w[5 + I])),
        z: F::from_limbs(unroll!(5, I => w[10 + I])),
        t: F::from_limbs(unroll!(5, I => w[15 + I])),
    }
}

/// Stores the points of the first lanes, up to the length of `points`.
#[inline(always)]
pub fn store<F: Field>(extended: Extended<F>, points: &mut [Point]) {
    let parts = [extended.x, extended.y, extended.z, extended.t];
    let mut words = [F::Word::splat(0); 20];
    for i in 0..4 {
        words[5 * i..5 * i + 5].copy_from_slice(&parts[i].limbs());
    }
    let mut rows = [[0; 20]; 8];
    F::Word::store_rows(&words, &mut rows);
    for (point, row) in points.iter_mut().zip(rows) {
        point.0 = row;
    }
}

/// Converts points with Z = 1 to rows for engines of the field's radix.
#[inline(always)]
pub fn prepare<F: Field>(points: &[Point], rows: &mut [AffineRow]) {
    for (points, rows) in points.chunks(F::LANES).zip(rows.chunks_mut(F::LANES)) {
        let point = load::<Called<F>>(points);
        let parts = [
            sub(point.y, point.x),
            add(point.y, point.x),
            mul(point.t, Called::splat(TWO_D)),
        ];
        let mut words = [F::Word::splat(0); 16];
        for i in 0..3 {
            words[5 * i..5 * i + 5].copy_from_slice(&parts[i].row());
        }
        let mut out = [[0; 16]; 8];
        F::Word::store_rows(&words, &mut out);
        for (row, out) in rows.iter_mut().zip(out) {
            *row = AffineRow(out);
        }
    }
}

/// Loads 32 little-endian bytes into each lane, without the top bit.
#[inline(always)]
pub fn load_bytes<F: Field>(bytes: &[[u8; 32]; 8]) -> F {
    let mut limbs = [ZERO; 8];
    for (limbs, bytes) in limbs.iter_mut().zip(bytes) {
        *limbs = from_bytes(bytes);
    }
    F::from_limbs(F::Word::load_rows(&limbs.each_ref()))
}

/// Stores the bits of a mask, one for each lane.
#[inline(always)]
pub fn store_mask(mask: u8, lanes: &mut [bool]) {
    for (lane, set) in lanes.iter_mut().enumerate() {
        *set = mask >> lane & 1 == 1;
    }
}

impl Point {
    /// P + Q, for one pair of points.
    pub fn plus(&self, other: &Point) -> Point {
        plus::<Portable>(self, other)
    }

    /// True if 8·P is the identity.
    pub fn is_small_order(&self) -> bool {
        is_small_order::<Portable>(self)
    }
}

/// P + Q, over a field of one lane.
pub fn plus<F: Field>(p: &Point, q: &Point) -> Point {
    let [p, q] = [p, q].map(|point| load::<Called<F>>(slice::from_ref(point)));
    let mut out = Point::IDENTITY;
    let sum = p.to_add().add(&q.to_cached()).to_extended();
    store(sum, slice::from_mut(&mut out));
    out
}

/// True if 8·P is the identity, computed over a field of one lane.
pub fn is_small_order<F: Field>(p: &Point) -> bool {
    let p = load::<Called<F>>(slice::from_ref(p)).mul_by_cofactor();
    (p.x.is_zero() & equal(p.y, p.z)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the conversion of whole rows only. The tests of the fields cover the conversion of one element.
    #[test]
    fn all_elements_of_a_row_are_converted() {
        let limbs: [u64; 16] = core::array::from_fn(|i| (1 << 51) - 1 - i as u64);
        let row = AffineRow(limbs);
        let of_52 = row.to_radix(52);
        let back = of_52.to_limbs(52);
        for i in 0..3 {
            let element = |row: &AffineRow| row.0.as_chunks::<5>().0[i];
            assert_eq!(element(&of_52), to_radix_52(element(&row)));
            assert_ne!(element(&of_52), element(&row));
            assert_eq!(element(&back), from_radix_52(element(&of_52)));
        }
        assert_eq!(row.to_radix(51).0, limbs);
        assert_eq!(row.to_limbs(51).0, limbs);
    }
}
