//! Multiples of points by small integers.

use crate::field::{Called, Field};
use crate::formulas::point::{Extended, Point};
use crate::formulas::rows::{load, store};

#[inline(always)]
pub fn mul_by_cofactor<F: Field>(points: &[Point], out: &mut [Point]) {
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        store(load::<Called<F>>(points).mul_by_cofactor(), out);
    }
}

#[inline(always)]
pub fn sub_small_multiple<F: Field>(p: &[Point], m: &[i8], q: &[Point], out: &mut [Point]) {
    for (((p, m), q), out) in p
        .chunks(F::LANES)
        .zip(m.chunks(F::LANES))
        .zip(q.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let one = load::<Called<F>>(q).to_cached();
        let mut sum = load::<Called<F>>(p);
        // A lane takes part in as many rounds as its multiple is large.
        for round in 0..4 {
            let (mut joins, mut negative) = (0, 0);
            for (lane, multiple) in m.iter().enumerate() {
                joins |= u8::from(multiple.unsigned_abs() > round) << lane;
                // Subtracting: positive multiples are added negated.
                negative |= u8::from(*multiple > 0) << lane;
            }
            if joins == 0 {
                break;
            }
            let next = sum.to_add().add_signed(&one, negative).to_extended();
            sum = Extended::select(joins, next, sum);
        }
        store(sum, out);
    }
}
