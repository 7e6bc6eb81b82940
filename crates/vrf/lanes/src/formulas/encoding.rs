//! The decoding of points from bytes, and the encoding to bytes (RFC 8032, sections 5.1.2 and 5.1.3).
//!
//! Decoding needs a square root for each point, and encoding needs an inverse. A square root is an
//! exponentiation, whose steps are the same for all items. So points to be decoded share vectors with field
//! elements to be mapped by Elligator2. Many inverses are computed by one inversion (Montgomery's trick).

use core::ops::BitAnd;

use crate::field::{
    Called, Field, ONE, Vector, ZERO, invert_all, mul, negate_if, sqrt_ratio, square, sub, to_bytes,
};
use crate::formulas::constants::D;
use crate::formulas::elligator2::{Elligator2, Preimage};
use crate::formulas::lanes::Lanes;
use crate::formulas::point::{Extended, Point};
use crate::formulas::rows::{load, load_bytes, store, store_mask};
use crate::formulas::small_multiples::mul_all_by_cofactor;
use crate::tuning::SHARED_INVERSION;

/// True if y of an encoded point is below p = 2^255 - 19. The sign bit is ignored.
pub fn y_is_canonical(encoding: &[u8; 32]) -> bool {
    is_below_p(encoding)
}

/// Does the same as [`y_is_canonical`] for any type of bytes. `checks/kernels` passes symbolic bytes.
#[inline(always)]
pub fn is_below_p<B>(encoding: &[B; 32]) -> bool
where
    B: Copy + PartialOrd<u8> + BitAnd<u8, Output = B>,
{
    // p is ed ff … ff 7f in little endian.
    encoding[0] < 0xed || encoding[1..31] != [0xff; 30] || encoding[31] & 0x7f != 0x7f
}

#[inline(always)]
fn top_bits(encodings: &[[u8; 32]]) -> u8 {
    let mut mask = 0;
    for (lane, bytes) in encodings.iter().enumerate() {
        mask |= (bytes[31] >> 7) << lane;
    }
    mask
}

/// The numerator and the denominator of x² for this y on the curve (RFC 8032, section 5.1.3).
#[inline(always)]
fn x_squared<F: Field>(y: F) -> (F, F) {
    let one = F::splat(ONE);
    let yy = square(y);
    let dyy = yy.mul(F::splat(D));
    (sub(yy, one), F::carry(F::add(dyy, one.widen())))
}

/// The point (x, y), where x is the root or its negative: x is odd where the mask is set, and even
/// elsewhere. x = 0 is accepted with either sign bit, as ECVRF verifiers do.
#[inline(always)]
fn from_root<F: Field>(y: F, root: F, odd: u8) -> Extended<F> {
    let x = negate_if(root.is_odd() ^ odd, root);
    Extended {
        x,
        y,
        z: F::splat(ONE),
        t: mul(x, y),
    }
}

/// The items that need a square root: points to decode, and field elements to map. They share vectors,
/// and the points come first. Two vectors are computed side by side to keep the multiplier busy.
struct Roots<'a> {
    encodings: &'a [[u8; 32]],
    r: &'a [[u8; 32]],
    form: Elligator2,
    points: &'a mut [Point],
    on_curve: &'a mut [bool],
    mapped: &'a mut [Point],
}

impl Roots<'_> {
    #[inline(always)]
    fn run<F: Lanes>(mut self) {
        let all = self.encodings.len() + self.r.len();
        let mut at = 0;
        while at < all {
            if all - at > F::LANES {
                self.vectors::<F, 2>(at);
                at += 2 * F::LANES;
            } else {
                self.vectors::<Called<F>, 1>(at);
                at += F::LANES;
            }
        }
        mul_all_by_cofactor::<F>(self.mapped);
    }

    /// Decodes and maps the items of N vectors, from index `at` on. The mapped points are not yet
    /// multiplied by the cofactor.
    #[inline(always)]
    fn vectors<F: Field, const N: usize>(&mut self, at: usize) {
        let zero = F::splat(ZERO);
        let (mut value, mut u, mut v) = ([zero; N], [zero; N], [zero; N]);
        let mut preimages = [None; N];
        let mut odd = [0; N];
        for i in 0..N {
            let (from, split) = self.split::<F>(at, i);
            let mut bytes = [[0; 32]; 8];
            let items = self.encodings.iter().chain(self.r).skip(from);
            for (lane, item) in bytes.iter_mut().zip(items.take(F::LANES)) {
                *lane = *item;
            }
            odd[i] = top_bits(&bytes);
            value[i] = load_bytes::<F>(&bytes);
            if split > 0 {
                (u[i], v[i]) = x_squared(value[i]);
            }
            if split < F::LANES {
                let decodes = (1 << split) - 1;
                let preimage = Preimage::of(Called(value[i]));
                u[i] = F::select(decodes, u[i], F::splat(ONE));
                v[i] = F::select(decodes, v[i], preimage.gt3.0);
                preimages[i] = Some(preimage);
            }
        }
        let roots = sqrt_ratio(u, v);
        for i in 0..N {
            let (from, split) = self.split::<F>(at, i);
            if split > 0 {
                let (is_square, root) = roots[i];
                let point = from_root(value[i], root, odd[i]);
                store_mask(is_square, &mut self.on_curve[from..from + split]);
                store(point, &mut self.points[from..from + split]);
            }
            let first = (from + split).saturating_sub(self.encodings.len());
            let places = self.mapped.get_mut(first..);
            if let (Some(preimage), Some(places)) = (preimages[i], places) {
                let (is_square, root) = roots[i];
                let mapped = preimage.point((is_square, Called(root)), self.form);
                let mut rows = [Point::IDENTITY; 8];
                store(mapped, &mut rows);
                for (place, row) in places.iter_mut().zip(&rows[split..F::LANES]) {
                    *place = *row;
                }
            }
        }
    }

    /// The index of the vector's first item, and the number of the vector's lanes that decode.
    #[inline(always)]
    fn split<F: Field>(&self, at: usize, vector: usize) -> (usize, usize) {
        let from = at + vector * F::LANES;
        (
            from,
            self.encodings.len().saturating_sub(from).min(F::LANES),
        )
    }
}

