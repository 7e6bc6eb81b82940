//! Points in memory, and their way into lanes and back.

use alloc::boxed::Box;
use alloc::vec::Vec;

use once_cell::race::OnceBox;

use crate::backend::portable::Portable;
use crate::backend::{Field, LOW_51, Limbs};
use crate::constants::{TWO_D, ZERO};
use crate::field::{add, invert, mul, sub};
use crate::point::{AffineNiels, Cached, Completed, Extended, Point};

/// A prepared point: Y - X, Y + X, 2Z, 2d·T, five limbs each, padded.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct CachedRow(pub(crate) [u64; 24]);

/// A prepared point with Z = 1: y - x, y + x, 2d·xy, five limbs each, padded.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct AffineRow(pub(crate) [u64; 16]);

impl AffineRow {
    /// The identity: x = 0, y = 1.
    pub(crate) const IDENTITY: Self = {
        let mut limbs = [0; 16];
        limbs[0] = 1;
        limbs[5] = 1;
        Self(limbs)
    };
}

impl<F: Field> AffineNiels<F> {
    /// One row for each lane.
    #[inline(always)]
    pub(crate) fn load(rows: &[&[u64; 16]; 8]) -> Self {
        let w = F::load_words(rows);
        Self {
            y_minus_x: F::from_tight_words(five!(I => w[I])),
            y_plus_x: F::from_tight_words(five!(I => w[5 + I])),
            xy2d: F::from_tight_words(five!(I => w[10 + I])),
        }
    }
}

impl<F: Field> Cached<F> {
    /// One row for each lane.
    #[inline(always)]
    pub(crate) fn load(rows: &[&[u64; 24]; 8]) -> Self {
        let w = F::load_words(rows);
        Self {
            y_minus_x: F::from_tight_words(five!(I => w[I])),
            y_plus_x: F::from_tight_words(five!(I => w[5 + I])),
            z2: F::from_tight_words(five!(I => w[10 + I])),
            t2d: F::from_tight_words(five!(I => w[15 + I])),
        }
    }

    /// One row from each lane.
    #[inline(always)]
    pub(crate) fn store(self, rows: &mut [CachedRow; 8]) {
        let parts = [self.y_minus_x, self.y_plus_x, self.z2, self.t2d];
        let mut words = [F::splat(ZERO).to_words()[0]; 24];
        for i in 0..4 {
            words[5 * i..5 * i + 5].copy_from_slice(&parts[i].to_words());
        }
        let mut out = [[0; 24]; 8];
        F::store_words(&words, &mut out);
        for (row, out) in rows.iter_mut().zip(out) {
            row.0 = out;
        }
    }
}

/// A point for each lane; lanes without one get the identity.
#[inline(always)]
pub(crate) fn load<F: Field>(points: &[Point]) -> Extended<F> {
    let mut rows = [&Point::IDENTITY.0; 8];
    for (row, point) in rows.iter_mut().zip(points) {
        *row = &point.0;
    }
    let w = F::load_words(&rows);
    Extended {
        x: F::from_tight_words(five!(I => w[I])),
        y: F::from_tight_words(five!(I => w[5 + I])),
        z: F::from_tight_words(five!(I => w[10 + I])),
        t: F::from_tight_words(five!(I => w[15 + I])),
    }
}

/// The points of the first lanes.
#[inline(always)]
pub(crate) fn store<F: Field>(extended: Extended<F>, points: &mut [Point]) {
    let parts = [extended.x, extended.y, extended.z, extended.t];
    let mut words = [F::splat(ZERO).to_words()[0]; 20];
    for i in 0..4 {
        words[5 * i..5 * i + 5].copy_from_slice(&parts[i].to_words());
    }
    let mut rows = [[0; 20]; 8];
    F::store_words(&words, &mut rows);
    for (point, row) in points.iter_mut().zip(rows) {
        point.0 = row;
    }
}

/// 32 bytes to limbs, the top bit left out.
pub(crate) fn limbs_from_bytes(bytes: &[u8; 32]) -> Limbs {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    [
        words[0] & LOW_51,
        (words[0] >> 51 | words[1] << 13) & LOW_51,
        (words[1] >> 38 | words[2] << 26) & LOW_51,
        (words[2] >> 25 | words[3] << 39) & LOW_51,
        words[3] >> 12 & LOW_51,
    ]
}

/// Canonical limbs to 32 bytes.
pub(crate) fn bytes_from_limbs(limbs: &Limbs) -> [u8; 32] {
    let words = [
        limbs[0] | limbs[1] << 51,
        limbs[1] >> 13 | limbs[2] << 38,
        limbs[2] >> 26 | limbs[3] << 25,
        limbs[3] >> 39 | limbs[4] << 12,
    ];
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// The multiples 0 to 128 of B and of 2^128·B.
pub(crate) fn base_tables() -> &'static [Vec<AffineRow>; 2] {
    static TABLES: OnceBox<[Vec<AffineRow>; 2]> = OnceBox::new();
    TABLES.get_or_init(|| {
        let low = load::<Portable>(&[Point::BASE]);
        let mut high = low;
        for _ in 0..128 {
            high = high.to_double().double().to_extended();
        }
        Box::new([multiples(low), multiples(high)])
    })
}

fn multiples(of: Extended<Portable>) -> Vec<AffineRow> {
    let one = of.to_cached();
    let mut multiple = Completed::<Portable>::identity().to_extended();
    (0..=128)
        .map(|_| {
            let row = affine_row(multiple);
            multiple = multiple.to_add().add(&one).to_extended();
            row
        })
        .collect()
}

/// A point alone in a row, with Z = 1.
pub(crate) fn affine_row(point: Extended<Portable>) -> AffineRow {
    let [inverse] = invert([point.z]);
    let (x, y) = (mul(point.x, inverse), mul(point.y, inverse));
    let xy2d = mul(mul(x, y), Portable::splat(TWO_D));
    let mut row = AffineRow::IDENTITY;
    for (i, part) in [sub(y, x), add(y, x), xy2d].into_iter().enumerate() {
        row.0[5 * i..5 * i + 5].copy_from_slice(&part.canonical().to_words());
    }
    row
}
