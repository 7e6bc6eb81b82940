//! Sums of many terms on an engine.

use crate::engine::Engine;
use crate::formulas::msm::Windows;
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;
use crate::formulas::sums::{self, SumStages};

impl Engine {
    /// Computes s·B + Σ scalar·point in variable time. The points must have Z = 1 (see
    /// [`normalize`](Engine::normalize)). Scalars are little-endian integers. Only their lowest
    /// `bits` bits (at most 255) and the lowest 255 bits of s are used.
    ///
    /// # Panics
    /// If there are not as many scalars as points.
    ///
    /// ```
    /// use klero_lanes::{Point, engine};
    /// // 2·B + 3·B - 5·B, where -5·B is 0·B - 5·B.
    /// let mut minus_five = [Point::BASE];
    /// engine().mul_base_sub(&[[0; 32]], &[5u128.to_le_bytes()], &[Point::BASE], &mut minus_five);
    /// engine().normalize(&mut minus_five);
    /// let mut two = [0; 32];
    /// two[0] = 2;
    /// let sum = engine().multiscalar_mul(&two, &[Point::BASE, minus_five[0]], &[[3], [1]], 8);
    /// assert!(sum.is_small_order());
    /// ```
    pub fn multiscalar_mul<const N: usize>(
        self,
        s: &[u8; 32],
        points: &[Point],
        scalars: &[[u8; N]],
        bits: usize,
    ) -> Point {
        assert_eq!(points.len(), scalars.len(), "a scalar for each point");
        sums::multiscalar_mul(self, s, points, scalars, bits)
    }

    /// Returns a pair: Σ weight·point, and true if all points are free of torsion, else false. The points
    /// must have Z = 1. Variable time.
    ///
    /// If the weights are random, an answer of true is wrong with probability at most 2^-128. An answer of
    /// false is never wrong.
    ///
    /// # Panics
    /// If there are not as many weights as points.
    pub fn random_combination(self, points: &[Point], weights: &[[u8; 16]]) -> (Point, bool) {
        assert_eq!(points.len(), weights.len(), "a weight for each point");
        sums::random_combination(self, points, weights)
    }
}

#[doc(hidden)]
impl SumStages for Engine {
    fn lanes(self) -> usize {
        self.stages().lanes()
    }

    fn plus(self, p: &Point, q: &Point) -> Point {
        p.plus(q)
    }

    fn torsion_free(self, points: &[Point], free: &mut [bool]) {
        self.stages().torsion_free(points, free);
    }

    fn prepare(self, points: &[Point], rows: &mut [AffineRow]) {
        self.stages().prepare(points, rows);
    }

    fn sums_of_windows(
        self,
        table: &[AffineRow],
        windows: &Windows,
        sums: &mut [Point],
        bits: &mut [Point],
    ) {
        self.stages().sums_of_windows(table, windows, sums, bits);
    }

    fn sum_of_few(
        self,
        s: &[u8; 32],
        scalars: &[&[u8]],
        bits: usize,
        points: &[Point],
        halves: &mut [Point; 2],
    ) {
        self.stages().sum_of_few(s, scalars, bits, points, halves);
    }

    fn horner(self, s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]) {
        self.stages().horner(s, windows, width, halves);
    }
}