#[inline(always)]
pub fn decode_and_map<F: Lanes>(
    encodings: &[[u8; 32]],
    points: &mut [Point],
    on_curve: &mut [bool],
    r: &[[u8; 32]],
    form: Elligator2,
    mapped: &mut [Point],
) {
    let roots = Roots {
        encodings,
        r,
        form,
        points,
        on_curve,
        mapped,
    };
    roots.run::<F>();
}

/// 1/Z of the points of up to N vectors.
#[inline(always)]
fn inverses_of_z<F: Field, const N: usize>(points: &[Point]) -> [F; N] {
    let zero = F::splat(ZERO);
    let (mut inverses, mut scratch) = ([zero; N], [zero; N]);
    let groups = points.chunks(F::LANES).len();
    for (inverse, points) in inverses.iter_mut().zip(points.chunks(F::LANES)) {
        *inverse = load::<F>(points).z;
    }
    let lanes = points.len().min(F::LANES);
    invert_all(&mut inverses[..groups], lanes, &mut scratch[..groups]);
    inverses
}

#[inline(always)]
pub fn encode<F: Field>(points: &[Point], encodings: &mut [[u8; 32]]) {
    if points.is_empty() {
        return;
    }
    if points.len() <= F::LANES {
        return encode_together::<Called<F>, 1>(points, encodings);
    }
    let step = SHARED_INVERSION * F::LANES;
    for (points, encodings) in points.chunks(step).zip(encodings.chunks_mut(step)) {
        encode_together::<Called<F>, SHARED_INVERSION>(points, encodings);
    }
}

/// Encodes the points of up to N vectors, which share one inversion.
#[inline(always)]
fn encode_together<F: Field, const N: usize>(points: &[Point], encodings: &mut [[u8; 32]]) {
    let inverses = inverses_of_z::<F, N>(points);
    for ((inverse, points), encodings) in inverses
        .into_iter()
        .zip(points.chunks(F::LANES))
        .zip(encodings.chunks_mut(F::LANES))
    {
        let point = load::<F>(points);
        let odd = mul(point.x, inverse).is_odd();
        let mut rows = [ZERO; 8];
        let y = mul(point.y, inverse).canonical();
        F::Word::store_rows(&y, &mut rows);
        for (lane, (encoding, limbs)) in encodings.iter_mut().zip(&rows).enumerate() {
            *encoding = to_bytes(limbs);
            encoding[31] |= (odd >> lane & 1) << 7;
        }
    }
}

#[inline(always)]
pub fn normalize<F: Field>(points: &mut [Point]) {
    for points in points.chunks_mut(SHARED_INVERSION * F::LANES) {
        let inverses = inverses_of_z::<Called<F>, SHARED_INVERSION>(points);
        for (inverse, points) in inverses.into_iter().zip(points.chunks_mut(F::LANES)) {
            let point = load::<Called<F>>(points);
            let (x, y) = (mul(point.x, inverse), mul(point.y, inverse));
            let z = Called::<F>::splat(ONE);
            let t = mul(x, y);
            store(Extended { x, y, z, t }, points);
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    /// Tests p, integers near p, 0 and the largest integer, with each byte replaced by every value.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and runs no unsafe code")]
    fn every_byte_of_y_is_compared_with_p() {
        let p: BigUint = (BigUint::from(1u8) << 255) - 19u8;
        let edges = [
            p.clone() - 1u8,
            p.clone(),
            p.clone() + 1u8,
            p.clone() + 18u8,
        ];
        for edge in edges.into_iter().chain([BigUint::ZERO]) {
            let mut bytes = [0; 32];
            for (byte, digit) in bytes.iter_mut().zip(edge.to_bytes_le()) {
                *byte = digit;
            }
            for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
                let mut encoding = bytes;
                encoding[place] = byte;
                let mut y = encoding;
                y[31] &= 0x7f;
                let expected = BigUint::from_bytes_le(&y) < p;
                for sign in [0, 0x80] {
                    encoding[31] = y[31] | sign;
                    assert_eq!(y_is_canonical(&encoding), expected, "{encoding:02x?}");
                }
            }
        }
    }
}
