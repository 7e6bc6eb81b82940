//! Every encoding, every input of Elligator2, every point's torsion.

use std::collections::BTreeSet;

use klero_lanes::unstable::field::{Field, ONE, sqrt_ratio};
use klero_lanes::unstable::formulas::Lanes;
use klero_lanes::unstable::formulas::elligator2::Preimage;
use klero_lanes::unstable::formulas::encoding;
use klero_lanes::unstable::formulas::ristretto::decode_ristretto;
use klero_lanes::unstable::formulas::rows::store;
use klero_lanes::unstable::formulas::torsion::torsion_free;
use klero_lanes::{Elligator2, Point};

use super::points::every_row;
use super::{Random, Tally, batches, element};
use crate::faults::stage;
use crate::model::{Index, Model};

const FORMS: [Elligator2; 2] = [Elligator2::Draft03, Elligator2::Rfc9380];

/// 2^255 - 19 + x, little-endian.
fn p_plus(x: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed + x, 0x7f);
    bytes
}

/// The integers up to 1,000, which are all elements several times over, and those from 2^255 - 19
/// on; each with either sign bit.
fn encodings() -> Vec<[u8; 32]> {
    let small = (0..=1000u16).map(|y| {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&y.to_le_bytes());
        bytes
    });
    let all = small.chain((0..19).map(p_plus));
    all.flat_map(|bytes| [bytes, with_sign(bytes)]).collect()
}

fn with_sign(mut bytes: [u8; 32]) -> [u8; 32] {
    bytes[31] |= 0x80;
    bytes
}

/// The element that bytes stand for, without the sign bit: an integer modulo 2^255 - 19, modulo q.
fn integer(model: &Model, bytes: &[u8; 32]) -> u64 {
    let above_p = (0..19).find(|x| p_plus(*x)[..31] == bytes[..31]);
    let small = u64::from(u16::from_le_bytes([bytes[0], bytes[1]]));
    above_p.map_or(small, u64::from) % model.curve.q
}

/// The point of an encoding, by RFC 8032, section 5.1.3; x = 0 has either sign bit.
fn decoded(model: &Model, bytes: &[u8; 32]) -> Option<Index> {
    let (q, curve) = (model.curve.q, model.curve);
    let y = integer(model, bytes);
    let yy = y * y % q;
    let even = curve.root((yy + q - 1) * model.inverse(curve.d * yy + 1) % q)?;
    let odd = bytes[31] >> 7 == 1;
    model.find(if odd { q - even } else { even }, y)
}

/// Judges points that are decoded, and those that elements are mapped to.
fn right<F: Lanes>(
    model: &Model,
    encodings: &[[u8; 32]],
    r: &[[u8; 32]],
    form: Elligator2,
) -> [Vec<bool>; 2] {
    let [mut points, mut mapped_points] =
        [encodings, r].map(|all| vec![Point::IDENTITY; all.len()]);
    let mut on_curve = vec![false; encodings.len()];
    stage(|| {
        encoding::decode_and_map::<F>(
            encodings,
            &mut points,
            &mut on_curve,
            r,
            form,
            &mut mapped_points,
        );
    });
    let decodes = encodings.iter().zip(points.iter().zip(on_curve));
    let decodes = decodes.map(|(bytes, (point, on_curve))| {
        on_curve.then(|| model.index(point)) == decoded(model, bytes).map(Some)
    });
    let maps = r.iter().zip(&mapped_points).map(|(r, point)| {
        let expected = model.mul(8, mapped(model, integer(model, r), form));
        model.index(point) == Some(expected)
    });
    [decodes.collect(), maps.collect()]
}

pub fn decode<F: Lanes>(model: &Model, tally: &mut Tally) {
    let all = encodings();
    batches::<F, _>(tally, &all, |encodings| {
        let [decodes, _] = right::<F>(model, encodings, &[], FORMS[0]);
        decodes
    });
}

fn encoded(model: &Model, p: Index) -> [u8; 32] {
    let (x, y) = model.points[p];
    let mut bytes = [0; 32];
    (bytes[0], bytes[31]) = (y as u8, (x as u8 & 1) << 7);
    bytes
}

/// Every point in all its coordinates.
pub fn encode<F: Field>(model: &Model, tally: &mut Tally) {
    let all = every_row(model);
    let right = |points: &[(Index, Point)]| -> Vec<bool> {
        let rows: Vec<_> = points.iter().map(|(_, row)| *row).collect();
        let mut encodings = vec![[0; 32]; rows.len()];
        stage(|| encoding::encode::<F>(&rows, &mut encodings));
        let mut normalized = rows;
        stage(|| encoding::normalize::<F>(&mut normalized));
        let out = encodings.iter().zip(&normalized);
        let right = |((p, _), (bytes, row)): (&(Index, _), (&[u8; 32], &Point))| {
            *bytes == encoded(model, *p)
                && model.index(row) == Some(*p)
                && row.0[10] % model.curve.q == 1
        };
        points.iter().zip(out).map(right).collect()
    };
    batches::<F, _>(tally, &all, right);
    // As many as share an inversion, and more.
    for points in all.chunks(16 * F::LANES + 3) {
        right(points)
            .into_iter()
            .for_each(|right| tally.case(right));
    }
}

