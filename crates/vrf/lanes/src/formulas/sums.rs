//! Sums of many terms, which are computed by stages.

use alloc::vec;
use alloc::vec::Vec;

use crate::formulas::msm::Windows;
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;
use crate::formulas::scalar::SignedDigits;
use crate::formulas::straus::slices;
use crate::tuning::{BYTES_FROM, FEW_TERMS, SUBSETS_FROM, best_width};

/// The stages that compute the sums, on one backend.
pub trait SumStages: Copy {
    /// The number of lanes of a vector.
    fn lanes(self) -> usize;
    /// P + Q.
    fn plus(self, p: &Point, q: &Point) -> Point;
    /// The stage `torsion::torsion_free`.
    fn torsion_free(self, points: &[Point], free: &mut [bool]);
    /// The stage `rows::prepare`.
    fn prepare(self, points: &[Point], rows: &mut [AffineRow]);
    /// The stage `msm::sums_of_windows`.
    fn sums_of_windows(
        self,
        table: &[AffineRow],
        windows: &Windows,
        sums: &mut [Point],
        bits: &mut [Point],
    );
    /// The stage `alone::sum_of_few`.
    fn sum_of_few(
        self,
        s: &[u8; 32],
        scalars: &[&[u8]],
        bits: usize,
        points: &[Point],
        halves: &mut [Point; 2],
    );
    /// The stage `alone::horner`.
    fn horner(self, s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]);
}

/// Computes s·B + Σ scalar·point. There are as many scalars as points, and the points have Z = 1. Only the
/// lowest `bits` bits of the scalars (at most 255) and the lowest 255 bits of s are used.
pub fn multiscalar_mul<const N: usize>(
    stages: impl SumStages,
    s: &[u8; 32],
    points: &[Point],
    scalars: &[[u8; N]],
    bits: usize,
) -> Point {
    let (n, bits) = (points.len(), bits.min(255));
    if n <= FEW_TERMS {
        let mut halves = [Point::IDENTITY; 2];
        stages.sum_of_few(s, &slices(scalars), bits, points, &mut halves);
        return stages.plus(&halves[0], &halves[1]);
    }
    let width = best_width(n, bits, stages.lanes());
    let signed = SignedDigits::new(bits, width);
    let count = signed.count();
    // The digit of a point in a window is `digits[window * n + point]`.
    let mut digits = vec![0; count * n];
    let mut one = [0; 128];
    for (i, scalar) in scalars.iter().enumerate() {
        signed.of(scalar, &mut one[..count]);
        for (window, digit) in one[..count].iter().enumerate() {
            digits[window * n + i] = *digit;
        }
    }
    let mut sums = vec![Point::IDENTITY; count];
    let levels = 1 << (width - 1);
    sums_of_windows(stages, points, &digits, levels, &mut sums, &mut []);
    horner(stages, s, &sums, width)
}

/// Returns a pair: Σ weight·point, and true if all points are free of torsion. There are as many weights as
/// points, and the points have Z = 1. For random weights, an answer of true is wrong with probability at most
/// 2^-128. An answer of false is never wrong.
pub fn random_combination(
    stages: impl SumStages,
    points: &[Point],
    weights: &[[u8; 16]],
) -> (Point, bool) {
    if points.len() < SUBSETS_FROM {
        let mut free = vec![false; points.len()];
        stages.torsion_free(points, &mut free);
        let sum = multiscalar_mul(stages, &[0; 32], points, weights, 128);
        return (sum, free.iter().all(|&free| free));
    }
    // The digits are unsigned, so that each of the 128 bits of the weights selects a subset of the points.
    let width = if points.len() < BYTES_FROM { 4 } else { 8 };
    let mut digits = Vec::with_capacity(128 / width * points.len());
    for at in (0..128).step_by(width) {
        let digit = |weight: &[u8; 16]| i16::from(weight[at / 8] >> (at % 8)) & ((1 << width) - 1);
        digits.extend(weights.iter().map(digit));
    }
    let mut sums = vec![Point::IDENTITY; 128 / width];
    let mut subsets = [Point::IDENTITY; 128];
    let levels = (1 << width) - 1;
    sums_of_windows(stages, points, &digits, levels, &mut sums, &mut subsets);
    let mut free = [false; 128];
    stages.torsion_free(&subsets, &mut free);
    let sum = horner(stages, &[0; 32], &sums, width);
    (sum, free.iter().all(|&free| free))
}

/// Computes the sum of each window. If `bits` is not empty, also computes, for each bit of a window's digits,
/// the sum of the points with this bit set. The digit `digits[n·window + point]` has a magnitude of at most
/// `levels`. n is the number of points.
fn sums_of_windows(
    stages: impl SumStages,
    points: &[Point],
    digits: &[i16],
    levels: usize,
    sums: &mut [Point],
    bits: &mut [Point],
) {
    let n = points.len();
    // The identity follows the points in the table. Lanes that have no point left add the identity.
    let mut table = vec![AffineRow::IDENTITY; n + 1];
    stages.prepare(points, &mut table[..n]);
    let lanes = stages.lanes();
    let bits_of_each = bits.len() / sums.len();
    let mut bits = bits.chunks_mut((bits_of_each * lanes).max(1));
    for (digits, sums) in digits.chunks(n * lanes).zip(sums.chunks_mut(lanes)) {
        let windows = Windows::sort(digits, n, levels, n as u32);
        let bits = bits.next().unwrap_or_default();
        stages.sums_of_windows(&table, &windows, sums, bits);
    }
}

/// Computes s·B + Σ 2^(width·i)·windows[i] by Horner's rule, with one chain of doublings.
fn horner(stages: impl SumStages, s: &[u8; 32], windows: &[Point], width: usize) -> Point {
    let mut halves = [Point::IDENTITY; 2];
    stages.horner(s, windows, width, &mut halves);
    stages.plus(&halves[0], &halves[1])
}
