//! The stages, generic over the field: slices in, slices out, `LANES` items at a
//! time. A last group that is not full is filled up with the identity. Those named
//! `…_alone` have the coordinates of one item in the lanes instead.

use crate::backend::Field;
use crate::comb;
use crate::constants::{ONE, TWO_D, ZERO};
use crate::field::{add, invert_all, mul, sqrt_ratio, sub};
use crate::ladder::{Multipliers, OwnTerm, SharedTerm, digits, slices, sum_of_multiples};
use crate::map::{Elligator2, Preimage};
use crate::msm::Window;
use crate::octet::{self, sum_of_two};
use crate::point::{Extended, Point, from_root, x_squared};
use crate::ristretto;
use crate::rows::{AffineRow, base_tables, bytes_from_limbs, limbs_from_bytes, load, store};
pub(crate) use crate::sha512::sha512;

/// How many vectors share an inversion.
const SHARE: usize = 16;

#[inline(always)]
fn load_field<F: Field>(bytes: &[[u8; 32]; 8]) -> F {
    let mut limbs = [ZERO; 8];
    for (limbs, bytes) in limbs.iter_mut().zip(bytes) {
        *limbs = limbs_from_bytes(bytes);
    }
    F::from_tight_words(F::load_words(&limbs.each_ref()))
}

#[inline(always)]
fn spread(mask: u8, lanes: &mut [bool]) {
    for (lane, set) in lanes.iter_mut().enumerate() {
        *set = mask >> lane & 1 == 1;
    }
}

#[inline(always)]
fn top_bits(encodings: &[[u8; 32]]) -> u8 {
    let mut mask = 0;
    for (lane, bytes) in encodings.iter().enumerate() {
        mask |= (bytes[31] >> 7) << lane;
    }
    mask
}

/// Points to decode and field elements to map: all that wants a square root. They
/// share vectors, the former before the latter; two vectors at once fill the pipes.
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
    fn run<F: Field>(mut self) {
        // An item without its places in the results is left out.
        let decoded = self.encodings.len();
        let decoded = decoded.min(self.points.len()).min(self.on_curve.len());
        self.encodings = &self.encodings[..decoded];
        let mapped = self.r.len().min(self.mapped.len());
        (self.r, self.mapped) = (&self.r[..mapped], &mut self.mapped[..mapped]);
        let all = decoded + mapped;
        let mut at = 0;
        while at < all {
            if all - at > F::LANES {
                self.vectors::<F, 2>(at);
                at += 2 * F::LANES;
            } else {
                self.vectors::<F, 1>(at);
                at += F::LANES;
            }
        }
    }

    /// The items of N vectors from number `at` on.
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
            value[i] = load_field::<F>(&bytes);
            if split > 0 {
                (u[i], v[i]) = x_squared(value[i]);
            }
            if split < F::LANES {
                let decodes = (1 << split) - 1;
                let preimage = Preimage::of(value[i]);
                u[i] = F::select(decodes, u[i], F::splat(ONE));
                v[i] = F::select(decodes, v[i], preimage.gt3);
                preimages[i] = Some(preimage);
            }
        }
        let roots = sqrt_ratio(u, v);
        for i in 0..N {
            let (from, split) = self.split::<F>(at, i);
            if split > 0 {
                let (is_square, root) = roots[i];
                let point = from_root(value[i], root, odd[i]);
                spread(is_square, &mut self.on_curve[from..from + split]);
                store(point, &mut self.points[from..from + split]);
            }
            let first = (from + split).saturating_sub(self.encodings.len());
            let places = self.mapped.get_mut(first..);
            if let (Some(preimage), Some(places)) = (preimages[i], places) {
                let mapped = preimage.point(roots[i], self.form);
                let mut rows = [Point::IDENTITY; 8];
                store(mapped.mul_by_cofactor(), &mut rows);
                for (place, row) in places.iter_mut().zip(&rows[split..F::LANES]) {
                    *place = *row;
                }
            }
        }
    }

    /// The number of the first item of the vector, and how many of its lanes decode.
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
pub(crate) fn decode_and_map<F: Field>(
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

#[inline(always)]
pub(crate) fn decode_ristretto<F: Field>(
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
            ristretto_vectors::<F, 2>(encodings, points, valid);
        } else {
            ristretto_vectors::<F, 1>(encodings, points, valid);
        }
    }
}

/// The elements of N vectors.
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
        *s = load_field::<F>(&bytes);
    }
    let decoded = ristretto::decode(s);
    for (((on_curve, point), points), (valid, encodings)) in decoded
        .into_iter()
        .zip(points.chunks_mut(F::LANES))
        .zip(valid.chunks_mut(F::LANES).zip(encodings.chunks(F::LANES)))
    {
        store(point, points);
        spread(on_curve, valid);
        for (valid, encoding) in valid.iter_mut().zip(encodings) {
            *valid &= ristretto::is_canonical(encoding);
        }
    }
}

