//! ristretto255: the group of prime order whose elements are classes of points of edwards25519 (RFC 9496).
//!
//! An element is decoded to one point of its class. A sum of such points represents the sum of the elements,
//! whichever points were chosen. The sum represents the identity of ristretto255 exactly if the sum has small
//! order. The reason is that all chosen points are doubles of points, and the class of the identity consists
//! of all doubles that have small order.

use crate::field::{Called, Field, ONE, ZERO, add, mul, negate_if, sqrt_ratio, square, sub};
use crate::formulas::constants::D;
use crate::formulas::encoding::y_is_canonical;
use crate::formulas::point::{Extended, Point};
use crate::formulas::rows::{load_bytes, store, store_mask};

/// True if the bytes encode a non-negative (even) field element below p.
fn is_canonical(encoding: &[u8; 32]) -> bool {
    y_is_canonical(encoding) && encoding[31] < 0x80 && encoding[0] & 1 == 0
}

/// Decodes N vectors of s (RFC 9496, section 4.3.1). For each vector, returns a mask of the lanes whose s
/// encodes an element, and the points. The caller must check that each s is canonical.
#[inline(always)]
fn decode<F: Field, const N: usize>(s: [F; N]) -> [(u8, Extended<F>); N] {
    let one = F::splat(ONE);
    let (mut u1, mut u2, mut v, mut vu2) = ([one; N], [one; N], [one; N], [one; N]);
    for i in 0..N {
        let ss = square(s[i]);
        (u1[i], u2[i]) = (sub(one, ss), add(one, ss));
        let u2_squared = square(u2[i]);
        // v = -d·u1² - u2²
        let du1 = mul(F::splat(D), square(u1[i]));
        v[i] = sub(F::splat(ZERO), add(du1, u2_squared));
        vu2[i] = mul(v[i], u2_squared);
    }
    let roots = sqrt_ratio([one; N], vu2);
    let mut out = [(
        0,
        Extended {
            x: one,
            y: one,
            z: one,
            t: one,
        },
    ); N];
    for i in 0..N {
        let (was_square, root) = roots[i];
        let den_x = mul(root, u2[i]);
        let den_y = mul(mul(root, den_x), v[i]);
        let x = mul(add(s[i], s[i]), den_x);
        let x = negate_if(x.is_odd(), x);
        let y = mul(u1[i], den_y);
        let t = mul(x, y);
        let valid = was_square & !t.is_odd() & !y.is_zero();
        out[i] = (valid, Extended { x, y, z: one, t });
    }
    out
}

/// Decodes the elements of N vectors.
#[inline(always)]
fn ristretto_vectors<F: Field, const N: usize>(
    encodings: &[[u8; 32]],
    points: &mut [Point],
    valid: &mut [bool],
) {
    let mut s = [F::splat(ZERO); N];
    for (s, encodings) in s.iter_mut().zip(encodings.chunks(F::LANES)) {
        let mut bytes = [[0; 32]; 8];
        bytes[..encodings.len()].copy_from_slice(encodings);
        *s = load_bytes::<F>(&bytes);
    }
    let decoded = decode(s);
    for (((on_curve, point), points), (valid, encodings)) in decoded
        .into_iter()
        .zip(points.chunks_mut(F::LANES))
        .zip(valid.chunks_mut(F::LANES).zip(encodings.chunks(F::LANES)))
    {
        store(point, points);
        store_mask(on_curve, valid);
        for (valid, encoding) in valid.iter_mut().zip(encodings) {
            *valid &= is_canonical(encoding);
        }
    }
}

#[inline(always)]
pub fn decode_ristretto<F: Field>(
    encodings: &[[u8; 32]],
    points: &mut [Point],
    valid: &mut [bool],
) {
    let step = 2 * F::LANES;
    for ((encodings, points), valid) in encodings
        .chunks(step)
        .zip(points.chunks_mut(step))
        .zip(valid.chunks_mut(step))
    {
        if encodings.len() > F::LANES {
            ristretto_vectors::<Called<F>, 2>(encodings, points, valid);
        } else {
            ristretto_vectors::<Called<F>, 1>(encodings, points, valid);
        }
    }
}