/// The point that a field element is mapped to, before the cofactor: on Curve25519 by the
/// definition of Elligator2, and from there to edwards25519.
fn mapped(model: &Model, r: u64, form: Elligator2) -> Index {
    let (q, curve) = (model.curve.q, model.curve);
    let a = curve.a;
    let w = |u: u64| (u * u % q * u + a * u % q * u + u) % q;
    let first = curve.negative(a * model.inverse(1 + 2 * r * r) % q);
    let is_square = curve.root(w(first)).is_some();
    let u = if is_square {
        first
    } else {
        (2 * q - a - first) % q
    };
    let even = curve.root(w(u)).expect("one of both is a square");
    if even == 0 {
        // The point of order 2. RFC 9380 says the identity; the cofactor makes them equal.
        return model.find(0, q - 1).expect("a point");
    }
    let v = if is_square { q - even } else { even };
    let kappa = curve.root(curve.negative((a + 2) % q)).expect("a square");
    let x = kappa * u % q * model.inverse(v) % q;
    let x = match form {
        Elligator2::Draft03 if x % 2 == 1 => q - x,
        _ => x,
    };
    let y = (u + q - 1) * model.inverse(u + 1);
    model.find(x, y).expect("the map leads to the curve")
}

/// Every r in both forms, before and after the cofactor.
pub fn elligator2<F: Lanes>(model: &Model, tally: &mut Tally) {
    let all = encodings();
    for form in FORMS {
        batches::<F, _>(tally, &all, |r| {
            let [_, after] = right::<F>(model, &[], r, form);
            let mut before = vec![Point::IDENTITY; r.len()];
            for (r, before) in r.chunks(F::LANES).zip(before.chunks_mut(F::LANES)) {
                let r: F = element(r.iter().map(|r| integer(model, r)));
                let preimage = Preimage::of(r);
                let [root] = sqrt_ratio([F::splat(ONE)], [preimage.gt3]);
                store(preimage.point(root, form), before);
            }
            let right = |((r, before), after): ((&[u8; 32], &Point), bool)| {
                let expected = mapped(model, integer(model, r), form);
                after && model.index(before) == Some(expected)
            };
            r.iter().zip(&before).zip(after).map(right).collect()
        });
    }
}

/// Points to decode and elements to map share vectors: every number of both, up to more than
/// two vectors.
pub fn mixed<F: Lanes>(model: &Model, tally: &mut Tally) {
    let all = encodings();
    let mut random = Random(5);
    let most = 2 * F::LANES + 1;
    for (decodes, maps) in (0..=most).flat_map(|a| (0..=most).map(move |b| (a, b))) {
        let mut one = |_| all[random.below(all.len() as u64) as usize];
        let encodings: Vec<_> = (0..decodes).map(&mut one).collect();
        let r: Vec<_> = (0..maps).map(&mut one).collect();
        let right = right::<F>(model, &encodings, &r, FORMS[(decodes + maps) % 2]);
        right
            .concat()
            .into_iter()
            .for_each(|right| tally.case(right));
    }
}

/// The point of an element of ristretto255: y = (1 - s²)/(1 + s²), and the even x with
/// x² = 4s²/(-d·(1 - s²)² - (1 + s²)²), if there is one and xy is even.
fn element_of(model: &Model, s: u64) -> Option<Index> {
    let (q, curve) = (model.curve.q, model.curve);
    let (u1, u2) = ((1 + q - s * s % q) % q, (1 + s * s) % q);
    let v = curve.negative((curve.d * u1 % q * u1 + u2 * u2) % q);
    let x = curve.root(4 * s * s % q * model.inverse(v) % q)?;
    let y = u1 * model.inverse(u2) % q;
    let is_even = |value: u64| value.is_multiple_of(2);
    let valid = is_even(s) && v != 0 && y != 0 && is_even(x * y % q);
    valid.then(|| model.find(x, y).expect("a point"))
}

/// Every s. The elements are the doubled points, of which those are one that differ by a point of
/// order 4 or less: each has one encoding.
pub fn ristretto<F: Field>(model: &Model, tally: &mut Tally) {
    let mut small = [0; 32];
    let canonical = (0..model.curve.q as u8).map(|s| {
        small[0] = s;
        small
    });
    let mut all: Vec<_> = canonical.chain((0..19).map(p_plus)).collect();
    let signed: Vec<_> = all.iter().map(|bytes| with_sign(*bytes)).collect();
    all.extend(signed);
    let mut found = Vec::new();
    batches::<F, _>(tally, &all, |encodings| {
        let mut points = vec![Point::IDENTITY; encodings.len()];
        let mut valid = vec![false; encodings.len()];
        stage(|| decode_ristretto::<F>(encodings, &mut points, &mut valid));
        let right = |((bytes, point), valid): ((&[u8; 32], &Point), bool)| {
            let small = bytes[1..] == [0; 31];
            let expected = small
                .then(|| element_of(model, u64::from(bytes[0])))
                .flatten();
            let point = valid.then(|| model.index(point));
            found.extend(point.flatten());
            point == expected.map(Some)
        };
        encodings
            .iter()
            .zip(&points)
            .zip(valid)
            .map(right)
            .collect()
    });
    let doubles: Vec<_> = (0..model.points.len()).map(|p| model.mul(2, p)).collect();
    let fourth: Vec<_> = (0..model.points.len())
        .filter(|p| model.mul(4, *p) == model.identity)
        .collect();
    let classes: BTreeSet<_> = found
        .iter()
        .map(|p| fourth.iter().map(|small| model.add(*p, *small)).min())
        .collect();
    let one_each = found.len() == classes.len() && classes.len() as u64 == model.curve.order / 8;
    tally.case(one_each && found.iter().all(|p| doubles.contains(p)));
}

/// Every point in all its coordinates.
pub fn torsion<F: Field>(model: &Model, tally: &mut Tally) {
    let all = every_row(model);
    batches::<F, _>(tally, &all, |points| {
        let rows: Vec<_> = points.iter().map(|(_, row)| *row).collect();
        let mut free = vec![false; rows.len()];
        stage(|| torsion_free::<F>(&rows, &mut free));
        let right = |((p, _), free): (&(Index, _), bool)| free == model.torsion_free(*p);
        points.iter().zip(free).map(right).collect()
    });
}