#[inline(always)]
pub(crate) fn mul_by_cofactor<F: Field>(points: &[Point], out: &mut [Point]) {
    for (points, out) in points.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        store(load::<F>(points).mul_by_cofactor(), out);
    }
}

#[inline(always)]
pub(crate) fn torsion_free<F: Field>(points: &[Point], free: &mut [bool]) {
    let step = 2 * F::LANES;
    for (points, free) in points.chunks(step).zip(free.chunks_mut(step)) {
        let (first, second) = points.split_at(points.len().min(F::LANES));
        let masks = if second.is_empty() {
            let [mask] = crate::torsion::torsion_free([load::<F>(first)]);
            [mask, 0]
        } else {
            crate::torsion::torsion_free([load::<F>(first), load::<F>(second)])
        };
        for (mask, free) in masks.into_iter().zip(free.chunks_mut(F::LANES)) {
            spread(mask, free);
        }
    }
}

/// 1/Z of up to `SHARE` groups.
#[inline(always)]
fn inverses_of_z<F: Field>(points: &[Point]) -> [F; SHARE] {
    let zero = F::splat(ZERO);
    let (mut inverses, mut scratch) = ([zero; SHARE], [zero; SHARE]);
    let groups = points.chunks(F::LANES).len();
    for (inverse, points) in inverses.iter_mut().zip(points.chunks(F::LANES)) {
        *inverse = load::<F>(points).z;
    }
    invert_all(&mut inverses[..groups], &mut scratch[..groups]);
    inverses
}

#[inline(always)]
pub(crate) fn encode<F: Field>(points: &[Point], encodings: &mut [[u8; 32]]) {
    let step = SHARE * F::LANES;
    for (points, encodings) in points.chunks(step).zip(encodings.chunks_mut(step)) {
        let inverses = inverses_of_z::<F>(points);
        for ((inverse, points), encodings) in inverses
            .into_iter()
            .zip(points.chunks(F::LANES))
            .zip(encodings.chunks_mut(F::LANES))
        {
            let point = load::<F>(points);
            let odd = mul(point.x, inverse).is_odd();
            let mut rows = [ZERO; 8];
            let y = mul(point.y, inverse).canonical();
            F::store_words(&y.to_words(), &mut rows);
            for (lane, (encoding, limbs)) in encodings.iter_mut().zip(&rows).enumerate() {
                *encoding = bytes_from_limbs(limbs);
                encoding[31] |= (odd >> lane & 1) << 7;
            }
        }
    }
}

#[inline(always)]
pub(crate) fn normalize<F: Field>(points: &mut [Point]) {
    for points in points.chunks_mut(SHARE * F::LANES) {
        let inverses = inverses_of_z::<F>(points);
        for (inverse, points) in inverses.into_iter().zip(points.chunks_mut(F::LANES)) {
            let point = load::<F>(points);
            let (x, y) = (mul(point.x, inverse), mul(point.y, inverse));
            let z = F::splat(ONE);
            let t = mul(x, y);
            store(Extended { x, y, z, t }, points);
        }
    }
}

/// Rows of points whose Z is 1.
#[inline(always)]
pub(crate) fn prepare<F: Field>(points: &[Point], rows: &mut [AffineRow]) {
    for (points, rows) in points.chunks(F::LANES).zip(rows.chunks_mut(F::LANES)) {
        let point = load::<F>(points);
        let parts = [
            sub(point.y, point.x),
            add(point.y, point.x),
            mul(point.t, F::splat(TWO_D)),
        ];
        let mut words = [F::splat(ZERO).to_words()[0]; 16];
        for i in 0..3 {
            words[5 * i..5 * i + 5].copy_from_slice(&parts[i].to_words());
        }
        let mut out = [[0; 16]; 8];
        F::store_words(&words, &mut out);
        for (row, out) in rows.iter_mut().zip(out) {
            *row = AffineRow(out);
        }
    }
}

#[inline(always)]
pub(crate) fn sums_of_windows<F: Field>(
    table: &[AffineRow],
    windows: &[Window],
    levels: usize,
    sums: &mut [Point],
    bits: &mut [[Point; 8]],
) {
    crate::msm::sums_of_windows::<F>(table, windows, levels, sums, bits);
}

