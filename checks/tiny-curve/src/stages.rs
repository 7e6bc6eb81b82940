//! The stages that sums of many terms are made of, on lanes of tiny elements.

use std::marker::PhantomData;

use klero_lanes::Point;
use klero_lanes::unstable::formulas::lanes::Lanes;
use klero_lanes::unstable::formulas::msm::{self, Windows};
use klero_lanes::unstable::formulas::rows::{self, AffineRow};
use klero_lanes::unstable::formulas::sums::SumStages;
use klero_lanes::unstable::formulas::{alone, torsion};

/// The stages over F.
#[derive(Clone, Copy)]
pub struct Stages<F>(PhantomData<F>);

impl<F> Stages<F> {
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F: Lanes> SumStages for Stages<F> {
    fn lanes(self) -> usize {
        F::LANES
    }

    fn plus(self, p: &Point, q: &Point) -> Point {
        rows::plus::<F::One>(p, q)
    }

    fn torsion_free(self, points: &[Point], free: &mut [bool]) {
        torsion::torsion_free::<F>(points, free);
    }

    fn prepare(self, points: &[Point], rows: &mut [AffineRow]) {
        rows::prepare::<F>(points, rows);
    }

    fn sums_of_windows(
        self,
        table: &[AffineRow],
        windows: &Windows,
        sums: &mut [Point],
        bits: &mut [Point],
    ) {
        msm::sums_of_windows::<F>(table, windows, sums, bits);
    }

    fn sum_of_few(
        self,
        s: &[u8; 32],
        scalars: &[&[u8]],
        bits: usize,
        points: &[Point],
        halves: &mut [Point; 2],
    ) {
        alone::sum_of_few::<F>(s, scalars, bits, points, halves);
    }

    fn horner(self, s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]) {
        alone::horner::<F>(s, windows, width, halves);
    }
}
