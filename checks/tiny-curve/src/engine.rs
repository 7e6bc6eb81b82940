//! What `sums` needs of the module `engine` of klero-lanes: the stages that sums of many terms
//! are made of, on lanes of tiny elements.

use std::marker::PhantomData;

use crate::alone::{self, InEights};
use crate::msm::{self, Windows};
use crate::point::Point;
use crate::rows::{self, AffineRow};
use crate::torsion;

/// The stages on lanes of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Engine(&'static dyn Stages);

impl Engine {
    pub(crate) fn of<F: InEights + 'static>() -> Self {
        Self(&On::<F>(PhantomData))
    }

    pub(crate) fn stages(self) -> &'static dyn Stages {
        self.0
    }

    pub(crate) fn lanes(self) -> usize {
        self.0.lanes()
    }

    pub(crate) fn torsion_free(self, points: &[Point], free: &mut [bool]) {
        self.0.torsion_free(points, free);
    }
}

struct On<F>(PhantomData<fn() -> F>);

pub(crate) trait Stages: Sync {
    fn lanes(&self) -> usize;
    fn torsion_free(&self, points: &[Point], free: &mut [bool]);
    fn prepare(&self, points: &[Point], rows: &mut [AffineRow]);
    fn sums_of_windows(
        &self,
        table: &[AffineRow],
        windows: &Windows,
        sums: &mut [Point],
        bits: &mut [Point],
    );
    fn sum_of_few(
        &self,
        s: &[u8; 32],
        scalars: &[&[u8]],
        bits: usize,
        points: &[Point],
        halves: &mut [Point; 2],
    );
    fn horner(&self, s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]);
}

impl<F: InEights> Stages for On<F> {
    fn lanes(&self) -> usize {
        F::LANES
    }

    fn torsion_free(&self, points: &[Point], free: &mut [bool]) {
        torsion::torsion_free::<F>(points, free);
    }

    fn prepare(&self, points: &[Point], rows: &mut [AffineRow]) {
        rows::prepare::<F>(points, rows);
    }

    fn sums_of_windows(
        &self,
        table: &[AffineRow],
        windows: &Windows,
        sums: &mut [Point],
        bits: &mut [Point],
    ) {
        msm::sums_of_windows::<F>(table, windows, sums, bits);
    }

    fn sum_of_few(
        &self,
        s: &[u8; 32],
        scalars: &[&[u8]],
        bits: usize,
        points: &[Point],
        halves: &mut [Point; 2],
    ) {
        alone::sum_of_few::<F>(s, scalars, bits, points, halves);
    }

    fn horner(&self, s: &[u8; 32], windows: &[Point], width: usize, halves: &mut [Point; 2]) {
        alone::horner::<F>(s, windows, width, halves);
    }
}
