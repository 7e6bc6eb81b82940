//! One sum of many terms, Σ scalar·point. Each lane handles one window of all scalars.
//!
//! A window of a scalar is one of its digits. Each lane adds the points to a running sum, in the order of
//! decreasing digits. When all points with a digit of k or more have been added, the running sum is called
//! S_k. The sum of a window is Σ_k S_k, because every point with digit d is part of S_1 … S_d. So there are
//! no buckets to fill, no two lanes write to the same memory, and every lane does one addition for each
//! point. The torsion test needs sums of random subsets, which are computed from the S_k.
//!
//! Variable time.

use alloc::vec;
use alloc::vec::Vec;

use crate::field::{Called, Field, Vector, ZERO, prefetch};
use crate::formulas::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::formulas::rows::{AffineRow, store};
use crate::tuning::AHEAD;

/// The sorted digits of one window for each lane of a vector.
pub struct Windows {
    /// The terms that each lane adds, in the order of decreasing magnitudes of digits. A term is twice the
    /// index of a point, plus one if the digit is negative. If a lane has no further point, the index is
    /// `padding`. Sorting writes terms at random indices. With an array for each lane, these writes stay
    /// close together. The last `AHEAD` terms are never added: with them, fetching ahead needs no check.
    steps: [Vec<u32>; 8],
    /// `reach[lane][k]` is the number of points whose digit has a magnitude of k or more.
    reach: [Vec<u32>; 8],
}

impl Windows {
    /// Sorts the digits of n points in up to eight windows. The digit of a point in a window is
    /// `digits[n·window + point]`. Its magnitude is at most `levels`.
    pub fn sort(digits: &[i16], n: usize, levels: usize, padding: u32) -> Self {
        // A counting sort: counts the digits, adds up the counts from the highest digit down, and
        // places the points.
        let mut reach: [Vec<u32>; 8] = Default::default();
        reach.fill(vec![0; levels + 2]);
        for (reach, digits) in reach.iter_mut().zip(digits.chunks(n)) {
            for digit in digits {
                reach[usize::from(digit.unsigned_abs())] += 1;
            }
            let mut above = 0;
            for count in reach.iter_mut().rev() {
                *count += above;
                above = *count;
            }
        }
        let most = reach.iter().map(|reach| reach[1]).max().unwrap_or(0) as usize;
        let mut steps: [Vec<u32>; 8] = Default::default();
        steps.fill(vec![padding << 1; most + AHEAD]);
        for ((steps, reach), digits) in steps.iter_mut().zip(&reach).zip(digits.chunks(n)) {
            // Points with digit k begin at reach[k + 1].
            let mut next = reach[1..].to_vec();
            for (index, digit) in (0u32..).zip(digits) {
                let magnitude = usize::from(digit.unsigned_abs());
                if magnitude > 0 {
                    let at = &mut next[magnitude];
                    steps[*at as usize] = index << 1 | u32::from(*digit < 0);
                    *at += 1;
                }
            }
        }
        Self { steps, reach }
    }
}

/// S_k in every lane: the words of E, F, G and H of [`Completed`], one after the other. Each word has the
/// form of [`Field::row`], and is stored for all lanes.
type LevelSum = [[u64; 8]; 20];

#[inline(always)]
fn spill<F: Field>(running: Completed<F>) -> LevelSum {
    let mut out = [[0; 8]; 20];
    for (part, out) in running.parts().into_iter().zip(out.chunks_exact_mut(5)) {
        for (word, out) in part.row().into_iter().zip(out) {
            word.store(out);
        }
    }
    out
}

#[inline(always)]
fn load_level<F: Field>(sum: &LevelSum) -> Cached<F> {
    let mut parts = [F::splat(ZERO); 4];
    for (part, limbs) in parts.iter_mut().zip(sum.chunks_exact(5)) {
        *part = F::from_row(unroll!(5, I => F::Word::load(&limbs[I])));
    }
    Completed::from_parts(parts).to_extended().to_cached()
}

