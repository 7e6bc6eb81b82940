//! Multiples of points by small integers.

use crate::field::{Called, Field};
use crate::formulas::alone::mul_two_by_cofactor;
use crate::formulas::lanes::Lanes;
use crate::formulas::point::{Extended, Point};
use crate::formulas::rows::{load, store};

#[inline(always)]
pub fn mul_by_cofactor<F: Lanes>(points: &[Point], out: &mut [Point]) {
    out.copy_from_slice(points);
    mul_all_by_cofactor::<F>(out);
}

/// Replaces each P by 8·P. On several lanes, the coordinates of one or two leftover points share vectors.
#[inline(always)]
pub fn mul_all_by_cofactor<F: Lanes>(points: &mut [Point]) {
    for points in points.chunks_mut(F::LANES) {
        match points {
            [one] if F::LANES > 1 => [*one, _] = mul_two_by_cofactor::<F::Eight>([&*one; 2]),
            [one, two] if F::LANES > 1 => {
                [*one, *two] = mul_two_by_cofactor::<F::Eight>([&*one, &*two]);
            }
            many => store(load::<Called<F>>(many).mul_by_cofactor(), many),
        }
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
        // A lane takes part in its first |m| rounds. Each of them adds Q or -Q.
        for round in 0..4 {
            let (mut joins, mut negative) = (0, 0);
            for (lane, multiple) in m.iter().enumerate() {
                joins |= u8::from(multiple.unsigned_abs() > round) << lane;
                // m·Q is subtracted, so a positive m adds -Q.
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
