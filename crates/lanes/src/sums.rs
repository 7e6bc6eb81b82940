//! Sums of many terms: which stages they are made of.

use alloc::vec;
use alloc::vec::Vec;

use crate::engine::Engine;
use crate::field::Portable;
use crate::msm::Window;
use crate::point::{Completed, Point};
use crate::rows::{AffineRow, load, store};
use crate::scalar::{digit_count, signed_digits};
use crate::straus::slices;
use crate::tuning::{FEW_TERMS, SUBSETS_FROM, best_width};

impl Engine {
    /// Σ scalar·point, variable time. The points must have Z = 1
    /// ([`normalize`](Engine::normalize)). Of the scalars, little-endian integers, the
    /// lowest `bits` bits count, at most 255.
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
    /// let points = [Point::BASE, Point::BASE, minus_five[0]];
    /// let sum = engine().multiscalar_mul(&points, &[[2], [3], [1]], 8);
    /// assert!(sum.is_small_order());
    /// ```
    pub fn multiscalar_mul<const N: usize>(
        self,
        points: &[Point],
        scalars: &[[u8; N]],
        bits: usize,
    ) -> Point {
        assert_eq!(points.len(), scalars.len(), "a scalar for each point");
        let (n, bits) = (points.len(), bits.min(255));
        if n <= FEW_TERMS {
            let mut halves = [Point::IDENTITY; 2];
            self.stages()
                .sums_of_few(&slices(scalars), bits, points, &mut halves);
            return halves[0].plus(&halves[1]);
        }
        let table = table(self, points);
        let width = best_width(n);
        let count = digit_count(bits, width);
        // digits[window·n + point]
        let mut digits = vec![0i16; count * n];
        let mut one = [0; 128];
        for (i, scalar) in scalars.iter().enumerate() {
            signed_digits(scalar, bits, width, &mut one[..count]);
            for (window, digit) in one[..count].iter().enumerate() {
                digits[window * n + i] = *digit;
            }
        }
        let levels = 1 << (width - 1);
        let windows: Vec<Window> = digits
            .chunks(n)
            .map(|digits| Window::sort(digits.iter().copied(), levels))
            .collect();
        let mut sums = vec![Point::IDENTITY; windows.len()];
        self.stages()
            .sums_of_windows(&table, &windows, levels, &mut sums, &mut []);
        horner(&sums, width)
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
            let sum = self.multiscalar_mul(points, weights, 128);
            return (sum, free.iter().all(|&free| free));
        }
        let table = table(self, points);
        // Unsigned bytes: each bit of the weights chooses a subset of the points.
        let windows: Vec<Window> = (0..16)
            .map(|at| Window::sort(weights.iter().map(move |w| i16::from(w[at])), 255))
            .collect();
        let mut sums = [Point::IDENTITY; 16];
        let mut bits = [[Point::IDENTITY; 8]; 16];
        self.stages()
            .sums_of_windows(&table, &windows, 255, &mut sums, &mut bits);
        let mut free = [false; 128];
        self.torsion_free(bits.as_flattened(), &mut free);
        (horner(&sums, 8), free.iter().all(|&free| free))
    }
}

/// Rows of the points, and the identity behind them.
fn table(engine: Engine, points: &[Point]) -> Vec<AffineRow> {
    let mut table = vec![AffineRow::IDENTITY; points.len() + 1];
    engine.stages().prepare(points, &mut table[..points.len()]);
    table
}

/// Σ 2^(width·i)·windows[i], by Horner's rule: one chain of doublings, in one lane.
fn horner(windows: &[Point], width: usize) -> Point {
    let mut sum = Completed::<Portable>::identity();
    for window in windows.iter().rev() {
        for _ in 0..width {
            sum = sum.to_double().double();
        }
        let window = load::<Portable>(core::slice::from_ref(window));
        sum = sum.to_add().add(&window.to_cached());
    }
    let mut out = Point::IDENTITY;
    store(sum.to_extended(), core::slice::from_mut(&mut out));
    out
}
