//! Multiples of the base point by secret scalars, in constant time, with a signed comb (see `comb`)
//! that is made once.
//!
//! The columns of the comb are cut into blocks, each with its own table, so that fewer doublings are needed.
//! If a block has c columns, the table of block b is made from 2^(c·b)·B instead of B. All lanes read the
//! same table, but each lane chooses its own entry. So word 0 of all entries comes first, then word 1 of all
//! entries, and so on. Backends that look up words in registers then choose one of 32 entries as fast as
//! one of four.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use crate::field::{Called, Field, Vector};
use crate::formulas::comb::Signs;
use crate::formulas::comb_shape::{OF_LANES, Shape};
use crate::formulas::encoding::normalize;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::{AffineNiels, Completed, Point};
use crate::formulas::rows::{AffineRow, load, prepare, store};
use crate::formulas::tables::Combs;

impl Shape {
    /// Computes the entries of each block. In the first block, bit j of an entry's index is set if
    /// the entry contains +2^(columns·j)·B, and clear if it contains -2^(columns·j)·B.
    pub fn rows<S: Single>(self, radix: u32) -> Vec<Vec<AffineRow>> {
        let mut first = load::<Called<S>>(&[Point::BASE]);
        let mut blocks = Vec::with_capacity(self.blocks);
        for _ in 0..self.blocks {
            let mut teeth = vec![first; self.choices + 1];
            for j in 1..teeth.len() {
                teeth[j] = teeth[j - 1];
                for _ in 0..self.columns() {
                    teeth[j] = teeth[j].to_double().double().to_extended();
                }
            }
            // At first, the only sum is the top tooth. Each further tooth doubles the number of sums.
            let mut sums = vec![teeth[self.choices]; self.entries()];
            for (j, tooth) in teeth[..self.choices].iter().enumerate() {
                let tooth = tooth.to_cached();
                for low in 0..1 << j {
                    let [plus, minus] = sums[low].to_add().add_and_subtract(&tooth);
                    sums[low] = minus.to_extended();
                    sums[low | 1 << j] = plus.to_extended();
                }
            }
            let mut points = vec![Point::IDENTITY; sums.len()];
            for (sum, point) in sums.into_iter().zip(&mut points) {
                store(sum, slice::from_mut(point));
            }
            normalize::<S>(&mut points);
            let mut rows = vec![AffineRow::IDENTITY; points.len()];
            prepare::<S>(&points, &mut rows);
            blocks.push(rows.into_iter().map(|row| row.to_radix(radix)).collect());
            for _ in 0..self.block {
                first = first.to_double().double().to_extended();
            }
        }
        blocks
    }
}

/// The combs of the base point for a radix: word w of entry i of block b is `combs[b][w][i]`.
pub fn base_combs<S: Single>(radix: u32) -> &'static Combs {
    S::tables().combs.get_or_init(radix, || {
        let mut combs = Box::new(Combs([[[0; OF_LANES.entries()]; 15]; OF_LANES.blocks]));
        for (comb, rows) in combs.0.iter_mut().zip(OF_LANES.rows::<S>(radix)) {
            for (entry, row) in rows.into_iter().enumerate() {
                for (words, word) in comb.iter_mut().zip(row.0) {
                    words[entry] = word;
                }
            }
        }
        combs
    })
}

impl<F: Field> AffineNiels<F> {
    /// Looks up entry m_0 + 2·m_1 + … in each lane, where m_j is the lane's bit of mask j.
    #[inline(always)]
    fn look_up(table: &[[u64; OF_LANES.entries()]; 15], masks: [u8; OF_LANES.choices]) -> Self {
        let w = F::Word::look_up(table, masks);
        Self {
            y_minus_x: F::from_row(unroll!(5, I => w[I])),
            y_plus_x: F::from_row(unroll!(5, I => w[5 + I])),
            xy2d: F::from_row(unroll!(5, I => w[10 + I])),
        }
    }
}

/// scalar·B in each lane.
#[inline(always)]
fn mul_base<F: Lanes>(scalars: &[[u8; 32]]) -> Completed<F> {
    let combs = base_combs::<F::One>(F::RADIX);
    let mut signs = Signs::new();
    signs.fill(OF_LANES.digits(), scalars.iter());
    let mut sum = Completed::<F>::identity();
    for column in (0..OF_LANES.block).rev() {
        sum = sum.to_double().double();
        for (block, comb) in combs.0.iter().enumerate() {
            let (masks, negative) =
                signs.column(column + OF_LANES.block * block, OF_LANES.columns());
            let entry = AffineNiels::<F>::look_up(comb, masks);
            sum = sum.to_add().add_affine(&entry, negative);
        }
    }
    sum
}

#[inline(always)]
pub fn secret_mul_base<F: Lanes>(k: &[[u8; 32]], out: &mut [Point]) {
    for (k, out) in k.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        store(mul_base::<F>(k).called().to_extended(), out);
    }
}