/// Computes S_levels … S_1 for the window of each lane. Item k - 1 of the result is S_k.
#[inline(always)]
fn level_sums<F: Field>(table: &[AffineRow], windows: &Windows) -> Vec<LevelSum> {
    let Windows { steps, reach } = windows;
    let levels = reach[0].len() - 2;
    let end = steps[0].len() - AHEAD;
    let mut running = Completed::<F>::identity();
    let mut sums = vec![spill(running); levels];
    // The level that each lane stores next, after reach[lane][level] additions.
    let mut level = [levels; 8];
    let mut next_store = 0;
    for step in 0..=end {
        if step == next_store {
            // Lanes finish their levels at different steps, so usually only one lane is copied.
            let rows = spill(running);
            next_store = usize::MAX;
            for lane in 0..F::LANES {
                while level[lane] > 0 && reach[lane][level[lane]] as usize == step {
                    for (sum, row) in sums[level[lane] - 1].iter_mut().zip(&rows) {
                        sum[lane] = row[lane];
                    }
                    level[lane] -= 1;
                }
                if level[lane] > 0 {
                    next_store = next_store.min(reach[lane][level[lane]] as usize);
                }
            }
        }
        if step == end {
            break;
        }
        let mut chosen = [&table[0].0; 8];
        let mut negative = 0;
        for lane in 0..F::LANES {
            prefetch(&table[(steps[lane][step + AHEAD] >> 1) as usize].0);
            let entry = steps[lane][step];
            chosen[lane] = &table[(entry >> 1) as usize].0;
            negative |= ((entry & 1) as u8) << lane;
        }
        let point = AffineNiels::<F>::load(&chosen);
        running = running.to_add().add_affine(&point, negative);
    }
    sums
}

/// Σ_k S_k in each lane: the sums of the windows.
#[inline(always)]
fn window_sums<F: Field>(sums: &[LevelSum]) -> Extended<Called<F>> {
    let mut total = Completed::<F>::identity();
    for sum in sums {
        total = total.to_add().add(&load_level(sum));
    }
    total.called().to_extended()
}

/// The sum of all points whose digit has this bit set, for windows of unsigned digits. With
/// j = 2^bit, this sum is S_j - S_2j + S_3j - ….
#[inline(always)]
fn bit_sums<F: Field>(sums: &[LevelSum], bit: usize) -> Extended<F> {
    let mut total = Completed::<F>::identity();
    let mut multiple = 1;
    while multiple << bit <= sums.len() {
        let level = load_level::<F>(&sums[(multiple << bit) - 1]);
        let minus = if multiple % 2 == 0 { 0xff } else { 0 };
        total = total.to_add().add_signed(&level, minus);
        multiple += 1;
    }
    total.to_extended()
}

/// Computes the sum of each lane's window. If `bits` is not empty, also writes to it, window by window, the
/// sum of the points whose digit has bit 0 set, then bit 1, and so on. All windows are equally wide.
#[inline(always)]
pub fn sums_of_windows<F: Field>(
    table: &[AffineRow],
    windows: &Windows,
    sums: &mut [Point],
    bits: &mut [Point],
) {
    let level_sums = level_sums::<F>(table, windows);
    if bits.is_empty() {
        store(window_sums::<F>(&level_sums), sums);
        return;
    }
    // The window's sum is Σ 2^bit·(the sum for the bit).
    let width = bits.len() / sums.len();
    let mut total = Completed::<Called<F>>::identity();
    for bit in (0..width).rev() {
        let of_bit = bit_sums::<Called<F>>(&level_sums, bit);
        let mut rows = [Point::IDENTITY; 8];
        store(of_bit, &mut rows);
        for (bits, row) in bits.chunks_mut(width).zip(rows) {
            bits[bit] = row;
        }
        total = total.to_double().double();
        total = total.to_add().add(&of_bit.to_cached());
    }
    store(total.to_extended(), sums);
}
