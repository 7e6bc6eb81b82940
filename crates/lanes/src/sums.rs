//! Sums of many terms: which stages they are made of.

use alloc::vec;
use alloc::vec::Vec;

use crate::engine::Engine;
use crate::msm::Windows;
use crate::point::Point;
use crate::rows::AffineRow;
use crate::scalar::SignedDigits;
use crate::straus::slices;
use crate::tuning::{BYTES_FROM, FEW_TERMS, SUBSETS_FROM, best_width};

impl Engine {
    /// s·B + Σ scalar·point, variable time. The points must have Z = 1
    /// ([`normalize`](Engine::normalize)). Of the scalars, little-endian integers, the
    /// lowest `bits` bits count, at most 255; of s the lowest 255.
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
        let (n, bits) = (points.len(), bits.min(255));
        if n <= FEW_TERMS {
            let mut halves = [Point::IDENTITY; 2];
            self.stages()
                .sum_of_few(s, &slices(scalars), bits, points, &mut halves);
            return halves[0].plus(&halves[1]);
        }
        let width = best_width(n, bits, self.lanes());
        let signed = SignedDigits::new(bits, width);
        let count = signed.count();
        // digits[window·n + point]
        let mut digits = vec![0; count * n];
        let mut one = [0; 128];
        for (i, scalar) in scalars.iter().enumerate() {
            signed.of(scalar, &mut one[..count]);
            for (window, digit) in one[..count].iter().enumerate() {
                digits[window * n + i] = *digit;
            }
        }
        let mut sums = vec![Point::IDENTITY; count];
        self.sums_of_windows(points, &digits, 1 << (width - 1), &mut sums, &mut []);
        self.horner(s, &sums, width)
    }

    /// Σ weight·point, and whether all points are free of torsion. The points must have
    /// Z = 1. Variable time.
    ///
    /// "Free" is wrong with probability at most 2^-128 over random weights; "not free" is
    /// never wrong.
    ///
    /// # Panics
    /// If there are not as many weights as points.
    ///
    /// ```
    /// use klero_lanes::{Point, engine};
    /// let (sum, free) = engine().random_combination(&[Point::BASE; 2], &[[7; 16], [9; 16]]);
    /// assert!(free && !sum.is_small_order());
    /// ```
    pub fn random_combination(self, points: &[Point], weights: &[[u8; 16]]) -> (Point, bool) {
        assert_eq!(points.len(), weights.len(), "a weight for each point");
        if points.len() < SUBSETS_FROM {
            let mut free = vec![false; points.len()];
            self.torsion_free(points, &mut free);
            let sum = self.multiscalar_mul(&[0; 32], points, weights, 128);
            return (sum, free.iter().all(|&free| free));
        }
        // Unsigned digits: each bit of the weights chooses a subset of the points.
        let width = if points.len() < BYTES_FROM { 4 } else { 8 };
        let mut digits = Vec::with_capacity(128 / width * points.len());
        for at in (0..128).step_by(width) {
            let digit =
                |weight: &[u8; 16]| i16::from(weight[at / 8] >> (at % 8)) & ((1 << width) - 1);
            digits.extend(weights.iter().map(digit));
        }
        let mut sums = vec![Point::IDENTITY; 128 / width];
        let mut subsets = [Point::IDENTITY; 128];
        self.sums_of_windows(points, &digits, (1 << width) - 1, &mut sums, &mut subsets);
        let mut free = [false; 128];
        self.torsion_free(&subsets, &mut free);
        let sum = self.horner(&[0; 32], &sums, width);
        (sum, free.iter().all(|&free| free))
    }

    /// The sum of each window, and, unless `bits` is empty, of each bit of its digits.
    /// `digits[n·window + point]` are those of n points, with magnitudes of at most `levels`.
    fn sums_of_windows(
        self,
        points: &[Point],
        digits: &[i16],
        levels: usize,
        sums: &mut [Point],
        bits: &mut [Point],
    ) {
        let n = points.len();
        // The identity stands behind the points, for lanes that have none left.
        let mut table = vec![AffineRow::IDENTITY; n + 1];
        self.stages().prepare(points, &mut table[..n]);
        let lanes = self.lanes();
        let bits_of_each = bits.len() / sums.len();
        let mut bits = bits.chunks_mut((bits_of_each * lanes).max(1));
        for (digits, sums) in digits.chunks(n * lanes).zip(sums.chunks_mut(lanes)) {
            let windows = Windows::sort(digits, n, levels, n as u32);
            let bits = bits.next().unwrap_or_default();
            self.stages().sums_of_windows(&table, &windows, sums, bits);
        }
    }

    /// s·B + Σ 2^(width·i)·windows[i], by Horner's rule: one chain of doublings.
    fn horner(self, s: &[u8; 32], windows: &[Point], width: usize) -> Point {
        let mut halves = [Point::IDENTITY; 2];
        self.stages().horner(s, windows, width, &mut halves);
        halves[0].plus(&halves[1])
    }
}