#[inline(always)]
pub(crate) fn sub_small_multiple<F: Field>(
    points: &[Point],
    multiples: &[i8],
    of: &[Point],
    out: &mut [Point],
) {
    for (((points, multiples), of), out) in points
        .chunks(F::LANES)
        .zip(multiples.chunks(F::LANES))
        .zip(of.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let one = load::<F>(of).to_cached();
        let mut sum = load::<F>(points);
        // Each lane joins in as long as its multiple reaches.
        for round in 0..4 {
            let (mut joins, mut negative) = (0, 0);
            for (lane, multiple) in multiples.iter().enumerate() {
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

#[inline(always)]
pub(crate) fn mul_base_and_point<F: Field>(
    s: &[[u8; 32]],
    m: Multipliers<'_>,
    p: &[Point],
    out: &mut [Point],
) {
    let [low_table, high_table] = base_tables();
    for (((s, m), p), out) in s
        .chunks(F::LANES)
        .zip(m.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let own = [OwnTerm {
            points: load::<F>(p),
            by: m,
        }];
        // s = low + 2^128·high, so that B and 2^128·B share the doublings of P.
        let digits = digits(&slices(s), 253, 8);
        let (low, high) = digits.split_at(16);
        let shared = [(low_table, low), (high_table, high)].map(|(table, digits)| SharedTerm {
            table,
            digits,
            width: 8,
        });
        store(sum_of_multiples(&own, &shared).to_extended(), out);
    }
}

#[inline(always)]
pub(crate) fn mul_two_points<F: Field>(
    s: &[[u8; 32]],
    h: &[Point],
    m: Multipliers<'_>,
    p: &[Point],
    out: &mut [Point],
) {
    for ((((s, h), m), p), out) in s
        .chunks(F::LANES)
        .zip(h.chunks(F::LANES))
        .zip(m.chunks(F::LANES))
        .zip(p.chunks(F::LANES))
        .zip(out.chunks_mut(F::LANES))
    {
        let s = slices(s);
        let own = [
            OwnTerm {
                points: load::<F>(h),
                by: Multipliers::plus(&s, 253),
            },
            OwnTerm {
                points: load::<F>(p),
                by: m,
            },
        ];
        store(sum_of_multiples(&own, &[]).to_extended(), out);
    }
}

#[inline(always)]
pub(crate) fn mul_alone<F: Field>(
    s: &[[u8; 32]],
    a: &[[Point; 2]],
    m: &[[u8; 32]],
    b: &[[Point; 2]],
    subtract: bool,
    out: &mut [[Point; 2]],
) {
    for ((((s, a), m), b), out) in s.iter().zip(a).zip(m).zip(b).zip(out) {
        *out = sum_of_two::<F::Octet>(s, a.each_ref(), m, b.each_ref(), subtract);
    }
}

#[inline(always)]
pub(crate) fn sums_of_few<F: Field>(
    scalars: &[[u8; 32]],
    points: &[Point],
    halves: &mut [Point; 2],
) {
    *halves = octet::sums_of_few::<F::Octet>(scalars, points);
}

#[inline(always)]
pub(crate) fn secret_mul_pair<F: Field>(
    p: &[Point],
    x: &[[u8; 32]],
    k: &[[u8; 32]],
    by_x: &mut [Point],
    by_k: &mut [Point],
) {
    for ((((p, x), k), by_x), by_k) in p
        .chunks(F::LANES)
        .zip(x.chunks(F::LANES))
        .zip(k.chunks(F::LANES))
        .zip(by_x.chunks_mut(F::LANES))
        .zip(by_k.chunks_mut(F::LANES))
    {
        let [xp, kp] = comb::mul_pair(load::<F>(p), x, k);
        store(xp, by_x);
        store(kp, by_k);
    }
}

#[inline(always)]
pub(crate) fn secret_mul_alone<F: Field>(
    p: &[Point],
    x: &[[u8; 32]],
    k: &[[u8; 32]],
    by_x: &mut [Point],
    by_k: &mut [Point],
    base_by_k: &mut [Point],
) {
    if F::LANES == 1 {
        // In vectors of one element there is nothing to share.
        secret_mul_pair::<F>(p, x, k, by_x, by_k);
        secret_mul_base::<F>(k, base_by_k);
        return;
    }
    for (((((p, x), k), by_x), by_k), base_by_k) in
        p.iter().zip(x).zip(k).zip(by_x).zip(by_k).zip(base_by_k)
    {
        [*by_x, *by_k] = comb::mul_pair_alone::<F::Octet>(p, x, k);
        *base_by_k = comb::mul_base_alone::<F::Octet>(k);
    }
}

#[inline(always)]
pub(crate) fn secret_mul_base<F: Field>(k: &[[u8; 32]], out: &mut [Point]) {
    for (k, out) in k.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        store(comb::mul_base::<F>(k), out);
    }
}
