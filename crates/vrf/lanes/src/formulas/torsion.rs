//! An exact test of whether a point has a small-order component. It needs a square root and a quartic
//! character, but no multiplication by L.
//!
//! A point is free of torsion exactly if it is eight times another point, which means that it can be halved
//! three times. A point can be halved if certain values are squares. The formulas below test all three
//! halvings at once. Let A = 486662, α = √(A+2), κ = √(-(A+2)) and D = Z - Y. Let σ be α + 2 or α - 2, chosen
//! so that σα is not a square.
//!
//! * XY = 0 holds only for the identity, which is free of torsion, and for the points of order 2 and 4.
//! * If the torsion part of a point has order 8, e = √(Z² - Y²) does not exist, and the point is not free of
//!   torsion.
//! * For all other points, let G = 2XY + κeZ and M = e(2G + (A+2)·X·D) - σ·G·D. Such a point is free of
//!   torsion exactly if ½·G·X·D·(D·M)² is a fourth power.
//!
//! Either of the two roots may be used as e. The test is for public points.

use crate::field::{Called, Field, ONE, equal, mul, quartic_character, sqrt_ratio, square, sub};
use crate::formulas::constants::{A_PLUS_2, HALF, SIGMA, SQRT_MINUS_A_MINUS_2};
use crate::formulas::point::{Extended, Point};
use crate::formulas::rows::{load, store_mask};

/// The mask of the lanes with a torsion-free point, for each vector.
#[inline(always)]
fn masks<F: Field, const N: usize>(points: [Extended<F>; N]) -> [u8; N] {
    let one = F::splat(ONE);
    let mut squares = [one; N];
    for i in 0..N {
        let Extended { y, z, .. } = points[i];
        squares[i] = F::carry(F::sub(z.square(), y.square()));
    }
    let roots = sqrt_ratio(squares, [one; N]);
    let mut characters = [one; N];
    for i in 0..N {
        let Extended { x, y, z, .. } = points[i];
        let (_, e) = roots[i];
        let d = sub(z, y);
        let xd = mul(x, d);
        let kez = mul(mul(F::splat(SQRT_MINUS_A_MINUS_2), e), z);
        let xy = x.mul(y);
        let g = F::carry(F::add(F::add(xy, xy), kez.widen()));
        let inner = F::carry(F::add(
            xd.mul(F::splat(A_PLUS_2)),
            F::add(g.widen(), g.widen()),
        ));
        let sgd = mul(F::splat(SIGMA), mul(g, d));
        let m = F::carry(F::sub(e.mul(inner), sgd.widen()));
        let half_gxd = mul(F::splat(HALF), mul(g, xd));
        characters[i] = mul(half_gxd, square(mul(d, m)));
    }
    let characters = quartic_character(characters);
    let mut masks = [0; N];
    for i in 0..N {
        let Extended { x, y, z, .. } = points[i];
        let xy_is_zero = mul(x, y).is_zero();
        let identity = x.is_zero() & equal(y, z);
        let (e_exists, _) = roots[i];
        masks[i] = xy_is_zero & identity | !xy_is_zero & e_exists & equal(characters[i], one);
    }
    masks
}

#[inline(always)]
pub fn torsion_free<F: Field>(points: &[Point], free: &mut [bool]) {
    let step = 2 * F::LANES;
    for (points, free) in points.chunks(step).zip(free.chunks_mut(step)) {
        let (first, second) = points.split_at(points.len().min(F::LANES));
        let both = if second.is_empty() {
            let [mask] = masks([load::<Called<F>>(first)]);
            [mask, 0]
        } else {
            masks([load::<Called<F>>(first), load::<Called<F>>(second)])
        };
        for (mask, free) in both.into_iter().zip(free.chunks_mut(F::LANES)) {
            store_mask(mask, free);
        }
    }
}
